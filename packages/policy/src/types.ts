import type { conditionOperators, effects, governanceModes, overrideModes } from '@mandate/contract/words/policy-words'
import type { ToolState } from '@mandate/contract/words/tool-words'

/** What a rule or a policy decides about a call. */
export type Effect = (typeof effects)[number]

/** The governance mode of a policy. `inherit` uses the environment's mode. */
export type OverrideMode = (typeof overrideModes)[number]

/** The governance mode that applies to an agent. `inherit` is already replaced by the environment's mode. */
export type GovernanceMode = (typeof governanceModes)[number]

export type Operator = (typeof conditionOperators)[number]

/** `path` starts with `args.`, `agent.`, `environment.`, `session.` or `tool.`. The type of `value` depends on `op`. */
export type Condition = {
  path: string
  op: Operator
  value: unknown
  /** The outcome if the argument is absent. Without it, an absent argument is an error. Only for conditions on `args.`, except `exists`. */
  absent?: boolean | undefined
}

export type Match = { tools: string[]; when: Condition[] }

/** An `allow` rule with a limit decides at most `count` calls of an agent in any `window_s` seconds. */
export type RuleLimit = { count: number; window_s: number }

/** The rule with the lowest number comes first. */
export type Rule = {
  id: string
  name: string
  priority: number
  enabled: boolean
  effect: Effect
  match: Match
  reason: string
  /** Absent or null if the rule has no limit. Only `allow` rules have one. */
  limit?: RuleLimit | null
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
  /** Absent if the session is unknown. Then conditions on `session.` are errors. */
  session?: Session | undefined
  /** Absent if the inventory of the environment is unknown. Then conditions on `tool.labels` and `tool.state` are errors. */
  inventory?: InventoryEntry | undefined
  /** The arguments that the tool declares (`declaredArguments`); null or absent if its schema is unknown. */
  declaredArgs?: ReadonlySet<string> | null
  /** Absent if it is not known how often the agent used rules. Then no rule with a limit matches. */
  uses?: RuleUses | undefined
}

/** How often the agent of a call used rules within their windows, by the id of the rule. */
export type RuleUses = {
  /** Returns undefined if it is not known. */
  get(ruleId: string): number | undefined
}

/** The uses of an agent that has not used a rule yet. */
export const noUses: RuleUses = { get: () => 0 }

/** The session of a call. `labels` are what the session has seen, `calls` is the number of its earlier calls. */
export type Session = { readonly labels: ReadonlySet<string>; readonly calls: number }

export const newSession: Session = { labels: new Set(), calls: 0 }

/** What the inventory says of the tool. `state` is absent if it cannot be known, and conditions on it are then errors. */
export type InventoryEntry = { readonly labels: ReadonlySet<string>; readonly state?: ToolState | undefined }

/** What the inventory says of a tool that it does not know. */
export const unknownTool: InventoryEntry = { labels: new Set(), state: 'new' }

/**
 * The result of a condition for a call. `error` means that the condition cannot be decided. Then the rule's effect determines whether the
 * rule matches.
 */
export type Outcome = boolean | 'error'
