import { type CompiledRule, compileRule, inAskingOrder, matchConditions } from './compile-rule.ts'
import { compileLookAlikes, findLookAlike, isObscured, type LookAlikes } from './look-alike.ts'
import { type Facts, factsOf } from './path.ts'
import { firstMatch, indexRules, type RuleIndex } from './rule-index.ts'
import { type Call, type Effect, effects, type PolicyDocument } from './types.ts'

/** A policy ready to decide calls. Keep it as long as the policy's version; it never changes. */
export type CompiledPolicy = {
  default_effect: Effect
  index: RuleIndex
  /** Compiled at the first call: a save compiles policies that decide nothing. */
  lookAlikes: () => LookAlikes
}

/**
 * What the policy says of a call. `rule_id` null means that no rule matched and the default applies;
 * `undecided` is the path of a condition in error that made the rule match, null where none did.
 */
export type Verdict = { effect: Effect; rule_id: string | null; reason: string; undecided: string | null }

/** Prepares a policy document. It never throws: what is malformed closes (see `compileRule`). */
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
 * A name that imitates a name of the rules is denied. Otherwise any matching `deny` wins; else the matching rule with the
 * lowest priority; else the default effect. `beforeRule` is called before the conditions of a rule are tested; it may throw to
 * stop the evaluation.
 */
export function evaluate(policy: CompiledPolicy, call: Call, beforeRule?: (rule: CompiledRule) => void): Verdict {
  const imitation = imitationIn(policy, call.tool)
  if (imitation !== null) return { effect: 'deny', rule_id: null, reason: imitation, undecided: null }
  let facts: Facts | undefined
  let refuted: CompiledRule | undefined
  const verdict = firstMatch(policy.index, call.tool, (rule) => {
    // A rule comes once for each of its patterns that match, one after the other.
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
 * Why a tool's name is denied whatever the rules say: it has characters that nobody sees, or it looks like a name of the rules
 * and is another. Null for other names.
 */
export function imitationIn({ lookAlikes }: CompiledPolicy, tool: string): string | null {
  if (isObscured(tool)) return 'the tool name has invisible characters or slashes in a row'
  const alike = findLookAlike(lookAlikes(), tool)
  return alike === null ? null : `the tool name looks like ${alike}, which a rule names, and is not the same`
}
