import { z } from 'zod'
import { manager, member, viewer } from './access.ts'
import { declaredBounds } from './bounds.ts'
import { endpoint } from './endpoint.ts'
import { limit, name, objectAsSent, offset, oneOf, page, text, timestamp, uuid } from './fields.ts'

export const effects = ['allow', 'deny', 'require_approval'] as const
export const governanceModes = ['enforce', 'monitor'] as const
export const overrideModes = ['inherit', ...governanceModes] as const
export const conditionOperators = [
  'eq',
  'ne',
  'gt',
  'lt',
  'gte',
  'lte',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'starts_with',
  'not_starts_with',
  'under',
  'not_under',
  'exists',
] as const
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

// The evaluator's own limits, with its words.
const tools = z.array(text({ max: 1000 })).max(100, 'must be a list of 1 to 100 tool patterns')
const mostRules = 1000
const tooManyRules = `must be a list of at most ${mostRules} rules`

/**
 * `path` begins with `args.`, `agent.`, `environment.` or `tool.`; the shape of `value` depends on `op`. `under` and `not_under`
 * compare file paths, and take an absolute path or a `file:` URL.
 */
export const Condition = z
  .object({
    path: text(),
    op: oneOf(conditionOperators),
    value: z.union([scalar, z.array(scalar).max(1000, 'must be a list of 1 to 1000 strings, numbers or booleans')]),
  })
  .meta({ id: 'Condition' })

const ruleFields = {
  name: text({ max: 200 }),
  priority: z.int(),
  enabled: z.boolean(),
  effect: oneOf(effects),
  reason: text({ max: 2000 }),
}

export const Rule = z
  .object({ id: uuid, ...ruleFields, match: z.object({ tools: z.array(z.string()), when: z.array(Condition) }) })
  .meta({ id: 'Rule' })
export type Rule = z.output<typeof Rule>

/** A rule as it is sent. Patterns, priorities and values are judged with the whole document, by the evaluator's library. */
export const NewRule = z
  .object({
    name: ruleFields.name.optional(),
    priority: ruleFields.priority,
    enabled: ruleFields.enabled.optional(),
    effect: ruleFields.effect,
    match: z.object({ tools, when: z.array(Condition).max(50, 'must be a list of at most 50 conditions').optional() }),
    reason: ruleFields.reason.optional(),
  })
  .meta({ id: 'NewRule' })
export type NewRule = z.output<typeof NewRule>

export const RuleUpdate = NewRule.partial().meta({ id: 'RuleUpdate' })
export type RuleUpdate = z.output<typeof RuleUpdate>

/** Advice about a rule that is saved all the same. */
export const PolicyWarning = z
  .object({ rule_id: z.string().optional(), path: z.string(), message: z.string() })
  .meta({ id: 'PolicyWarning' })

const policyFields = {
  name: z.string(),
  description: z.string(),
  environment_id: uuid.nullable(),
  override_mode: oneOf(overrideModes),
  default_effect: oneOf(effects),
  dlp_enabled: z.boolean(),
}

export const Policy = z
  .object({
    id: uuid,
    tenant_id: uuid,
    ...policyFields,
    version: z.int(),
    rules: z.array(Rule),
    created_at: timestamp,
    updated_at: timestamp,
    /** Only in the answer to a save; not stored. */
    warnings: z.array(PolicyWarning).optional(),
  })
  .meta({ id: 'Policy' })
export type Policy = z.output<typeof Policy>

/** A rule in the answer to its save, with the version that the save made. */
export const SavedRule = Rule.extend({ policy_version: z.int(), warnings: z.array(PolicyWarning) }).meta({
  id: 'SavedRule',
})
export type SavedRule = z.output<typeof SavedRule>

const newPolicyFields = {
  name: name({ max: 200 }),
  description: text({ max: 2000 }).optional(),
  /** Null: every environment of the tenant. */
  environment_id: uuid.nullable().optional(),
  override_mode: oneOf(overrideModes).optional(),
  default_effect: oneOf(effects).optional(),
  dlp_enabled: z.boolean().optional(),
}

export const NewPolicy = z
  .object({ ...newPolicyFields, rules: z.array(NewRule).max(mostRules, tooManyRules).optional() })
  .meta({ id: 'NewPolicy' })
export type NewPolicy = z.output<typeof NewPolicy>

/** Rules change only through the rule routes. */
export const PolicyUpdate = z
  .object({ ...newPolicyFields, name: newPolicyFields.name.optional() })
  .meta({ id: 'PolicyUpdate' })
export type PolicyUpdate = z.output<typeof PolicyUpdate>

/**
 * A policy as a whole, as a file of it says it. Every field is named, so that nothing is opened by leaving it out. A rule
 * that names one of the policy's by `id` is that rule, changed; any other is a new one, and the ids are the service's.
 */
export const PolicyDocument = z
  .object({
    name: newPolicyFields.name,
    description: text({ max: 2000 }),
    environment_id: uuid.nullable(),
    override_mode: oneOf(overrideModes),
    default_effect: oneOf(effects),
    dlp_enabled: z.boolean(),
    rules: z
      .array(NewRule.extend({ id: uuid.optional() }).meta({ id: 'DocumentRule' }))
      .max(mostRules, tooManyRules)
      .refine((rules) => new Set(rules.map(({ id }, index) => id ?? index)).size === rules.length, {
        error: 'must not name an id twice',
      }),
  })
  .meta({ id: 'PolicyDocument' })
export type PolicyDocument = z.output<typeof PolicyDocument>

const CandidateRule = NewRule.extend({ id: text({ min: 1, max: 200 }).optional() }).meta({ id: 'CandidateRule' })
/** A document that is not saved: what it leaves out is taken from the stored policy, or from the defaults. */
export const CandidatePolicy = z
  .object({
    ...newPolicyFields,
    name: newPolicyFields.name.optional(),
    rules: z.array(CandidateRule).max(mostRules, tooManyRules).optional(),
  })
  .meta({ id: 'CandidatePolicy' })
export type CandidatePolicy = z.output<typeof CandidatePolicy>

/** One action an agent would take. `tool` is a full name such as `mcp:files/read`, `resource:files/read` or `prompt:notes/summary`. */
export const SimulatedCall = z
  .object({
    tool: text({ min: 1, max: 400 }),
    args: objectAsSent.optional(),
    agent: objectAsSent.optional(),
    environment: objectAsSent.optional(),
  })
  .meta({ id: 'SimulatedCall' })
export const Simulation = z
  .object({
    calls: z.array(SimulatedCall).min(1).max(100).optional(),
    document: CandidatePolicy.optional(),
    /** Decide what the agents under the policy did in the last `days` days over again. */
    replay: z.object({ days: z.int().min(1).max(30).default(7) }).optional(),
  })
  .refine(({ calls, replay }) => calls !== undefined || replay !== undefined, {
    path: ['calls'],
    error: 'is required where there is no replay',
  })
  .meta({ id: 'Simulation' })
export type Simulation = z.output<typeof Simulation>

const DecisionReplay = z
  .object({
    from: timestamp,
    to: timestamp,
    /** How many recorded decisions were decided over again. */
    decisions: z.int(),
    complete: z.boolean().meta({
      description: 'False when more was recorded than one replay reads: 10,000 decisions of 5,000 agents.',
    }),
    changed: z.int(),
    undecidable: z.int(),
    /** Every pair of a recorded effect and the one it would be; null where that depends on what is not recorded. */
    totals: z.array(
      z.object({
        was: oneOf(effects),
        would_be: oneOf(effects).nullable(),
        calls: z.int(),
        /** Of these, the ones recorded in mode `enforce`: in `monitor` nothing is stopped. */
        enforced: z.int(),
      }),
    ),
    /** The calls that would change, then those that are undecidable, each by how often they were made: 20 of either. */
    examples: z.array(
      z.object({
        tool: z.string(),
        was: oneOf(effects),
        would_be: oneOf(effects).nullable(),
        /** The rule that would decide; null where the default effect or one of several would. */
        rule_id: z.string().nullable(),
        /** The paths of conditions that would decide the call and that nothing is recorded of. */
        undecidable: z.array(z.string()),
        mode: oneOf(governanceModes),
        /** The version that decided then; null where the edge named none. */
        policy_version: z.int().nullable(),
        calls: z.int(),
        last_at: timestamp,
      }),
    ),
  })
  .meta({ id: 'DecisionReplay' })
export type DecisionReplay = z.output<typeof DecisionReplay>

export const SimulationResult = z
  .object({
    /** The stored version that decided; null when the given document did. */
    policy_version: z.int().nullable(),
    results: z.array(
      z.object({
        tool: z.string(),
        effect: oneOf(effects),
        /** The rule that decided; null when the default effect did. */
        rule_id: z.string().nullable(),
        reason: z.string(),
        /** The path of a condition that could not be decided and so made a closing rule match. */
        undecided: z.string().nullable(),
      }),
    ),
    warnings: z.array(PolicyWarning),
    replay: DecisionReplay.optional(),
  })
  .meta({ id: 'SimulationResult' })
export type SimulationResult = z.output<typeof SimulationResult>

const ChangeSummary = z
  .object({
    fields: z.array(z.string()),
    rules_added: z.int(),
    rules_removed: z.int(),
    rules_changed: z.int(),
  })
  .meta({ id: 'ChangeSummary' })
const fieldChange = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })

export const PolicyVersion = z
  .object({
    version: z.int(),
    produced_by: oneOf(versionOrigins),
    restored_from: z.int().optional(),
    /** As they were called when they saved; `user_id` is null where the service itself recorded the version. */
    saved_by: z.object({ user_id: uuid.nullable(), display_name: z.string(), email: z.string() }),
    saved_at: timestamp,
    change_summary: ChangeSummary,
    /**
     * What the save did to the calls the policy decides: `tightens`, no call fares more freely; `loosens`, none more
     * strictly; `neutral`, both; `mixed`, neither is proven. `neutral` for the first version.
     */
    change_class: oneOf(changeClasses),
    /** SHA-256 over the RFC 8785 form of the snapshot. */
    content_hash: z.string(),
  })
  .meta({ id: 'PolicyVersion' })
export type PolicyVersion = z.output<typeof PolicyVersion>

export const PolicyVersionDetail = PolicyVersion.extend({
  snapshot: z.object({ ...policyFields, rules: z.array(Rule) }),
  /** Against the version before; null for the first. */
  diff: z
    .object({
      fields: z.array(fieldChange),
      rules: z.object({
        added: z.array(Rule),
        removed: z.array(Rule),
        changed: z.array(z.object({ id: uuid, fields: z.array(fieldChange) })),
      }),
    })
    .nullable(),
}).meta({ id: 'PolicyVersionDetail' })
export type PolicyVersionDetail = z.output<typeof PolicyVersionDetail>

// The column is a 32-bit integer. Every larger number is read as the largest, which is the version of no policy.
const maxVersion = 2_147_483_647
const version = z
  .string()
  .refine((value) => /^[1-9]\d*$/.test(value), { error: 'must be a positive integer' })
  .register(declaredBounds, { maxLength: 1000, text: 'must be a positive integer' })
  .transform((value) => Math.min(Number(value), maxVersion))
  .meta({ type: 'integer', minimum: 1 })

const params = z.object({ policy_id: uuid })
const ruleParams = z.object({ policy_id: uuid, rule_id: uuid })
const versionParams = z.object({ policy_id: uuid, version })
const tag = 'Policies'

export const policyEndpoints = {
  listPolicies: endpoint({
    method: 'GET',
    path: '/policies',
    tag,
    summary: 'List policies, newest first',
    access: viewer,
    query: z.object({ environment_id: uuid.optional(), limit: limit(), offset }),
    answers: { 200: page(Policy) },
    errors: [400],
  }),
  createPolicy: endpoint({
    method: 'POST',
    path: '/policies',
    tag,
    summary: 'Create a policy, with rules or without',
    access: member,
    body: NewPolicy,
    answers: { 201: Policy },
    errors: [400, 402, 403],
    codes: ['plan_upgrade_required'],
  }),
  validatePolicy: endpoint({
    method: 'POST',
    path: '/policies/validate',
    tag,
    summary: 'Judge a document as a save would, saving nothing',
    description:
      'A document that a save would refuse is 400 with the text of that refusal, and `errors` lists the faults, the first 1,000 of them.',
    access: viewer,
    body: CandidatePolicy,
    answers: { 200: z.object({ valid: z.literal(true), warnings: z.array(PolicyWarning) }) },
    errors: [400],
  }),
  getPolicy: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}',
    tag,
    summary: 'Read a policy',
    access: viewer,
    params,
    answers: { 200: Policy },
    errors: [400, 404],
  }),
  updatePolicy: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}',
    tag,
    summary: "Change a policy's fields",
    description: 'An omitted field is left unchanged. `If-Match: "<version>"` is honoured on every write to a policy.',
    access: member,
    params,
    body: PolicyUpdate,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required'],
  }),
  replacePolicy: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}/document',
    tag,
    summary: 'Replace fields and rules at once, as one version',
    description:
      'For documents that are kept elsewhere: either all of it is saved or nothing. A rule whose `id` is one of the policy’s is changed, ' +
      'any other is added under an id of the service’s; rules that are not sent are removed.',
    access: member,
    params,
    body: PolicyDocument,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required'],
  }),
  deletePolicy: endpoint({
    method: 'DELETE',
    path: '/policies/{policy_id}',
    tag,
    summary: 'Delete a policy that no agent uses, and its history',
    access: member,
    params,
    answers: { 204: null },
    errors: [400, 403, 404, 409, 412],
  }),
  createRule: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/rules',
    tag,
    summary: 'Add a rule',
    access: member,
    params,
    body: NewRule,
    answers: { 201: SavedRule },
    errors: [400, 403, 404, 412],
  }),
  updateRule: endpoint({
    method: 'PUT',
    path: '/policies/{policy_id}/rules/{rule_id}',
    tag,
    summary: 'Change a rule',
    description: 'An omitted field is left unchanged; `match` is replaced as a whole.',
    access: member,
    params: ruleParams,
    body: RuleUpdate,
    answers: { 200: SavedRule },
    errors: [400, 403, 404, 412],
  }),
  deleteRule: endpoint({
    method: 'DELETE',
    path: '/policies/{policy_id}/rules/{rule_id}',
    tag,
    summary: 'Remove a rule',
    access: member,
    params: ruleParams,
    answers: { 204: null },
    errors: [400, 403, 404, 412],
  }),
  simulatePolicy: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/simulate',
    tag,
    summary: 'What the policy, or a changed document, would decide of given calls, or of those recorded',
    description:
      '`calls` are decided with what they carry, as calls of tools whose schema is unknown: no argument counts as undeclared. `replay` decides what the edges recorded of the agents under the policy that ' +
      'the caller sees: of a call the tool is recorded and a digest of the arguments, so one that depends on a condition on ' +
      '`args.`, `agent.` or `environment.` is undecidable, and said to be.',
    access: viewer,
    params,
    body: Simulation,
    answers: { 200: SimulationResult },
    errors: [400, 404],
  }),
  listPolicyVersions: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/versions',
    tag,
    summary: "List a policy's versions, newest first",
    access: viewer,
    params,
    query: z.object({ limit: limit(), offset }),
    answers: { 200: page(PolicyVersion) },
    errors: [400, 404],
  }),
  getPolicyVersion: endpoint({
    method: 'GET',
    path: '/policies/{policy_id}/versions/{version}',
    tag,
    summary: 'Read a version: its snapshot, and what it changed',
    access: viewer,
    params: versionParams,
    answers: { 200: PolicyVersionDetail },
    errors: [400, 404],
  }),
  restorePolicyVersion: endpoint({
    method: 'POST',
    path: '/policies/{policy_id}/versions/{version}/restore',
    tag,
    summary: 'Make an earlier version current, as a new version',
    access: manager,
    params: versionParams,
    answers: { 200: Policy },
    errors: [400, 402, 403, 404, 409, 412],
    codes: ['plan_upgrade_required'],
  }),
}
