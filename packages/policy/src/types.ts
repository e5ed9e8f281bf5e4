import type { conditionOperators, effects, governanceModes, overrideModes } from '@mandate/contract/policy-words'

/** What a rule or a policy decides about a call. */
export type Effect = (typeof effects)[number]

/** The governance mode of a policy. `inherit` uses the environment's mode. */
export type OverrideMode = (typeof overrideModes)[number]

/** The governance mode that applies to an agent. `inherit` is already replaced by the environment's mode. */
export type GovernanceMode = (typeof governanceModes)[number]

export type Operator = (typeof conditionOperators)[number]

/** `path` starts with `args.`, `agent.`, `environment.` or `tool.`. The type of `value` depends on `op`. */
export type Condition = { path: string; op: Operator; value: unknown }

export type Match = { tools: string[]; when: Condition[] }

/** The rule with the lowest number comes first. */
export type Rule = {
  id: string
  name: string
  priority: number
  enabled: boolean
  effect: Effect
  match: Match
  reason: string
}

/** The fields of a policy that determine the decision about a call. */
export type PolicyDocument = { default_effect: Effect; rules: Rule[] }

/** The content of a policy version: the policy's fields, and its rules sorted by priority. */
export type Snapshot = PolicyDocument & {
  name: string
  description: string | null
  environment_id: string | null
  override_mode: OverrideMode
  dlp_enabled: boolean
}

/** An agent's tool call. `tool` is a name such as `mcp:files/read` or `resource:files/read`. The other fields are JSON data. */
export type Call = {
  tool: string
  args: unknown
  agent: unknown
  environment: unknown
  /** The arguments that the tool declares (`declaredArguments`); null or absent if its schema is unknown. */
  declaredArgs?: ReadonlySet<string> | null
}

/**
 * The result of a condition for a call. `error` means that the condition cannot be decided. Then the rule's effect determines whether the
 * rule matches.
 */
export type Outcome = boolean | 'error'
