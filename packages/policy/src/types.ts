/** What a rule or a policy may decide about a call. */
export type Effect = 'allow' | 'deny' | 'require_approval'

/** A policy's own say about enforcement; `inherit` leaves it to the environment. */
export type OverrideMode = 'inherit' | 'enforce' | 'monitor'

/** What is in force for an agent once `inherit` is resolved. */
export type GovernanceMode = 'enforce' | 'monitor'

export const effects = ['allow', 'deny', 'require_approval'] as const satisfies readonly Effect[]
export const overrideModes = ['inherit', 'enforce', 'monitor'] as const satisfies readonly OverrideMode[]

export const operators = [
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
export type Operator = (typeof operators)[number]

/** `path` begins with `args.`, `agent.`, `environment.` or `tool.`; the shape of `value` depends on `op`. */
export type Condition = { path: string; op: Operator; value: unknown }

export type Match = { tools: string[]; when: Condition[] }

/** The lowest `priority` number comes first. */
export type Rule = {
  id: string
  name: string
  priority: number
  enabled: boolean
  effect: Effect
  match: Match
  reason: string
}

/** The part of a policy that decides calls. */
export type PolicyDocument = { default_effect: Effect; rules: Rule[] }

/** What a policy version holds: the policy's fields and its rules ordered by priority. */
export type Snapshot = PolicyDocument & {
  name: string
  description: string | null
  environment_id: string | null
  override_mode: OverrideMode
  dlp_enabled: boolean
}

/** One action an agent wants to take. `tool` is a name such as `mcp:server/tool` or `resource:server/read`; the rest is plain JSON. */
export type Call = {
  tool: string
  args: unknown
  agent: unknown
  environment: unknown
  /** The arguments that the tool declares (`declaredArguments`); null or absent where its schema is unknown. */
  declaredArgs?: ReadonlySet<string> | null
}

/** What a condition answers about a call. `error`: it cannot be decided, and the rule's effect says what follows. */
export type Outcome = boolean | 'error'
