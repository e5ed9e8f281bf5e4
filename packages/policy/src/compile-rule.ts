import { effects } from '@mandate/contract/words/policy-words'
import { type CompiledCondition, compileCondition } from './condition.ts'
import { limitOf } from './limit.ts'
import type { Facts } from './path.ts'
import { type Pattern, parsePattern } from './pattern.ts'
import type { Effect, Rule, RuleLimit } from './types.ts'

export type CompiledRule = {
  id: string
  name: string
  effect: Effect
  priority: number
  reason: string
  patterns: Pattern[]
  conditions: CompiledCondition[]
  /** The path of the rule's first condition on `args.`, or null if the rule has no such condition. */
  argumentPath: string | null
  /** Null if the rule has no limit. */
  limit: RuleLimit | null
}

/**
 * The result if the conditions of a rule match. `undecided` is the path of the condition whose error made the rule match. It is null if no
 * error was involved.
 */
export type ConditionsMatch = { undecided: string | null }

const decidedMatch: ConditionsMatch = { undecided: null }

/**
 * Prepares a rule for evaluation. Never throws, because an old document may be invalid under the current grammar. In such a document, a
 * malformed pattern of an `allow` rule matches no tool, and a malformed pattern of any other rule matches every tool. An unknown effect
 * counts as `deny`. An `allow` rule with a malformed limit matches no call.
 */
export function compileRule(rule: Rule): CompiledRule {
  const effect = effects.includes(rule.effect) ? rule.effect : 'deny'
  const conditions = (rule.match.when ?? []).map((condition) => compileCondition(condition, effect))
  return {
    id: rule.id,
    name: rule.name ?? '',
    effect,
    priority: rule.priority,
    reason: rule.reason ?? '',
    patterns: rule.match.tools.flatMap((text) => patternOrClosed(text, effect)),
    conditions,
    argumentPath: conditions.find(({ source }) => source === 'args')?.path ?? null,
    limit: limitOf(rule.limit, effect),
  }
}

/** Whether a rule with this effect matches if one of its conditions cannot be decided. */
export function closesOnError(effect: Effect): boolean {
  return effect !== 'allow'
}

/**
 * Tests a rule's conditions. All of them must be true for the rule to match. If a condition cannot be decided, a `deny` or
 * `require_approval` rule matches, and an `allow` rule does not match. If a call has an argument that its tool does not declare, no
 * condition on arguments can be decided, because the tool may use the undeclared argument instead of the tested argument.
 */
export function matchConditions(rule: CompiledRule, facts: Facts): ConditionsMatch | null {
  const closes = closesOnError(rule.effect)
  if (rule.argumentPath !== null && facts.undeclared) return closes ? { undecided: rule.argumentPath } : null
  let allHold = true
  for (const { path, test } of rule.conditions) {
    const outcome = test(facts)
    if (outcome === 'error') return closes ? { undecided: path } : null
    if (outcome) continue
    // For a `deny` or `require_approval` rule the loop continues after a false condition. A later condition may have an error, which makes
    // the rule match. The result must not depend on the order of the conditions.
    if (!closes) return null
    allHold = false
  }
  return allHold ? decidedMatch : null
}

/**
 * Sorts rules for evaluation: `deny` rules first, then by priority. The first rule that matches then decides. Saved documents have no equal
 * priorities. In other documents the stricter effect comes first, then the smaller id, so that the order of the array does not matter.
 */
export function inAskingOrder(a: CompiledRule, b: CompiledRule): number {
  return (
    Number(b.effect === 'deny') - Number(a.effect === 'deny') ||
    a.priority - b.priority ||
    Number(a.effect === 'allow') - Number(b.effect === 'allow') ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  )
}

function patternOrClosed(text: string, effect: Effect): Pattern[] {
  const parsed = parsePattern(text)
  if (parsed.ok) return [parsed.pattern]
  return closesOnError(effect) ? [{ text: '*', any: true }] : []
}
