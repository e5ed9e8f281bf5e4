import { effects } from '@mandate/contract/words/policy-words'
import { type CompiledRule, compileRule, inAskingOrder, matchConditions } from './compile-rule.ts'
import { type OverLimit, overLimit } from './limit.ts'
import { compileLookAlikes, findLookAlike, isObscured, type LookAlikes } from './look-alike.ts'
import { type Facts, factsOf, type Source } from './path.ts'
import { firstMatch, indexRules, type RuleIndex } from './rule-index.ts'
import type { Call, Effect, PolicyDocument, RuleLimit } from './types.ts'

/** A policy that is ready to decide calls. It is immutable, so it can be reused until the policy gets a new version. */
export type CompiledPolicy = {
  default_effect: Effect
  index: RuleIndex
  /** Whether any condition is on `session.`. */
  asksSession: boolean
  /** Whether any condition is on `tool.labels` or `tool.state`. */
  asksInventory: boolean
  /** Whether any condition is on `agent.`. */
  asksAgent: boolean
  /** The limits of rules, by the id of the rule. */
  limits: ReadonlyMap<string, RuleLimit>
  /** Returns the names in the rules, prepared for the look-alike check. Prepares them once, when the first call is decided. */
  lookAlikes: () => LookAlikes
}

/**
 * The decision about a call. `rule_id` is null if no rule matched, so that the default effect applies. `undecided` is the path of the
 * condition whose error made the rule match. It is null if no error was involved. `over_limit` is the first `allow` rule that matched, but
 * whose limit did not let it decide. It is null if there was no such rule.
 */
export type Verdict = {
  effect: Effect
  rule_id: string | null
  reason: string
  undecided: string | null
  over_limit: OverLimit | null
}

/** Prepares a policy document for evaluation. Never throws. A malformed rule is treated as strictly as possible (see `compileRule`). */
export function compilePolicy(document: PolicyDocument): CompiledPolicy {
  const rules = document.rules
    .filter((rule) => rule.enabled !== false)
    .map(compileRule)
    .sort(inAskingOrder)
  return {
    default_effect: effects.includes(document.default_effect) ? document.default_effect : 'deny',
    index: indexRules(rules),
    asksSession: asks(rules, 'session'),
    asksInventory: asks(rules, 'inventory'),
    asksAgent: asks(rules, 'agent'),
    limits: limitsOf(rules),
    lookAlikes: once(() => compileLookAlikes(rules)),
  }
}

function asks(rules: readonly CompiledRule[], sought: Source): boolean {
  return rules.some(({ conditions }) => conditions.some(({ source }) => source === sought))
}

function limitsOf(rules: readonly CompiledRule[]): ReadonlyMap<string, RuleLimit> {
  const limited = rules.filter(({ limit }) => limit !== null)
  return new Map(limited.map(({ id, limit }) => [id, limit as RuleLimit]))
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}

/**
 * Decides a call: returns the effect, the rule and the reason. Denies a tool name that looks like a different name in the
 * rules. If the name is not denied, a matching `deny` rule decides, then the matching rule with the lowest priority number,
 * then the default effect. An `allow` rule whose limit is used up does not match.
 * @param beforeRule called before the conditions of a rule are tested; it may throw an error to stop the evaluation
 */
export function evaluate(policy: CompiledPolicy, call: Call, beforeRule?: (rule: CompiledRule) => void): Verdict {
  const imitation = imitationIn(policy, call.tool)
  if (imitation !== null) return withoutRule('deny', imitation)
  let facts: Facts | undefined
  let refuted: CompiledRule | undefined
  let over = null as OverLimit | null
  const verdict = firstMatch(policy.index, call.tool, (rule) => {
    // A rule with several matching patterns appears several times, without other rules in between. It is tested only once.
    if (rule === refuted) return null
    beforeRule?.(rule)
    if (rule.conditions.length > 0) facts ??= factsOf(call)
    const match = matchConditions(rule, facts as Facts)
    const used = match && rule.limit !== null ? overLimit(rule, call.uses) : null
    over ??= used
    if (match && used === null) {
      const { effect, id, reason } = rule
      return { effect, rule_id: id, reason, undecided: match.undecided, over_limit: over }
    }
    refuted = rule
    return null
  })
  if (verdict) return verdict
  const reason = over === null ? 'no rule matched' : `no other rule matched, and ${over.reason}`
  return withoutRule(policy.default_effect, reason, over)
}

/** Returns the verdict about a call that no rule decided. */
function withoutRule(effect: Effect, reason: string, over: OverLimit | null = null): Verdict {
  return { effect, rule_id: null, reason, undecided: null, over_limit: over }
}

/**
 * Returns the reason why a tool name is denied regardless of the rules: it has invisible characters, or it looks like a different name in
 * the rules. Returns null if there is no such reason.
 */
export function imitationIn({ lookAlikes }: CompiledPolicy, tool: string): string | null {
  if (isObscured(tool)) return 'the tool name has invisible characters or slashes in a row'
  const alike = findLookAlike(lookAlikes(), tool)
  return alike === null ? null : `the tool name looks like ${alike}, which a rule names, but differs from it`
}

/** Whether any rule for the tool has a condition on this path. */
export function asksPath(policy: CompiledPolicy, tool: string, path: string): boolean {
  return (
    firstMatch(policy.index, tool, ({ conditions }) => conditions.some((one) => one.path === path) || null) ?? false
  )
}

/** Whether any rule for the tool has a condition on this part of a call. */
export function asksSource(policy: CompiledPolicy, tool: string, sought: Source): boolean {
  return (
    firstMatch(policy.index, tool, ({ conditions }) => conditions.some(({ source }) => source === sought) || null) ??
    false
  )
}

/** Lists the labels of the session that rules for the tool look for. The verdict about a call can change only if one of them is added. */
export function askedLabels(policy: CompiledPolicy, tool: string): ReadonlySet<string> {
  const found = new Set<string>()
  firstMatch(policy.index, tool, ({ conditions }) => {
    for (const { path, label } of conditions) if (path === 'session.labels' && label !== undefined) found.add(label)
    return null
  })
  return found
}

/** Whether any rule for the tool has conditions on `args.`. If so, the arguments that the tool declares are needed to decide a call. */
export function asksArguments(policy: CompiledPolicy, tool: string): boolean {
  return firstMatch(policy.index, tool, (rule) => (rule.argumentPath === null ? null : true)) ?? false
}
