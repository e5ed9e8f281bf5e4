import { compilePattern, coversPattern, type Pattern } from '../pattern.ts'
import type { PolicyDocument, Rule } from '../types.ts'
import { findContradiction, type SearchBudget, searchBudget } from './find-contradiction.ts'

/** A warning about a rule. The rule can be saved despite the warning. */
export type PolicyWarning = { rule_id?: string; path: string; message: string }

type LiveRule = { rule: Rule; index: number; patterns: Pattern[]; unconditional: boolean }

// Maximum number of pattern comparisons. For a very large policy, some warnings may therefore be missing.
const comparisonBudget = 200_000

/** Finds enabled rules that can never decide a call, and returns a warning for each. The rules must be valid. */
export function findDeadRules(rules: PolicyDocument['rules']): PolicyWarning[] {
  const live: LiveRule[] = rules
    .map((rule, index) => ({
      rule,
      index,
      patterns: rule.match.tools.map(compilePattern),
      unconditional: isUnconditional(rule),
    }))
    .filter(({ rule }) => rule.enabled !== false)
  const broad = live.filter(({ unconditional }) => unconditional)
  const budget = { left: comparisonBudget }
  const search = { left: searchBudget }
  return live.flatMap((candidate) => {
    const message = contradiction(candidate.rule, search) ?? shadow(candidate, broad, budget)
    return message === null ? [] : [warning(candidate, message)]
  })
}

function contradiction({ effect, match }: Rule, search: SearchBudget): string | null {
  const found = findContradiction(match.when ?? [], effect, search)
  if (found === null) return null
  if (effect === 'allow') return `can never fire: ${found.message}`
  return `can fire only if a condition cannot be decided: ${found.message}`
}

function shadow(candidate: LiveRule, broad: LiveRule[], budget: { left: number }): string | null {
  const by = broad.find(
    (other) =>
      budget.left > 0 &&
      other !== candidate &&
      outranks(other.rule, candidate.rule) &&
      coversAll(other, candidate, budget),
  )
  if (by === undefined) return null
  return `can never fire: rules[${by.index}] (${by.rule.effect}, no conditions) decides every call it matches`
}

// Whether a rule is evaluated before another rule. `deny` rules come before all other rules, regardless of priority. Otherwise the lower
// priority number comes first.
function outranks(other: Rule, rule: Rule): boolean {
  const isDeny = rule.effect === 'deny'
  if ((other.effect === 'deny') !== isDeny) return !isDeny
  return other.priority < rule.priority
}

interface HasPatterns {
  patterns: Pattern[]
}

/** Whether the patterns of `broad` match every tool that the patterns of `narrow` match. Returns false if the budget is used up. */
export function coversAll(broad: HasPatterns, narrow: HasPatterns, budget: { left: number }): boolean {
  return narrow.patterns.every((pattern) => {
    for (const other of broad.patterns) {
      if (budget.left-- <= 0) return false
      if (coversPattern(other, pattern)) return true
    }
    return false
  })
}

function isUnconditional({ match, limit }: Rule): boolean {
  return (match.when ?? []).length === 0 && (limit ?? null) === null
}

function warning({ rule, index }: LiveRule, message: string): PolicyWarning {
  const path = `rules[${index}]`
  return rule.id === undefined ? { path, message } : { rule_id: rule.id, path, message }
}
