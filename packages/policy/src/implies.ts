import { canonicalJson } from './canonical.ts'
import { closesOnError, compileRule } from './compile-rule.ts'
import { compileCondition, ignoresForm, valueFault } from './condition.ts'
import { type FilePath, foldPath, isBelow, readBasePath } from './file-path.ts'
import { parsePath } from './path.ts'
import { coversPattern, type Pattern } from './pattern.ts'
import type { Condition, Effect, Rule } from './types.ts'

/** A rule as proofs need it: malformed patterns already widened or dropped, as the evaluator does. */
export type ProvableRule = { effect: Effect; patterns: Pattern[]; when: Condition[]; wellFormed: boolean; text: string }

export function provable(rule: Rule): ProvableRule {
  const { effect, patterns } = compileRule(rule)
  const when = rule.match.when ?? []
  const wellFormed = when.every(({ path, op, value }) => parsePath(path) !== null && valueFault(op, value) === null)
  return { effect, patterns, when, wellFormed, text: canonicalJson([effect, rule.match]) }
}

/** Whether `wide` is sure to match every call that `narrow` matches. True is a proof; false, that none was found. */
export function matchesWhenever(wide: ProvableRule, narrow: ProvableRule): boolean {
  if (wide.text === narrow.text) return true
  const coversTools = narrow.patterns.every((pattern) => wide.patterns.some((other) => coversPattern(other, pattern)))
  return coversTools && impliesConditions(wide, narrow)
}

function impliesConditions(wide: ProvableRule, narrow: ProvableRule): boolean {
  if (wide.when.length === 0) return true
  if (!wide.wellFormed || !narrow.wellFormed) return false
  const implies = (known: Condition, sought: Condition) => impliesCondition(known, narrow.effect, sought, wide.effect)
  if (!wide.when.every((sought) => narrow.when.some((known) => implies(known, sought)))) return false
  if (!closesOnError(narrow.effect)) return true
  // The narrow rule also matches on an error, and then the wide one must err, and match for it, too.
  const domains = new Set(closesOnError(wide.effect) ? errorDomains(wide) : [])
  return errorDomains(narrow).every((domain) => domains.has(domain))
}

/** Whether `sought` holds, in a rule of its effect, wherever `known` does in one of its own. Both are well formed. */
function impliesCondition(known: Condition, knownEffect: Effect, sought: Condition, soughtEffect: Effect): boolean {
  if (known.path !== sought.path) return false
  const [given, wanted] = [regionOf(known, knownEffect), regionOf(sought, soughtEffect)]
  if (given && wanted) return impliesRegion(given, wanted)
  if (known.op === sought.op && canonicalJson(known.value) === canonicalJson(sought.value)) return true
  if (sought.op === 'exists') return sought.value === true && known.op !== 'exists'
  if (known.op === 'eq' || known.op === 'in')
    return listed(known.value).every((value) => holdsFor(sought, soughtEffect, value))
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
    case 'not_in not_in':
      return (
        typeDomain(known) === typeDomain(sought) &&
        listed(sought.value).every((value) => listed(known.value).includes(value))
      )
    case 'starts_with starts_with':
      return (known.value as string).startsWith(sought.value as string)
    default:
      return false
  }
}

/** The paths at and below a base that `under` takes in, or that `not_under` leaves out. `folds`: in any letter case and Unicode form. */
type Region = { isInside: boolean; base: FilePath; folds: boolean }

function regionOf({ op, value }: Condition, effect: Effect): Region | null {
  if (op !== 'under' && op !== 'not_under') return null
  return { isInside: op === 'under', base: readBasePath(value) as FilePath, folds: ignoresForm(op, effect) }
}

function impliesRegion(given: Region, wanted: Region): boolean {
  if (given.isInside && wanted.isInside) return isPart(given, wanted)
  if (!given.isInside && !wanted.isInside) return isPart(wanted, given)
  return given.isInside && !wanted.isInside && areApart(given, wanted)
}

/** Whether every path of `part` is one of `whole`. */
function isPart(part: Region, whole: Region): boolean {
  if (whole.base.length === 0) return true
  if (whole.folds) return isBelow(foldPath(part.base), foldPath(whole.base))
  return !part.folds && isBelow(part.base, whole.base)
}

function areApart(one: Region, other: Region): boolean {
  const form = one.folds || other.folds ? foldPath : (path: FilePath) => path
  const [a, b] = [form(one.base), form(other.base)]
  return !isBelow(a, b) && !isBelow(b, a)
}

function holdsFor(condition: Condition, effect: Effect, value: unknown): boolean {
  const { test } = compileCondition({ ...condition, path: 'args.value' }, effect)
  return test({ args: { value }, agent: null, environment: null, tool: null }) === true
}

// Two conditions of one domain are in error for exactly the same calls. Undeclared arguments are a domain of their own: they are
// an error of each rule that asks about arguments.
function errorDomains({ when, effect }: ProvableRule): string[] {
  const domains = when.filter(({ op }) => op !== 'exists').map((condition) => errorDomain(condition, effect))
  return when.some(({ path }) => path.startsWith('args.')) ? [...domains, 'undeclared'] : domains
}

function errorDomain(condition: Condition, effect: Effect): string {
  const { path, op, value } = condition
  const region = regionOf(condition, effect)
  // Which lists lie half inside depends on the base.
  if (region) return canonicalJson([path, region.folds ? foldPath(region.base) : region.base, region.folds])
  if (op === 'contains' || op === 'not_contains') return canonicalJson([path, op, value])
  return typeDomain(condition)
}

function typeDomain({ path, value }: Condition): string {
  return canonicalJson([path, [...new Set(listed(value).map((element) => typeof element))].sort()])
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
