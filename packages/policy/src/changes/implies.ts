import { canonicalJson } from '@mandate/proofs/canonical'
import { closesOnError, compileRule } from '../compile-rule.ts'
import { absentFault, compileCondition, ignoresForm, valueFault } from '../condition.ts'
import { type FilePath, foldPath, isBelow, readBasePath } from '../file-path.ts'
import { parsePath } from '../path.ts'
import { coversPattern, type Pattern } from '../pattern.ts'
import type { Condition, Effect, Rule, RuleLimit } from '../types.ts'

// One character of a file path costs as much work as this many characters of other text, because a path must be parsed.
const weightOfPaths = 20

/**
 * A rule that is prepared for proofs. A proof shows that one rule matches every call that another rule matches. As in the
 * evaluator, a malformed pattern of an `allow` rule matches no tool, and any other malformed pattern matches every tool.
 */
export type ProvableRule = {
  /** Null for the default effect. */
  id: string | null
  /** Null if the rule has no limit. */
  limit: RuleLimit | null
  effect: Effect
  patterns: Pattern[]
  /** The list is empty if the rule is malformed. */
  when: ProvableCondition[]
  wellFormed: boolean
  text: string
  /** Keys for the calls that cause an error in a condition (see `errorDomains`). Empty if the rule is malformed. */
  errorDomains: string[]
}

/** A condition, with data that is computed once and used in every comparison with another condition. */
type ProvableCondition = Condition & {
  /** Canonical JSON of the value. */
  canonical: string
  region: Region | null
}

/**
 * The remaining work for comparing rules. A comparison of two conditions costs at most ten units, plus one unit for each
 * character of their values. Characters of file paths cost more (see `weightOfPaths`).
 */
export interface ProofBudget {
  left: number
}

/** Thrown if a proof needs more work than the budget allows. The statement is then neither proven nor disproven. */
export class ProofBudgetSpent extends Error {}

export function provable(rule: Rule): ProvableRule {
  const { id, effect, patterns, limit } = compileRule(rule)
  const when = rule.match.when ?? []
  const wellFormed = when.every(isWellFormed)
  const conditions = wellFormed ? when.map((condition) => provableCondition(condition, effect)) : []
  const text = canonicalJson([effect, rule.match])
  return {
    id,
    limit,
    effect,
    patterns,
    when: conditions,
    wellFormed,
    text,
    errorDomains: wellFormed ? errorDomains(conditions) : [],
  }
}

function isWellFormed(condition: Condition): boolean {
  const { path, op, value } = condition
  return parsePath(path) !== null && valueFault(op, value) === null && absentFault(condition) === null
}

function provableCondition(condition: Condition, effect: Effect): ProvableCondition {
  return { ...condition, canonical: canonicalJson(condition.value), region: regionOf(condition, effect) }
}

/**
 * Whether `wide` provably matches every call that `narrow` matches, if both rules were used equally often. If the result is false, no proof
 * was found.
 * @throws ProofBudgetSpent
 */
export function matchesWhenever(wide: ProvableRule, narrow: ProvableRule, budget: ProofBudget): boolean {
  if (!impliesLimit(wide, narrow)) return false
  if (wide.text === narrow.text) return true
  const coversTools = narrow.patterns.every((pattern) => wide.patterns.some((other) => coversPattern(other, pattern)))
  return coversTools && impliesConditions(wide, narrow, budget)
}

/** Whether the limit of `wide` is not used up while that of `narrow` is not. Uses are counted by the id of a rule. */
function impliesLimit(wide: ProvableRule, narrow: ProvableRule): boolean {
  if (wide.limit === null) return true
  if (narrow.limit === null || wide.id !== narrow.id) return false
  return wide.limit.count >= narrow.limit.count && wide.limit.window_s <= narrow.limit.window_s
}

function impliesConditions(wide: ProvableRule, narrow: ProvableRule, budget: ProofBudget): boolean {
  if (!wide.wellFormed) return false
  if (wide.when.length === 0) return true
  if (!narrow.wellFormed) return false
  const implies = (known: ProvableCondition, sought: ProvableCondition) => {
    budget.left -= costOf(known, sought)
    if (budget.left < 0) throw new ProofBudgetSpent()
    return impliesCondition(known, sought, wide.effect)
  }
  if (!wide.when.every((sought) => narrow.when.some((known) => implies(known, sought)))) return false
  if (!closesOnError(narrow.effect)) return true
  // `narrow` also matches every call that causes an error in one of its conditions. `wide` must match these calls too. This is
  // certain only if they also cause an error in a condition of `wide`, and an error makes `wide` match.
  const domains = new Set(closesOnError(wide.effect) ? wide.errorDomains : [])
  return narrow.errorDomains.every((domain) => domains.has(domain))
}

function costOf(known: ProvableCondition, sought: ProvableCondition): number {
  if (known.path !== sought.path) return 1
  return 10 + known.canonical.length * (sought.region ? weightOfPaths : 1) + sought.canonical.length
}

/** Whether `sought` is true for every call for which `known` is true. Both conditions must be well formed. */
function impliesCondition(known: ProvableCondition, sought: ProvableCondition, soughtEffect: Effect): boolean {
  if (known.path !== sought.path || (known.absent === true && sought.absent !== true)) return false
  if (known.region && sought.region) return impliesRegion(known.region, sought.region)
  if (known.op === sought.op && known.canonical === sought.canonical) return true
  if (sought.op === 'exists') return sought.value === true && known.op !== 'exists'
  if (known.op === 'eq' || known.op === 'in') return holdsForAll(sought, soughtEffect, listed(known.value))
  return impliesBound(known, sought) || impliesText(known, sought)
}

function impliesBound(known: Condition, sought: Condition): boolean {
  const [given, wanted] = [known.value as number, sought.value as number]
  switch (`${known.op} ${sought.op}`) {
    case 'gt gt':
    case 'gt gte':
    case 'gte gte':
      return given >= wanted
    case 'gte gt':
      return given > wanted
    case 'lt lt':
    case 'lt lte':
    case 'lte lte':
      return given <= wanted
    case 'lte lt':
      return given < wanted
    default:
      return false
  }
}

function impliesText(known: Condition, sought: Condition): boolean {
  switch (`${known.op} ${sought.op}`) {
    case 'not_in ne':
    case 'not_in not_in': {
      if (typeDomain(known) !== typeDomain(sought)) return false
      const left = new Set(listed(known.value))
      return listed(sought.value).every((value) => left.has(value))
    }
    case 'starts_with starts_with':
      return (known.value as string).startsWith(sought.value as string)
    default:
      return false
  }
}

/**
 * A set of paths: those at or below a base (`under`), or all other paths (`not_under`). `folds` is true if letter case and Unicode form are
 * ignored.
 */
type Region = { isInside: boolean; base: FilePath; folds: boolean; folded: FilePath }

function regionOf({ op, value }: Condition, effect: Effect): Region | null {
  if (op !== 'under' && op !== 'not_under') return null
  const base = readBasePath(value) as FilePath
  return { isInside: op === 'under', base, folds: ignoresForm(op, effect), folded: foldPath(base) }
}

function impliesRegion(given: Region, wanted: Region): boolean {
  if (given.isInside && wanted.isInside) return isPart(given, wanted)
  if (!given.isInside && !wanted.isInside) return isPart(wanted, given)
  return given.isInside && !wanted.isInside && areApart(given, wanted)
}

/** Whether the set `whole` contains every path of the set `part`. */
function isPart(part: Region, whole: Region): boolean {
  if (whole.base.length === 0) return true
  if (whole.folds) return isBelow(part.folded, whole.folded)
  return !part.folds && isBelow(part.base, whole.base)
}

function areApart(one: Region, other: Region): boolean {
  const [a, b] = one.folds || other.folds ? [one.folded, other.folded] : [one.base, other.base]
  return !isBelow(a, b) && !isBelow(b, a)
}

function holdsForAll(condition: Condition, effect: Effect, values: readonly unknown[]): boolean {
  const { test } = compileCondition({ ...condition, path: 'args.value' }, effect)
  return values.every(
    (value) =>
      test({ args: { value }, agent: null, environment: null, session: null, inventory: null, tool: null }) === true,
  )
}

// Returns keys for each condition. They stand for the calls that cause an error in the condition: calls without a value, unless the
// condition says what that means, and calls with another type of value. Conditions with the same keys have errors for exactly the same calls. The additional key `undeclared` stands for calls with undeclared
// arguments, which cause an error in every condition on arguments.
function errorDomains(when: readonly ProvableCondition[]): string[] {
  const domains = when
    .filter(({ op }) => op !== 'exists')
    .flatMap((one) => [errorDomain(one), ...(one.absent === undefined ? [canonicalJson([one.path])] : [])])
  return when.some(({ path }) => path.startsWith('args.')) ? [...domains, 'undeclared'] : domains
}

function errorDomain(condition: ProvableCondition): string {
  const { path, op, value, region } = condition
  // A list of paths causes an error if only some of the paths are inside the base folder. The error depends on the base folder,
  // so the key contains the base folder.
  if (region) return canonicalJson([path, region.folds ? region.folded : region.base, region.folds])
  if (op === 'contains' || op === 'not_contains') return canonicalJson([path, op, value])
  if (op === 'has' || op === 'has_not') return canonicalJson([path, ['set']])
  return typeDomain(condition)
}

function typeDomain({ path, value }: Condition): string {
  return canonicalJson([path, [...new Set(listed(value).map((element) => typeof element))].sort()])
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
