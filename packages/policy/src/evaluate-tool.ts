import { type CompiledRule, closesOnError } from './compile-rule.ts'
import { isDeclaredPath } from './declared-arguments.ts'
import { type CompiledPolicy, imitationIn } from './evaluate.ts'
import { type KnownArguments, unknownValue } from './known-arguments.ts'
import { overLimit } from './limit.ts'
import { mayPass } from './may-pass.ts'
import { type Facts, factsOf, type Source } from './path.ts'
import { firstMatch } from './rule-index.ts'
import { strictness } from './strictness.ts'
import { type Call, type Effect, type InventoryEntry, newSession, type RuleUses } from './types.ts'

/**
 * The decision about a tool when only the tool's name is known. `effect` is null if the decision depends on other parts of the call.
 * `undecidable` then contains the paths of the conditions on these parts,
 * and `limit` if it depends on how often a rule was used. `rule_id` is null if the default effect decides, or if it is not
 * certain which of several rules with the same effect decides.
 */
export type ToolVerdict =
  | { effect: Effect; rule_id: string | null; undecidable: [] }
  | { effect: null; rule_id: null; undecidable: string[] }

/** Who calls, and what the inventory says of the tool. Conditions on `agent.`, `environment.`, `tool.labels` and `tool.state` are decided by it. */
export interface KnownCaller {
  agent: unknown
  environment: unknown
  /** Without it, conditions on `tool.labels` and `tool.state` are errors. */
  inventory?: InventoryEntry | undefined
  /** The arguments that the tool declares. Without it, or if it is null, each argument may be declared. */
  declaredArgs?: ReadonlySet<string> | null | undefined
}

/** What is known of a call besides the name of its tool. */
export interface KnownParts {
  /**
   * The known arguments, one entry for each way to read them. The first entry is the arguments as sent. The strictest verdict counts. As at the
   * edge, the default effect counts only for the first entry. Without an entry, no argument is known.
   */
  readings?: readonly KnownArguments[] | undefined
  /** The arguments that the tool declares. Used only without `readings`. If it is left out or null, each argument may be declared. */
  declaredArgs?: ReadonlySet<string> | null | undefined
  /** What conditions on `agent.` and `environment.` read. If it is left out, the result of these conditions is not known. */
  caller?: { agent: unknown; environment: unknown } | undefined
  /** How often the agent used rules. Without it, the effect may depend on a limit. */
  uses?: RuleUses | undefined
}

/** What an agent may do with a tool. `rules` are the ids of the rules that decide, or that may decide. Empty if the default effect decides. */
export interface ToolReach {
  /**
   * `depends` if the arguments or the session of a call decide. `deny` if no call with the declared arguments, and none with others, may pass. Rules
   * with limits count as not used up.
   */
  verdict: Effect | 'depends'
  rules: string[]
  /** Whether the default effect decides, or may decide, because none of the rules certainly matches. */
  default_may_decide: boolean
}

/**
 * Decides by the tool's name, and by what else is known of the call. Returns an effect only if every such call would get this effect.
 * @param inventory if set, the result is about calls without a session, of a tool of which the inventory says this; if it is
 *   null, the inventory is not known
 */
export function evaluateTool(
  policy: CompiledPolicy,
  tool: string,
  inventory?: InventoryEntry | null,
  { readings = [], declaredArgs, caller, uses }: KnownParts = {},
): ToolVerdict {
  if (imitationIn(policy, tool) !== null) return { effect: 'deny', rule_id: null, undecidable: [] }
  const decided: Source[] = ['tool']
  if (inventory !== undefined) decided.push('inventory', 'session')
  if (caller !== undefined) decided.push('agent', 'environment')
  const call = { tool, inventory: inventory ?? undefined, ...caller }
  const [first, ...others] = readings
  const verdict = verdictOf(weigh(policy, call, decided, { asksLimits: true, known: first, uses }))
  if (first === undefined && declaredArgs && verdict.effect === null) {
    // A call has only declared arguments, or it has others too. Then no condition on arguments can be decided.
    const [one, other] = [{ declared: declaredArgs }, { known: { undeclared: true, at: new Map() } }].map((args) =>
      verdictOf(weigh(policy, call, decided, { asksLimits: true, uses, ...args })),
    ) as [ToolVerdict, ToolVerdict]
    if (one.effect === null || one.effect !== other.effect) return verdict
    return one.rule_id === other.rule_id ? one : { ...one, rule_id: null }
  }
  if (others.length === 0) return verdict
  return strictest(
    verdict,
    others.map((known) => weigh(policy, call, decided, { asksLimits: true, known, uses })),
  )
}

type Weighed = ReturnType<typeof weigh>

function verdictOf({ effect, certain, open, isUnknown }: Weighed): ToolVerdict {
  const deciding = open.filter((rule) => rule.effect !== effect)
  if (deciding.length > 0) return dependsOn(deciding, isUnknown)
  return { effect, rule_id: open.length === 0 ? (certain?.id ?? null) : null, undecidable: [] }
}

function dependsOn(rules: readonly CompiledRule[], isUnknown: IsUnknown): ToolVerdict {
  const paths = rules.flatMap(({ conditions, limit }) => [
    ...conditions.filter(isUnknown).map(({ path }) => path),
    ...(limit === null ? [] : ['limit']),
  ])
  return { effect: null, rule_id: null, undecidable: [...new Set(paths)] }
}

/** Returns the strictest of the verdicts for all readings of the arguments. `sent` is the verdict for the arguments as sent. */
function strictest(sent: ToolVerdict, others: readonly Weighed[]): ToolVerdict {
  const verdicts = [sent]
  for (const weighed of others) {
    const { certain, open, isUnknown } = weighed
    // If no rule matches, only the default effect applies, which does not count for this reading.
    const mayStop = open.filter(({ effect }) => effect !== 'allow')
    if (certain !== null) verdicts.push(verdictOf(weighed))
    else if (mayStop.length > 0) verdicts.push(dependsOn(mayStop, isUnknown))
  }
  const decided = verdicts.filter((verdict) => verdict.effect !== null)
  const [first] = decided.toSorted((a, b) => strictness[b.effect] - strictness[a.effect])
  const open = verdicts.flatMap(({ effect, undecidable }) => (effect === null ? undecidable : []))
  if (first && (first.effect === 'deny' || verdicts.length === decided.length)) return first
  return { effect: null, rule_id: null, undecidable: [...new Set(open)] }
}

/** Decides what a known caller may do with a known tool, in calls with a session. Only the arguments and the session are unknown. */
export function reachTool(policy: CompiledPolicy, tool: string, caller: KnownCaller): ToolReach {
  if (imitationIn(policy, tool) !== null) return { verdict: 'deny', rules: [], default_may_decide: false }
  const call = { tool, ...caller, session: newSession }
  const decided: Source[] = ['tool', 'inventory', 'agent', 'environment']
  const { effect, certain, open } = weigh(policy, call, decided, { asksLimits: false })
  const verdict = open.some((rule) => rule.effect !== effect) ? 'depends' : effect
  const isDenied = verdict === 'depends' && !mayPass(policy, { tool, ...caller })
  const matching = [...open, ...(certain ? [certain] : [])].filter((rule) => !isDenied || rule.effect === 'deny')
  const rules = [...new Set(matching.map(({ id }) => id))]
  return { verdict: isDenied ? 'deny' : verdict, rules, default_may_decide: certain === null }
}

/** Whether the condition is on a session that every real call has. An error then does not depend on which session it is. */
const hasSession = (call: Partial<Call>, source: Source) => source === 'session' && call.session !== undefined

type IsUnknown = (condition: CompiledRule['conditions'][number]) => boolean

interface Weighing {
  /** Whether a rule with a limit only may match, because its limit may be used up. `uses` says whether it is. */
  asksLimits: boolean
  uses?: RuleUses | undefined
  known?: KnownArguments | undefined
  /** The declared arguments. The call has no others. */
  declared?: ReadonlySet<string>
}

/** Finds the rule that certainly matches, and the rules before it that may match. `effect` is what applies if none of these does. */
function weigh(
  policy: CompiledPolicy,
  call: Pick<Call, 'tool'> & Partial<Call>,
  decided: readonly Source[],
  { asksLimits, known, declared, uses }: Weighing,
) {
  const facts: Facts = {
    ...factsOf({ args: declared && {}, agent: undefined, environment: undefined, ...call }),
    ...(known && { known: known.at, undeclared: known.undeclared }),
  }
  const isUnknown: IsUnknown = (condition) => {
    const { source, test } = condition
    if (source === 'args' && known) return !isKnown(known, condition)
    if (source === 'args' && declared) return isDeclaredPath(condition.path, declared)
    return source !== null && !decided.includes(source) && !(hasSession(call, source) && test(facts) === 'error')
  }
  const isSafe: IsUnknown = ({ source }) => source !== null && hasSession(call, source)
  const open: CompiledRule[] = []
  const certain = firstMatch(policy.index, call.tool, (rule) => {
    if (uses && overLimit(rule, uses) !== null) return null
    const matches = matchByTool(rule, facts, { isUnknown, isSafe })
    const isLimited = asksLimits && rule.limit !== null && !uses
    const outcome = matches === true && isLimited ? 'unknown' : matches
    if (outcome === 'unknown') open.push(rule)
    return outcome === true ? rule : null
  })
  return { effect: certain?.effect ?? policy.default_effect, certain, open, isUnknown }
}

/** Whether it is known what a condition on arguments finds. */
function isKnown({ at }: KnownArguments, { path, asksExistence }: CompiledRule['conditions'][number]): boolean {
  return at.has(path) && (asksExistence || at.get(path) !== unknownValue)
}

/**
 * Like `matchConditions`, but only a part of the call is known. Conditions on other parts of the call are not tested. Such a
 * condition may result in an error for a real call, and an error makes a `deny` or `require_approval` rule match. So these
 * rules may match even if a tested condition is false. A condition for which `isSafe` is true never results in an error.
 */
function matchByTool(
  { effect, conditions, argumentPath }: CompiledRule,
  facts: Facts,
  { isUnknown, isSafe }: { isUnknown: IsUnknown; isSafe: IsUnknown },
): boolean | 'unknown' {
  const closes = closesOnError(effect)
  if (argumentPath !== null && facts.undeclared) return closes
  let allHold = true
  for (const condition of conditions) {
    if (isUnknown(condition)) continue
    const outcome = condition.test(facts)
    if (outcome === 'error') return closes
    if (outcome) continue
    if (!closes) return false
    allHold = false
  }
  const unknown = conditions.filter(isUnknown)
  if (unknown.length === 0) return allHold
  return !allHold && unknown.every(isSafe) ? false : 'unknown'
}
