import { labelPattern } from '@mandate/contract/words/policy-words'
import { type FilePath, foldPath, isBelow, readBasePath, readFilePath } from './file-path.ts'
import { textFinder } from './find-text.ts'
import { blocked, type Facts, lookUp, missing, parsePath, type Source } from './path.ts'
import { type Outcomes, prefixOutcomes } from './prefix-outcomes.ts'
import type { Condition, Effect, Operator, Outcome } from './types.ts'

export type Scalar = string | number | boolean

/**
 * A condition that is ready for evaluation. `source` is the part of the call that the condition tests. It is null for a malformed condition.
 * `label` is the label that a `has` or `has_not` condition looks for.
 * `prefixOutcomes` returns the possible outcomes for texts that start with a prefix.
 */
export type CompiledCondition = {
  path: string
  source: Source | null
  label?: string
  /** Whether the condition asks only whether the value exists. */
  asksExistence: boolean
  test: (facts: Facts) => Outcome
  prefixOutcomes: (prefix: string) => Outcomes
}

type Test = (actual: unknown, facts: Facts) => Outcome

const listLimit = 1000

/**
 * Prepares a condition for evaluation. A malformed condition always has the outcome `error`.
 * @param effect the effect of the rule, which determines how file paths are compared (see `ignoresForm`)
 */
export function compileCondition(condition: Condition, effect: Effect): CompiledCondition {
  const { path, op, value, absent } = condition
  const parsed = parsePath(path)
  if (parsed === null || valueFault(op, value) !== null || absentFault(condition) !== null) {
    const outcome = () => 'error' as const
    return { path: String(path), source: null, asksExistence: false, test: outcome, prefixOutcomes: () => ['error'] }
  }
  const { source } = parsed
  // Created on first use, because few conditions need it.
  let outcomes: ReturnType<typeof prefixOutcomes> | undefined
  const ofPrefix = (prefix: string) => {
    outcomes ??= prefixOutcomes(condition)
    return outcomes(prefix)
  }
  const exists = (facts: Facts) => {
    const actual = lookUp(parsed, facts)
    return actual !== missing && actual !== blocked
  }
  const asksExistence = op === 'exists'
  if (asksExistence) {
    return { path, source, asksExistence, test: (facts) => exists(facts) === value, prefixOutcomes: ofPrefix }
  }
  const test = testFor(op, value, effect)
  return {
    path,
    source,
    asksExistence,
    ...((op === 'has' || op === 'has_not') && { label: value as string }),
    prefixOutcomes: ofPrefix,
    test: (facts) => {
      const actual = lookUp(parsed, facts)
      if (actual === missing) return absent ?? 'error'
      return actual === blocked ? 'error' : test(actual, facts)
    },
  }
}

/**
 * Whether a file path operator ignores letter case and Unicode form in a rule with this effect. The operator ignores them if
 * this makes the rule stricter.
 */
export function ignoresForm(op: Operator, effect: Effect): boolean {
  return (op === 'not_under') === (effect === 'allow')
}

/** Returns the reason why a condition may not say what an absent value means, or null. */
export function absentFault({ path, op, absent }: Pick<Condition, 'path' | 'op' | 'absent'>): string | null {
  if (absent === undefined) return null
  if (typeof absent !== 'boolean') return 'must be true or false'
  if (op === 'exists') return 'is not for exists, which asks whether the argument is absent'
  return String(path).startsWith('args.') ? null : 'is only for conditions on args.'
}

/** Returns the reason why a value is invalid for a condition operator such as `gt`, or null if the value is valid. */
export function valueFault(op: Operator, value: unknown): string | null {
  switch (op) {
    case 'exists':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return Number.isFinite(value) ? null : 'must be a number'
    case 'starts_with':
    case 'not_starts_with':
      return typeof value === 'string' ? null : 'must be a string'
    case 'under':
    case 'not_under':
      return readBasePath(value) === null ? 'must be an absolute path or a file: URL, without ".."' : null
    case 'has':
    case 'has_not':
      return typeof value === 'string' && labelPattern.test(value)
        ? null
        : 'must be a label: a lower-case letter, then at most 31 lower-case letters, digits and _'
    case 'in':
    case 'not_in':
      return Array.isArray(value) && value.length > 0 && value.length <= listLimit && value.every(isScalar)
        ? null
        : 'must be a list of 1 to 1000 strings, numbers or booleans'
    case 'eq':
    case 'ne':
    case 'contains':
    case 'not_contains':
      return isScalar(value) ? null : 'must be a string, a number or a boolean'
    default:
      // A profile from a newer server may contain operators that this version does not know.
      op satisfies never
      return 'belongs to an unknown operator'
  }
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

// The type casts are safe, because `valueFault` has checked the value.
function testFor(op: Exclude<Operator, 'exists'>, value: unknown, effect: Effect): Test {
  switch (op) {
    case 'eq':
      return equals(value as Scalar)
    case 'ne':
      return not(equals(value as Scalar))
    case 'gt':
      return ifNumber((actual) => actual > (value as number))
    case 'gte':
      return ifNumber((actual) => actual >= (value as number))
    case 'lt':
      return ifNumber((actual) => actual < (value as number))
    case 'lte':
      return ifNumber((actual) => actual <= (value as number))
    case 'in':
      return isIn(value as Scalar[])
    case 'not_in':
      return not(isIn(value as Scalar[]))
    case 'contains':
      return contains(value as Scalar)
    case 'not_contains':
      return not(contains(value as Scalar))
    case 'starts_with':
      return startsWith(value as string)
    case 'not_starts_with':
      return not(startsWith(value as string))
    case 'under':
      return under(readBasePath(value) as FilePath, ignoresForm(op, effect))
    case 'not_under':
      return not(under(readBasePath(value) as FilePath, ignoresForm(op, effect)))
    case 'has':
      return has(value as string)
    case 'has_not':
      return not(has(value as string))
  }
}

function equals(value: Scalar): Test {
  return (actual) => (sameType(actual, value) ? actual === value : 'error')
}

function ifNumber(compare: (actual: number) => boolean): Test {
  return (actual) => (typeof actual === 'number' && Number.isFinite(actual) ? compare(actual) : 'error')
}

function isIn(list: Scalar[]): Test {
  const values: ReadonlySet<unknown> = new Set(list)
  const types = new Set(list.map((value) => typeof value))
  return (actual) => (isScalar(actual) && types.has(typeof actual) ? values.has(actual) : 'error')
}

// Tests whether a text contains another text, or whether a list contains a scalar. If a list has an element of another type, the outcome is
// true or `error`, but never false, because it is uncertain whether that element equals the scalar.
function contains(value: Scalar): Test {
  const holds = typeof value === 'string' ? textFinder(value) : null
  return (actual) => {
    if (typeof actual === 'string') return holds ? holds(actual) : 'error'
    if (!Array.isArray(actual)) return 'error'
    if (actual.includes(value)) return true
    return actual.every((element) => sameType(element, value)) ? false : 'error'
  }
}

function startsWith(prefix: string): Test {
  return (actual) => (typeof actual === 'string' ? actual.startsWith(prefix) : 'error')
}

// Only labels are sets. The JSON of arguments has none.
function has(label: string): Test {
  return (actual) => (actual instanceof Set ? actual.has(label) : 'error')
}

// A list of paths is under the base folder if all its paths are under that folder. It is not under the base folder if none of
// its paths is. Any other list is an error, for example if only some of its paths are under the base folder.
function under(base: FilePath, folds: boolean): Test {
  const sought = folds ? foldPath(base) : base
  return (actual, facts) => {
    const outcomes = new Set<Outcome>()
    for (const path of pathsOf(actual, folds, facts)) outcomes.add(path === null ? 'error' : isBelow(path, sought))
    const [outcome = 'error'] = outcomes
    return outcomes.size === 1 ? outcome : 'error'
  }
}

const pathsOfCalls = new WeakMap<Facts, Record<'folded' | 'exact', Map<unknown, (FilePath | null)[]>>>()

/** Parses the file paths in a value. Caches the result for the call, because many conditions may test the same value. */
function pathsOf(actual: unknown, folds: boolean, facts: Facts): (FilePath | null)[] {
  const ofCall = pathsOfCalls.get(facts) ?? { folded: new Map(), exact: new Map() }
  pathsOfCalls.set(facts, ofCall)
  const known = folds ? ofCall.folded : ofCall.exact
  const found = known.get(actual)
  if (found) return found
  const paths = (Array.isArray(actual) ? actual : [actual]).map((value) => {
    const path = readFilePath(value)
    return path !== null && folds ? foldPath(path) : path
  })
  known.set(actual, paths)
  return paths
}

function not(test: Test): Test {
  return (actual, facts) => {
    const outcome = test(actual, facts)
    return outcome === 'error' ? outcome : !outcome
  }
}

function sameType(actual: unknown, value: Scalar): boolean {
  return isScalar(actual) && typeof actual === typeof value
}
