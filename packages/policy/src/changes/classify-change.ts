import { effects } from '@mandate/contract/words/policy-words'
import { compileRule, inAskingOrder } from '../compile-rule.ts'
import { strictness } from '../strictness.ts'
import type { OverrideMode, Rule, Snapshot } from '../types.ts'
import { matchesWhenever, type ProofBudget, ProofBudgetSpent, type ProvableRule, provable } from './implies.ts'

export type ChangeClass = 'tightens' | 'loosens' | 'mixed' | 'neutral'

const modeStrictness: Record<OverrideMode, number> = { monitor: 0, inherit: 1, enforce: 2 }

// Maximum number of pairs of patterns. If there are more pairs, no proof is tried and the result is `mixed`.
const pairLimit = 250_000
/**
 * Maximum work for the classification of one change, about 50 ms. `ProofBudget` describes the unit. If a proof needs more work,
 * the result is `mixed`.
 */
export const proofBudget = 4_000_000

/**
 * Classifies how a new version of a policy changes decisions. `tightens`: no call gets a less strict effect than before. `loosens`: no call
 * gets a stricter effect. `neutral`: both are true. One of these results is returned only if it is proven. Otherwise the result is `mixed`.
 * Both versions are compared for agents that used each rule equally often.
 * A change of the environment is also `mixed`, because the two versions then apply to different agents.
 */
export function classifyChange(previous: Snapshot, next: Snapshot): ChangeClass {
  return classifyWithin(previous, next, { left: proofBudget })
}

/** Like `classifyChange`, with a budget that several classifications share. */
export function classifyWithin(previous: Snapshot, next: Snapshot, budget: ProofBudget): ChangeClass {
  if ((previous.environment_id ?? null) !== (next.environment_id ?? null)) return 'mixed'
  if (countPatterns(previous) * countPatterns(next) > pairLimit) return 'mixed'
  try {
    return prove(previous, next, budget)
  } catch (error) {
    if (error instanceof ProofBudgetSpent) return 'mixed'
    throw error
  }
}

function prove(previous: Snapshot, next: Snapshot, budget: ProofBudget): ChangeClass {
  const [before, after] = [decisions(previous), decisions(next)]
  const neverLooser = settingsAtLeast(next, previous) && atLeastAsStrict(after, before, budget)
  const neverStricter = settingsAtLeast(previous, next) && atLeastAsStrict(before, after, budget)
  if (neverLooser) return neverStricter ? 'neutral' : 'tightens'
  return neverStricter ? 'loosens' : 'mixed'
}

const prepared = new WeakMap<Rule, { compiled: ReturnType<typeof compileRule>; proof: ProvableRule }>()

/** Compiles a rule. Caches the result, because the classification of a diff uses most rules once for each entry. */
function preparedOf(rule: Rule) {
  const known = prepared.get(rule)
  if (known) return known
  const made = { compiled: compileRule(rule), proof: provable(rule) }
  prepared.set(rule, made)
  return made
}

/** Returns the rules in evaluation order. The default effect is added as a last rule, which matches everything. */
function decisions(snapshot: Snapshot): ProvableRule[] {
  const rules = snapshot.rules
    .filter((rule) => rule.enabled !== false)
    .map(preparedOf)
    .sort((a, b) => inAskingOrder(a.compiled, b.compiled))
    .map(({ proof }) => proof)
  const effect = effects.includes(snapshot.default_effect) ? snapshot.default_effect : 'deny'
  return [
    ...rules,
    {
      id: null,
      limit: null,
      effect,
      patterns: [{ text: '*', any: true }],
      when: [],
      wellFormed: true,
      text: 'default',
      errorDomains: [],
    },
  ]
}

/**
 * Returns true if the rules `strict` provably decide every call at least as strictly as the rules `lax`. For this, a rule
 * `freer` in `strict` must never decide a call that a rule `stricter` in `lax` decides. This is proven if, for each such pair:
 * - a rule before `freer` in `strict` matches every call that `stricter` matches, or
 * - a rule before `stricter` in `lax` matches every call that `freer` matches.
 */
function atLeastAsStrict(strict: ProvableRule[], lax: ProvableRule[], budget: ProofBudget): boolean {
  const coverOfLax = lax.map((rule) => firstCover(strict, rule, budget))
  return strict.every((freer, rank) => {
    let coverOfFreer: number | undefined
    return lax.every((stricter, laxRank) => {
      if (strictness[freer.effect] >= strictness[stricter.effect] || coverOfLax[laxRank]! < rank) return true
      coverOfFreer ??= firstCover(lax, freer, budget)
      return coverOfFreer < laxRank
    })
  })
}

function firstCover(rules: ProvableRule[], rule: ProvableRule, budget: ProofBudget): number {
  const rank = rules.findIndex((other) => matchesWhenever(other, rule, budget))
  return rank < 0 ? rules.length : rank
}

function settingsAtLeast(strict: Snapshot, lax: Snapshot): boolean {
  const modeHolds = modeStrictness[strict.override_mode] >= modeStrictness[lax.override_mode]
  return modeHolds && (strict.dlp_enabled || !lax.dlp_enabled)
}

function countPatterns({ rules }: Snapshot): number {
  return rules.reduce((sum, { match }) => sum + match.tools.length, 0)
}
