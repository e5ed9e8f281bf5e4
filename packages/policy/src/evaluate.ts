import { effects } from '@mandate/contract/policy-words'
import { type CompiledRule, compileRule, inAskingOrder, matchConditions } from './compile-rule.ts'
import { compileLookAlikes, findLookAlike, isObscured, type LookAlikes } from './look-alike.ts'
import { type Facts, factsOf } from './path.ts'
import { firstMatch, indexRules, type RuleIndex } from './rule-index.ts'
import type { Call, Effect, PolicyDocument } from './types.ts'

/** A policy that is ready to decide calls. It is immutable, so it can be reused until the policy gets a new version. */
export type CompiledPolicy = {
  default_effect: Effect
  index: RuleIndex
  /** Returns the names in the rules, prepared for the look-alike check. Prepares them once, when the first call is decided. */
  lookAlikes: () => LookAlikes
}

/**
 * The decision about a call. `rule_id` is null if no rule matched, so that the default effect applies. `undecided` is the path of the
 * condition whose error made the rule match. It is null if no error was involved.
 */
export type Verdict = { effect: Effect; rule_id: string | null; reason: string; undecided: string | null }

/** Prepares a policy document for evaluation. Never throws. A malformed rule is treated as strictly as possible (see `compileRule`). */
export function compilePolicy(document: PolicyDocument): CompiledPolicy {
  const rules = document.rules
    .filter((rule) => rule.enabled !== false)
    .map(compileRule)
    .sort(inAskingOrder)
  return {
    default_effect: effects.includes(document.default_effect) ? document.default_effect : 'deny',
    index: indexRules(rules),
    lookAlikes: once(() => compileLookAlikes(rules)),
  }
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
 * then the default effect.
 * @param beforeRule called before the conditions of a rule are tested; it may throw an error to stop the evaluation
 */
export function evaluate(policy: CompiledPolicy, call: Call, beforeRule?: (rule: CompiledRule) => void): Verdict {
  const imitation = imitationIn(policy, call.tool)
  if (imitation !== null) return { effect: 'deny', rule_id: null, reason: imitation, undecided: null }
  let facts: Facts | undefined
  let refuted: CompiledRule | undefined
  const verdict = firstMatch(policy.index, call.tool, (rule) => {
    // A rule with several matching patterns appears several times, without other rules in between. It is tested only once.
    if (rule === refuted) return null
    beforeRule?.(rule)
    if (rule.conditions.length > 0) facts ??= factsOf(call)
    const match = matchConditions(rule, facts as Facts)
    if (!match) refuted = rule
    return match && { effect: rule.effect, rule_id: rule.id, reason: rule.reason, undecided: match.undecided }
  })
  return verdict ?? { effect: policy.default_effect, rule_id: null, reason: 'no rule matched', undecided: null }
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

/** Whether any rule for the tool has conditions on `args.`. If so, the arguments that the tool declares are needed to decide a call. */
export function asksArguments(policy: CompiledPolicy, tool: string): boolean {
  return firstMatch(policy.index, tool, (rule) => (rule.argumentPath === null ? null : true)) ?? false
}
