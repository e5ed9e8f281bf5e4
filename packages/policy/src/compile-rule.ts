import { type CompiledCondition, compileCondition } from './condition.ts'
import type { Facts } from './path.ts'
import { type Pattern, parsePattern } from './pattern.ts'
import { type Effect, effects, type Rule } from './types.ts'

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

/** `undecided` is the path of the condition whose error made a closing rule match, null otherwise. */
export type ConditionsMatch = { undecided: string | null }

const decidedMatch: ConditionsMatch = { undecided: null }

/**
 * A rule ready to be asked. It never throws: in a document saved under an older grammar, a malformed pattern
 * matches every tool of a closing rule and none of an allowing one, and an unknown effect is `deny`.
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

/** Whether errors make a rule of this effect match. */
export function closesOnError(effect: Effect): boolean {
  return effect !== 'allow'
}

/**
 * Asks a rule's conditions: all must hold. An error makes a closing rule match and an allowing one not. An argument that the
 * tool does not declare is an error of every rule that asks about arguments, for the tool may read another one than the rule does.
 */
export function matchConditions(rule: CompiledRule, facts: Facts): ConditionsMatch | null {
  const closes = closesOnError(rule.effect)
  if (rule.argumentPath !== null && facts.undeclared) return closes ? { undecided: rule.argumentPath } : null
  let allHold = true
  for (const { path, test } of rule.conditions) {
    const outcome = test(facts)
    if (outcome === 'error') return closes ? { undecided: path } : null
    if (outcome) continue
    // A closing rule goes on: a later condition may still be in error, and the order must not matter.
    if (!closes) return null
    allHold = false
  }
  return allHold ? decidedMatch : null
}

/**
 * Denies first, then by priority, so that the first match is the verdict. Saved documents hold no ties;
 * in others the stricter effect goes first, then the smaller id, so that the array's order never matters.
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
