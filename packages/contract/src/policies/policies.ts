import { z } from 'zod'
import { ContentBinding, maxContentBindings } from '../content.ts'
import { ContentMatch } from '../edge.ts'
import { declaredBounds } from '../fields/bounds.ts'
import { name, objectAsSent, oneOf, text, timestamp, total, uuid } from '../fields/fields.ts'
import { RuleLimit } from '../fields/rule-limit.ts'
import { createdAt, mayFields, policyId, policyVersion, tenantId } from '../fields/shared-fields.ts'
import { conditionOperators, effects, governanceModes, overrideModes } from '../words/policy-words.ts'

export const changeClasses = ['tightens', 'loosens', 'mixed', 'neutral'] as const
export const versionOrigins = [
  'created',
  'updated',
  'rule_created',
  'rule_updated',
  'rule_deleted',
  'restored',
] as const

const scalar = z.union([text(), z.number(), z.boolean()])

// The same limits and error texts as in the evaluator.
const tools = z.array(text({ max: 1000 })).max(100, 'must be a list of 1 to 100 tool patterns')
const mostRules = 1000
const tooManyRules = `must be a list of at most ${mostRules} rules`

export const Condition = z
  .object({
    path: text().describe('Path into the call: begins with `args.`, `agent.`, `environment.`, `session.` or `tool.`.'),
    op: oneOf(conditionOperators).describe(
      'Operator that compares the value at the path. `under` and `not_under` compare file paths. `has` and `has_not` look for a label in `session.labels` or `tool.labels`.',
    ),
    value: z
      .union([scalar, z.array(scalar).max(1000, 'must be a list of 1 to 1000 strings, numbers or booleans')])
      .describe(
        'Value to compare with. `in` and `not_in` take a list, `exists` takes true or false, `under` and `not_under` take an absolute path or `file:` address, `has` and `has_not` take a label.',
      ),
    absent: z
      .boolean()
      .optional()
      .describe(
        'Whether the condition is true if the argument is absent. Without it, an absent argument cannot be decided. Only for paths that begin with `args.`, and not for `exists`.',
      ),
  })
  .meta({
    id: 'Condition',
    description:
      'A test of one value of the call. A condition that cannot be decided makes `deny` and `require_approval` rules match, and `allow` rules not match.',
  })

const ruleFields = {
  name: text({ max: 200 }).describe('Name of the rule, at most 200 characters. It may be empty.'),
  priority: z
    .int()
    .describe(
      'Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority.',
    ),
  enabled: z.boolean().describe('False switches the rule off.'),
  effect: oneOf(effects).describe('What the rule decides. A `deny` that matches wins over every other rule.'),
  reason: text({ max: 2000 }).describe(
    'Why the rule exists, at most 2,000 characters. The agent gets it with a denial.',
  ),
}

export const Rule = z
  .object({
    id: uuid.describe('Id of the rule. It stays the same when the policy is restored.'),
    ...ruleFields,
    match: z
      .object({
        tools: z.array(z.string()).describe('Tool patterns, such as `mcp:files/*`. One of them must match.'),
        when: z.array(Condition).describe('Conditions. All of them must hold.'),
      })
      .describe('When the rule matches: one of the tool patterns, and every condition.'),
    limit: RuleLimit.optional().describe('Limit of the rule. Absent if it has none.'),
  })
  .meta({ id: 'Rule', description: 'A rule of a policy: tool patterns, conditions, and an effect.' })
export type Rule = z.output<typeof Rule>

export const NewRule = z
  .object({
    name: ruleFields.name.optional(),
    priority: ruleFields.priority,
    enabled: ruleFields.enabled.optional(),
    effect: ruleFields.effect,
    match: z
      .object({
        tools: tools.describe('Tool patterns, 1 to 100, such as `mcp:files/*`. One of them must match.'),
        when: z
          .array(Condition)
          .max(50, 'must be a list of at most 50 conditions')
          .optional()
          .describe('Conditions, at most 50. All of them must hold. Without conditions the tool patterns decide.'),
      })
      .describe('When the rule matches: one of the tool patterns, and every condition.'),
    reason: ruleFields.reason.optional(),
    limit: RuleLimit.nullable()
      .optional()
      .describe('Limit of the rule, only if the effect is `allow`. Null, or left out in a new rule: no limit.'),
  })
  .meta({
    id: 'NewRule',
    description: 'A rule to add. Patterns, priorities and values are checked with the whole policy.',
  })
export type NewRule = z.output<typeof NewRule>

export const RuleUpdate = NewRule.partial().meta({
  id: 'RuleUpdate',
  description: 'Fields of a rule to change. A field that is left out stays unchanged; `match` is replaced as a whole.',
})
export type RuleUpdate = z.output<typeof RuleUpdate>

export const PolicyWarning = z
  .object({
    rule_id: z.string().optional().describe('Id of the rule that the warning is about. Absent if it is about no rule.'),
    path: z.string().describe('Where in the document, such as `rules[2].match.when[0]`.'),
    message: z.string().describe('What is wrong, in words.'),
  })
  .meta({ id: 'PolicyWarning', description: 'Advice about a rule or a name that is saved nevertheless.' })

const policyFields = {
  name: z.string().describe('Name of the policy, at most 200 characters.'),
  description: z.string().describe('What the policy is for. Empty if nobody wrote a description.'),
  environment_id: uuid
    .nullable()
    .describe('Environment that the policy is for. Null: every environment of the tenant.'),
  override_mode: oneOf(overrideModes).describe(
    'Governance mode of the policy. `inherit` takes the mode of the environment.',
  ),
  default_effect: oneOf(effects).describe('What is decided when no rule matches.'),
  dlp_enabled: z.boolean().describe('True switches data-loss prevention on. It needs the plan Pro or higher.'),
}

export const Policy = z
  .object({
    id: policyId,
    tenant_id: tenantId,
    ...policyFields,
    version: policyVersion,
    rules: z.array(Rule).describe('Rules of the policy, by priority.'),
    agents: z
      .int()
      .describe(
        'Number of agents that use the policy, without archived ones. Only agents that the caller sees are counted. For a user with scoped access at most 10,000 granted agents are looked at. 10,000 means 10,000 or more.',
      ),
    created_at: createdAt,
    updated_at: timestamp.describe('When the policy was last saved.'),
    warnings: z
      .array(PolicyWarning)
      .optional()
      .describe(
        'Advice about rules that can never decide, about another policy that got the same name before names had to differ, and similar. Only in the answer to a save; not stored.',
      ),
    ...mayFields,
  })
  .meta({
    id: 'Policy',
    description: 'A document with rules that decide the calls of agents. Every save makes a version.',
  })
export type Policy = z.output<typeof Policy>

export const ListedPolicy = Policy.partial({ rules: true }).meta({
  id: 'ListedPolicy',
  description: 'A policy in a list. `rules` is present only with `include=rules`.',
})

export const SavedRule = Rule.extend({
  policy_version: z.int().describe('Version of the policy that this save made.'),
  warnings: z.array(PolicyWarning).describe('Advice about the saved document. An empty list means no warning.'),
}).meta({ id: 'SavedRule', description: 'A rule after its save, with the version that the save made.' })
export type SavedRule = z.output<typeof SavedRule>

const newPolicyFields = {
  name: name({ max: 200 }).describe('Name of the policy, trimmed, 1 to 200 characters.'),
  description: text({ max: 2000 }).optional().describe('What the policy is for. At most 2,000 characters.'),
  environment_id: uuid
    .nullable()
    .optional()
    .describe(
      'Environment that the policy is for. Null: every environment of the tenant. A key that is bound to an environment places a new policy there.',
    ),
  override_mode: oneOf(overrideModes)
    .optional()
    .describe('Governance mode of the policy. `inherit` for a new policy if it is left out.'),
  default_effect: oneOf(effects)
    .optional()
    .describe('What is decided when no rule matches. `deny` for a new policy if it is left out.'),
  dlp_enabled: z
    .boolean()
    .optional()
    .describe(
      'True switches data-loss prevention on, which needs the plan Pro or higher. False for a new policy if it is left out.',
    ),
}

export const NewPolicy = z
  .object({
    ...newPolicyFields,
    rules: z.array(NewRule).max(mostRules, tooManyRules).optional().describe('Rules of the policy, at most 1,000.'),
  })
  .meta({ id: 'NewPolicy', description: 'A policy to create. Fields that are left out get their default.' })
export type NewPolicy = z.output<typeof NewPolicy>

export const PolicyUpdate = z
  .object({ ...newPolicyFields, name: newPolicyFields.name.optional() })
  .meta({ id: 'PolicyUpdate', description: 'Fields of a policy to change. Rules are changed by their own routes.' })
export type PolicyUpdate = z.output<typeof PolicyUpdate>

export const PolicyDocument = z
  .object({
    ...policyFields,
    name: newPolicyFields.name,
    description: text({ max: 2000 }).describe('What the policy is for. At most 2,000 characters; it may be empty.'),
    rules: z
      .array(
        NewRule.extend({
          id: uuid
            .optional()
            .describe(
              "Id of the policy's rule that this rule replaces. Without it, or with an unknown id, the rule is new.",
            ),
        }).meta({
          id: 'DocumentRule',
          description: "A rule of a policy document, with the id of the policy's rule that it replaces.",
        }),
      )
      .max(mostRules, tooManyRules)
      .refine((rules) => new Set(rules.map(({ id }, index) => id ?? index)).size === rules.length, {
        error: 'must not name an id twice',
      })
      .describe('All rules of the policy, at most 1,000. Rules that are not in the list are removed.'),
  })
  .meta({
    id: 'PolicyDocument',
    description:
      'A whole policy, as in a policy file. Every field is required, so that a missing field cannot allow more calls.',
  })
export type PolicyDocument = z.output<typeof PolicyDocument>

const CandidateRule = NewRule.extend({
  id: text({ min: 1, max: 200 })
    .optional()
    .describe(
      'Name for the rule in the answer, 1 to 200 characters. Without it the rule is named by its place, such as `rules[0]`.',
    ),
}).meta({ id: 'CandidateRule', description: 'A rule to decide with, which is not saved.' })
export const CandidatePolicy = z
  .object({
    ...newPolicyFields,
    name: newPolicyFields.name.optional(),
    rules: z
      .array(CandidateRule)
      .max(mostRules, tooManyRules)
      .optional()
      .describe('Rules to decide with, at most 1,000.'),
  })
  .meta({
    id: 'CandidatePolicy',
    description:
      'A policy document that is not saved. Fields that are left out are those of the stored policy, or the defaults.',
  })
export type CandidatePolicy = z.output<typeof CandidatePolicy>

export const SimulatedCall = z
  .object({
    tool: text({ min: 1, max: 400 }).describe(
      'Full name of the tool, such as `mcp:files/read`, `resource:files/read` or `prompt:notes/summary`.',
    ),
    args: objectAsSent.optional().describe('Arguments of the call, for conditions on `args.`.'),
    agent: objectAsSent
      .optional()
      .describe('Agent of the call, for conditions on `agent.`: `id`, `name` and `status`.'),
    environment: objectAsSent
      .optional()
      .describe('Environment of the call, for conditions on `environment.`: `id`, `name` and `slug`.'),
    session: z
      .object({
        labels: z
          .array(text({ max: 32 }))
          .max(50)
          .optional()
          .describe('Labels of the session, at most 50. None if they are left out.'),
        calls: z
          .int()
          .min(0)
          .max(1_000_000_000)
          .optional()
          .describe('Number of earlier calls of the session. 0 if it is left out.'),
      })
      .optional()
      .describe(
        'Session of the call, for conditions on `session.`. Without it these conditions cannot be decided: `deny` and `require_approval` rules match, and `allow` rules do not.',
      ),
    result: z
      .unknown()
      .register(declaredBounds, { maxValues: 10_000 })
      .optional()
      .describe('Result of the call, for bindings on results: any JSON value, such as the result of an MCP tool.'),
  })
  .meta({ id: 'SimulatedCall', description: 'A call that an agent could make.' })
export const Simulation = z
  .object({
    calls: z
      .array(SimulatedCall)
      .min(1)
      .max(100)
      .optional()
      .describe('Calls to decide, 1 to 100. Required unless `replay` is sent.'),
    document: CandidatePolicy.optional().describe(
      'A changed document to decide with. Fields that it leaves out are those of the stored policy.',
    ),
    environment_id: uuid
      .optional()
      .describe(
        'Environment whose inventory says which labels, state and arguments the tools have. Without it, the environment of the deciding document. If that is null too, they are unknown, and conditions on `tool.labels` and `tool.state` cannot be decided.',
      ),
    content: z
      .object({
        bindings: z.array(ContentBinding).max(maxContentBindings).describe('Bindings to decide with, at most 100.'),
      })
      .optional()
      .describe(
        'Content bindings to decide with. Without it, those of the stored policy, if the deciding document has `dlp_enabled`.',
      ),
    replay: z
      .object({
        days: z.int().min(1).max(30).default(7).describe('Number of days to look back, 1 to 30.'),
        agent_id: uuid.optional().describe('Only calls of this agent. 400 for an agent that the caller does not see.'),
      })
      .optional()
      .describe('Decides the recorded calls of the agents under the policy again.'),
  })
  .refine(({ calls, replay }) => calls !== undefined || replay !== undefined, {
    path: ['calls'],
    error: 'is required where there is no replay',
  })
  .meta({ id: 'Simulation', description: 'What to decide: given calls, recorded calls, or both.' })
export type Simulation = z.output<typeof Simulation>

const matrixRow = z.object({
  allow: z.int().describe('Number of calls that would be allowed.'),
  deny: z.int().describe('Number of calls that would be denied.'),
  require_approval: z.int().describe('Number of calls that would need an approval.'),
  depends: z.int().describe('Number of calls that depend on something that is not recorded.'),
})

const DecisionReplay = z
  .object({
    from: timestamp.describe('Start of the replayed time.'),
    to: timestamp.describe('End of the replayed time.'),
    decisions: z.int().describe('Number of recorded decisions that were decided again.'),
    complete: z
      .boolean()
      .describe(
        'False if there are more kinds of calls than one replay decides: 5,000, or fewer for a policy with many patterns.',
      ),
    changed: z.int().describe('Number of calls that would be decided in another way.'),
    undecidable: z.int().describe('Number of calls that depend on something that is not recorded.'),
    change_class: oneOf(changeClasses).describe(
      'What the change does to the calls, as for a version. `neutral` without a document.',
    ),
    agents: z
      .object({
        total: total.describe('Number of agents that have the policy. 10,000 means 10,000 or more.'),
        affected: total.describe('Number of agents that made a call that would change. 10,000 means 10,000 or more.'),
      })
      .describe('Agents that the caller sees.'),
    matrix: z
      .object({
        allow: matrixRow.describe('Calls that were allowed without a person.'),
        deny: matrixRow.describe('Calls that were denied.'),
        require_approval: matrixRow.describe(
          'Calls that needed an approval, and calls that passed after a person approved them.',
        ),
      })
      .describe('Number of calls by recorded effect (row) and new effect (column).'),
    arguments: z
      .object({
        decided: z.int().describe('Number of calls that were decided by kept values of their arguments.'),
        missing: z
          .array(
            z.object({
              path: z.string().describe('Path of the argument, such as `args.path`.'),
              because: z
                .string()
                .describe(
                  'Why its value is not known: `not_recorded` if the record of the call does not have it, or if the call is not among the newest whose arguments are read; or `because` of `KeptArgument`.',
                ),
              calls: z
                .int()
                .describe('Number of calls that are undecidable because the value of this argument is not known.'),
            }),
          )
          .describe(
            'Arguments whose missing values make calls undecidable. At most 20, sorted by the number of calls, largest first.',
          ),
      })
      .describe('How many calls kept arguments decided (`keep_arguments_for_replay`), and which values are missing.'),
    totals: z
      .array(
        z.object({
          was: oneOf(effects).describe(
            'Effect that was recorded. `require_approval` also for a call that passed after a person approved it.',
          ),
          would_be: oneOf(effects)
            .nullable()
            .describe('Effect that the policy would decide. Null if it depends on something that is not recorded.'),
          calls: z.int().describe('Number of calls with this pair of effects.'),
          enforced: z.int().describe('Number of these calls that were recorded in the mode `enforce`.'),
        }),
      )
      .describe('Number of calls for each pair of recorded and new effect.'),
    examples: z
      .array(
        z.object({
          tool: z.string().describe('Tool of the calls.'),
          was: oneOf(effects).describe('Effect that was recorded.'),
          would_be: oneOf(effects)
            .nullable()
            .describe('Effect that the policy would decide. Null if it depends on something that is not recorded.'),
          rule_id: z
            .string()
            .nullable()
            .describe('Rule that would decide. Null for the default effect, or if several rules are possible.'),
          undecidable: z
            .array(z.string())
            .describe(
              'Paths of the conditions that would decide and for which nothing is recorded. `limit` if it depends on how often a rule was used.',
            ),
          mode: oneOf(governanceModes).describe('Mode in which the calls were recorded.'),
          policy_version: z.int().nullable().describe('Version that decided. Null if the edge named no version.'),
          calls: z.int().describe('Number of such calls.'),
          last_at: timestamp.describe('Start of the last hour or day in which such a call was decided.'),
          agent: z
            .object({ id: uuid.describe('Id of the agent.'), name: z.string().describe('Name of the agent.') })
            .nullable()
            .describe('An agent that made such a call. Null if the caller sees none.'),
        }),
      )
      .describe(
        'The most frequent calls that would change, at most 20, then the most frequent undecidable ones, at most 20.',
      ),
  })
  .meta({ id: 'DecisionReplay', description: 'What a policy would decide about recorded calls.' })
export type DecisionReplay = z.output<typeof DecisionReplay>

export const SimulationResult = z
  .object({
    policy_version: z
      .int()
      .nullable()
      .describe('Stored version that decided. Null if the document of the request decided.'),
    results: z
      .array(
        z.object({
          tool: z.string().describe('Tool of the call.'),
          effect: oneOf(effects).describe('What is decided.'),
          rule_id: z.string().nullable().describe('Rule that decided. Null for the default effect.'),
          reason: z.string().describe('Why, as the agent would read it.'),
          undecided: z
            .string()
            .nullable()
            .describe(
              'Path of a condition that could not be decided, so that the rule matched. Null if there was none.',
            ),
          over_limit: z
            .object({
              rule_id: z.string().describe('Id of the rule.'),
              uses: z
                .int()
                .nullable()
                .describe('How often earlier calls of the request used the rule. Never null in a simulation.'),
              reason: z.string().describe('Which limit is used up, in words.'),
            })
            .nullable()
            .describe(
              'First `allow` rule that matched the call, but whose limit is used up, so that it did not decide. Null if there was none.',
            ),
          content: z.array(ContentMatch).describe('Content patterns that matched in the arguments and in `result`.'),
          labels: z.array(z.string()).describe('Labels that the bindings give to the session.'),
        }),
      )
      .describe('One result for each call, in the same order.'),
    warnings: z.array(PolicyWarning).describe('Advice about the document of the request. Empty for the stored policy.'),
    replay: DecisionReplay.optional().describe('Result of the replay. Absent unless it was asked for.'),
  })
  .meta({ id: 'SimulationResult', description: 'What the policy decides about the calls.' })
export type SimulationResult = z.output<typeof SimulationResult>

const ChangeSummary = z
  .object({
    fields: z.array(z.string()).describe('Names of the policy fields that changed.'),
    rules_added: z.int().describe('Number of rules that were added.'),
    rules_removed: z.int().describe('Number of rules that were removed.'),
    rules_changed: z.int().describe('Number of rules that were changed.'),
  })
  .meta({ id: 'ChangeSummary', description: 'How a version differs from the version before.' })
const fieldChange = z.object({
  field: z.string().describe('Name of the field.'),
  from: z.unknown().describe('Value before the save.'),
  to: z.unknown().describe('Value after the save.'),
})
const entryClass = oneOf(['tightens', 'loosens', 'neutral']).describe(
  'What this entry does to the calls, after the entries before it: fields, added, changed, then removed rules. `tightens`: no call is decided more freely. `neutral`: no call is decided differently. `loosens`: neither is proven.',
)

export const PolicyVersion = z
  .object({
    version: policyVersion,
    produced_by: oneOf(versionOrigins).describe(
      'What made the version: the creation, an update of fields, a change of a rule, or a restore.',
    ),
    restored_from: z.int().optional().describe('Version whose snapshot was restored. Only for `restored`.'),
    saved_by: z
      .object({
        user_id: uuid.nullable().describe('Id of the user. Null if the service recorded the version itself.'),
        display_name: z.string().describe('Display name of the user at that time.'),
        email: z.string().describe('Address of the user at that time.'),
      })
      .describe('Who saved the version, with the name of that time.'),
    saved_at: timestamp.describe('When the version was saved.'),
    change_summary: ChangeSummary.describe('What differs from the version before. Empty for version 1.'),
    change_class: oneOf(changeClasses).describe(
      'What the save did to the calls. `tightens`: no call is decided more freely. `loosens`: no call is decided more strictly. `neutral`: both hold, as for version 1. `mixed`: neither is proven.',
    ),
    content_hash: z
      .string()
      .describe('SHA-256 of the RFC 8785 canonical JSON of the snapshot, as 64 hexadecimal characters.'),
  })
  .meta({ id: 'PolicyVersion', description: 'One save of a policy.' })
export type PolicyVersion = z.output<typeof PolicyVersion>

export const PolicyVersionDetail = PolicyVersion.extend({
  snapshot: z
    .object({ ...policyFields, rules: z.array(Rule).describe('Rules of the version, by priority.') })
    .describe('Fields and rules of the version.'),
  diff: z
    .object({
      fields: z.array(fieldChange.extend({ change_class: entryClass })).describe('Policy fields that changed.'),
      rules: z
        .object({
          added: z.array(Rule.extend({ change_class: entryClass })).describe('Rules that the version added.'),
          removed: z.array(Rule.extend({ change_class: entryClass })).describe('Rules that the version removed.'),
          changed: z
            .array(
              z.object({
                id: uuid.describe('Id of the rule.'),
                fields: z.array(fieldChange).describe('Fields of the rule that changed.'),
                change_class: entryClass,
              }),
            )
            .describe('Rules that the version changed.'),
        })
        .describe('Rules that changed.'),
    })
    .nullable()
    .describe(
      'What changed against the version before, or against the version of the parameter `against`. Null for version 1 without that parameter.',
    ),
}).meta({ id: 'PolicyVersionDetail', description: 'One save of a policy, with its snapshot and its changes.' })
export type PolicyVersionDetail = z.output<typeof PolicyVersionDetail>
