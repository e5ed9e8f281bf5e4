import { effects } from '@mandate/contract/policy-words'
import { type CompiledCondition, compileCondition } from './condition.ts'
import type { Facts } from './path.ts'
import { type Pattern, parsePattern } from './pattern.ts'
import type { Effect, Rule } from './types.ts'

export type CompiledRule = {
  id: string
  effect: Effect
  priority: number
  reason: string
  patterns: Pattern[]
  conditions: CompiledCondition[]
  /** The path of the first condition on `args.`; null if the rule has no such condition. */
  argumentPath: string | null
}

/** The result of conditions that match. `undecided` is the path of the condition whose error caused the match, otherwise null. */
export type ConditionsMatch = { undecided: string | null }

const decidedMatch: ConditionsMatch = { undecided: null }

/**
 * Prepares a rule for evaluation. Never throws, because an old document may be invalid under the current grammar. In such a document, a
 * malformed pattern of an `allow` rule matches no tool, a malformed pattern of any other rule matches every tool, and an unknown effect
 * is `deny`.
 */
export function compileRule(rule: Rule): CompiledRule {
  const effect = effects.includes(rule.effect) ? rule.effect : 'deny'
  const conditions = (rule.match.when ?? []).map((condition) => compileCondition(condition, effect))
  return {
    id: rule.id,
    effect,
    priority: rule.priority,
    reason: rule.reason ?? '',
    patterns: rule.match.tools.flatMap((text) => patternOrClosed(text, effect)),
    conditions,
    argumentPath: conditions.find(({ root }) => root === 'args')?.path ?? null,
  }
}

/** Whether an error in a condition makes a rule with this effect match. */
export function closesOnError(effect: Effect): boolean {
  return effect !== 'allow'
}

/**
 * Tests a rule's conditions, which must all be true. An error makes a `deny` or `require_approval` rule match, and an `allow` rule not
 * match. An argument that the tool does not declare is an error for every rule with conditions on arguments, because the tool may read
 * another argument than the rule tests.
 */
export function matchConditions(rule: CompiledRule, facts: Facts): ConditionsMatch | null {
  const closes = closesOnError(rule.effect)
  if (rule.argumentPath !== null && facts.undeclared) return closes ? { undecided: rule.argumentPath } : null
  let allHold = true
  for (const { path, test } of rule.conditions) {
    const outcome = test(facts)
    if (outcome === 'error') return closes ? { undecided: path } : null
    if (outcome) continue
    // A closing rule continues: a later condition may be in error, and the order of conditions must not matter.
    if (!closes) return null
    allHold = false
  }
  return allHold ? decidedMatch : null
}

/**
 * Sort order of evaluation: `deny` rules first, then by priority, so that the first match is the verdict. Saved documents have no equal
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
