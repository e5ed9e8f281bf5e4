import { canonicalJson } from './canonical.ts'
import { closesOnError, compileRule } from './compile-rule.ts'
import { compileCondition, ignoresForm, valueFault } from './condition.ts'
import { type FilePath, foldPath, isBelow, readBasePath } from './file-path.ts'
import { parsePath } from './path.ts'
import { coversPattern, type Pattern } from './pattern.ts'
import type { Condition, Effect, Rule } from './types.ts'

// Reading and folding a file path takes as long for one character as a comparison does for this many.
const weightOfPaths = 20

/** A rule as proofs need it: malformed patterns already widened or dropped, as the evaluator does. */
export type ProvableRule = {
  effect: Effect
  patterns: Pattern[]
  /** Empty unless the rule is well formed. */
  when: ProvableCondition[]
  wellFormed: boolean
  text: string
  /** The calls for which a condition is in error. Only of a rule that is well formed. */
  errorDomains: string[]
}

/** A condition with what proofs ask of it again and again. */
type ProvableCondition = Condition & {
  /** Of the value. */
  canonical: string
  region: Region | null
}

/** How much work proofs may still take. Each comparison of two conditions takes ten units at most, and one for each character of values that it reads. */
export interface ProofBudget {
  left: number
}

/** Thrown when the budget is used up: nothing is proven. */
export class ProofBudgetSpent extends Error {}

export function provable(rule: Rule): ProvableRule {
  const { effect, patterns } = compileRule(rule)
  const when = rule.match.when ?? []
  const wellFormed = when.every(({ path, op, value }) => parsePath(path) !== null && valueFault(op, value) === null)
  const conditions = wellFormed ? when.map((condition) => provableCondition(condition, effect)) : []
  const text = canonicalJson([effect, rule.match])
  return {
    effect,
    patterns,
    when: conditions,
    wellFormed,
    text,
    errorDomains: wellFormed ? errorDomains(conditions) : [],
  }
}

function provableCondition(condition: Condition, effect: Effect): ProvableCondition {
  return { ...condition, canonical: canonicalJson(condition.value), region: regionOf(condition, effect) }
}

/**
 * Whether `wide` is sure to match every call that `narrow` matches. True is a proof; false, that none was found.
 * @throws ProofBudgetSpent
 */
export function matchesWhenever(wide: ProvableRule, narrow: ProvableRule, budget: ProofBudget): boolean {
  if (wide.text === narrow.text) return true
  const coversTools = narrow.patterns.every((pattern) => wide.patterns.some((other) => coversPattern(other, pattern)))
  return coversTools && impliesConditions(wide, narrow, budget)
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
  // The narrow rule also matches on an error, and then the wide one must err, and match for it, too.
  const domains = new Set(closesOnError(wide.effect) ? wide.errorDomains : [])
  return narrow.errorDomains.every((domain) => domains.has(domain))
}

function costOf(known: ProvableCondition, sought: ProvableCondition): number {
  if (known.path !== sought.path) return 1
  return 10 + known.canonical.length * (sought.region ? weightOfPaths : 1) + sought.canonical.length
}

/** Whether `sought` holds, in a rule of its effect, wherever `known` does in one of its own. Both are well formed. */
function impliesCondition(known: ProvableCondition, sought: ProvableCondition, soughtEffect: Effect): boolean {
  if (known.path !== sought.path) return false
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

/** The paths at and below a base that `under` takes in, or that `not_under` leaves out. `folds`: in any letter case and Unicode form. */
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

/** Whether every path of `part` is one of `whole`. */
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
  return values.every((value) => test({ args: { value }, agent: null, environment: null, tool: null }) === true)
}

// Two conditions of one domain are in error for exactly the same calls. Undeclared arguments are a domain of their own: they are
// an error of each rule that asks about arguments.
function errorDomains(when: readonly ProvableCondition[]): string[] {
  const domains = when.filter(({ op }) => op !== 'exists').map(errorDomain)
  return when.some(({ path }) => path.startsWith('args.')) ? [...domains, 'undeclared'] : domains
}

function errorDomain(condition: ProvableCondition): string {
  const { path, op, value, region } = condition
  // Which lists lie half inside depends on the base.
  if (region) return canonicalJson([path, region.folds ? region.folded : region.base, region.folds])
  if (op === 'contains' || op === 'not_contains') return canonicalJson([path, op, value])
  return typeDomain(condition)
}

function typeDomain({ path, value }: Condition): string {
  return canonicalJson([path, [...new Set(listed(value).map((element) => typeof element))].sort()])
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
