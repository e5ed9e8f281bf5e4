import { compileCondition, ignoresForm, type Scalar } from '../condition.ts'
import { type FilePath, foldPath, isBelow, readBasePath } from '../file-path.ts'
import { textFinder } from '../find-text.ts'
import { type Facts, parsePath, sessionFields, toolFields } from '../path.ts'
import type { Condition, Effect } from '../types.ts'

export type Contradiction = { path: string; message: string }

const valueTypes = ['string', 'number', 'boolean', 'list', 'set'] as const
type ValueType = (typeof valueTypes)[number]

/** The remaining work that the search for contradictions may do. `searchBudget` describes the unit. */
export interface SearchBudget {
  left: number
}

/**
 * Maximum work of the search for contradictions in one rule, about 20 ms. Testing one character of a value with one condition
 * is one unit of work, or `weightOfPaths` units if the condition is on file paths.
 */
export const searchBudget = 2_000_000
const weightOfPaths = 20

/**
 * Finds conditions of a rule that can never be true together. `effect` is the rule's effect. Returns the path of these
 * conditions, such as `args.amount`, or null if no contradiction is found. The conditions must be well formed. A contradiction
 * that is found is certain. Some contradictions are not found, for example between several `not_contains`, or if the search
 * exceeds its budget.
 */
export function findContradiction(
  when: readonly Condition[],
  effect: Effect,
  budget: SearchBudget = { left: searchBudget },
): Contradiction | null {
  for (const [path, conditions] of Map.groupBy(when, ({ path }) => path)) {
    const message = contradictionAt(path, conditions, effect, budget)
    if (message !== null) return { path, message }
  }
  return null
}

function contradictionAt(path: string, conditions: Condition[], effect: Effect, budget: SearchBudget): string | null {
  const asked = conditions.filter(({ op }) => op !== 'exists')
  const wantsAbsent = conditions.some(({ op, value }) => op === 'exists' && value === false)
  const wantsPresent =
    asked.some(({ absent }) => absent !== true) || conditions.some(({ op, value }) => op === 'exists' && value === true)
  // An absent value meets all conditions.
  if (!wantsPresent) return null
  if (wantsAbsent && wantsPresent) return `${path} cannot be absent and have a value`
  const unknown = unknownField(path, conditions)
  if (unknown !== null) return unknown
  if (asked.length > 0 && possibleTypes(path, asked).length === 0)
    return `no value of ${path} has a type that all conditions accept`
  if (!someCandidateHolds(asked, effect, budget)) return `no value of ${path} meets all conditions`
  if (isEmptyRange(asked)) return `no number meets all conditions on ${path}`
  if (labelsClash(asked)) return `no set of labels meets all conditions on ${path}`
  if (textClashes(asked)) return `no text meets all conditions on ${path}`
  if (pathsClash(asked, effect)) return `no file path meets all conditions on ${path}`
  return null
}

function unknownField(path: string, conditions: Condition[]): string | null {
  const parsed = parsePath(path)
  const root = parsed?.source === 'inventory' ? 'tool' : parsed?.source
  if (parsed === null || (root !== 'tool' && root !== 'session')) return null
  const fields: readonly string[] = root === 'tool' ? toolFields : sessionFields
  const known = parsed.keys.length === 1 && fields.includes(parsed.keys[0]!)
  const wantsPresent = conditions.some(({ op, value }) => op !== 'exists' || value === true)
  if (!known && wantsPresent) return `${path} does not exist: a ${root} has ${fields.join(', ')}`
  return null
}

function possibleTypes(path: string, conditions: Condition[]): ValueType[] {
  const accepted = [typesAt(path), ...conditions.map(acceptedTypes)]
  return valueTypes.filter((type) => accepted.every((types) => types.includes(type)))
}

/** The types that the value at a path can have. */
function typesAt(path: string): readonly ValueType[] {
  if (path === 'session.labels' || path === 'tool.labels') return ['set']
  if (path === 'session.calls') return ['number']
  return path.startsWith('tool.') ? ['string'] : ['string', 'number', 'boolean', 'list']
}

function acceptedTypes({ op, value }: Condition): ValueType[] {
  if (op === 'has' || op === 'has_not') return ['set']
  if (op === 'under' || op === 'not_under') return ['string', 'list']
  if (op === 'contains' || op === 'not_contains') return typeof value === 'string' ? ['string', 'list'] : ['list']
  return listed(value).map((element) => typeof element as ValueType)
}

// An `eq` or `in` condition lists all values that it allows. Returns false if none of the listed values meets all conditions.
function someCandidateHolds(conditions: Condition[], effect: Effect, budget: SearchBudget): boolean {
  const closed = conditions.find(({ op }) => op === 'eq' || op === 'in')
  if (closed === undefined) return true
  const characters = listed(closed.value).reduce<number>((sum, value) => sum + String(value).length + 1, 0)
  const weights = conditions.map(({ op }) => (op === 'under' || op === 'not_under' ? weightOfPaths : 1))
  const cost = weights.reduce((sum, weight) => sum + weight * characters, 0)
  if (cost > budget.left) return true
  budget.left -= cost
  const tests = conditions.map((condition) => compileCondition({ ...condition, path: 'args.value' }, effect).test)
  return listed(closed.value).some((value) => {
    const facts: Facts = { args: { value }, agent: null, environment: null, session: null, inventory: null, tool: null }
    return tests.every((test) => test(facts) === true)
  })
}

function isEmptyRange(conditions: Condition[]): boolean {
  const values = (...ops: string[]) =>
    conditions.filter(({ op }) => ops.includes(op)).map(({ value }) => value as number)
  const lowest = Math.max(...values('gt', 'gte'))
  const highest = Math.min(...values('lt', 'lte'))
  if (lowest !== highest) return lowest > highest
  return values('gt').includes(lowest) || values('lt').includes(highest)
}

function labelsClash(conditions: Condition[]): boolean {
  const absent = new Set(conditions.filter(({ op }) => op === 'has_not').map(({ value }) => value))
  return conditions.some(({ op, value }) => op === 'has' && absent.has(value))
}

function textClashes(conditions: Condition[]): boolean {
  const values = (wanted: string) => conditions.filter(({ op }) => op === wanted).map(({ value }) => value as string)
  const prefixes = values('starts_with')
  const longest = prefixes.reduce((a, b) => (b.length > a.length ? b : a), '')
  if (prefixes.some((prefix) => !longest.startsWith(prefix))) return true
  if (prefixes.length > 0 && values('not_starts_with').some((prefix) => longest.startsWith(prefix))) return true
  const held = values('contains')
  return values('not_contains').some(
    (piece) => held.includes(piece) || (prefixes.length > 0 && textFinder(piece)(longest)),
  )
}

function pathsClash(conditions: Condition[], effect: Effect): boolean {
  const bases = (op: 'under' | 'not_under') =>
    conditions.filter((one) => one.op === op).map(({ value }) => readBasePath(value) as FilePath)
  const under = bases('under')
  const form = ignoresForm('under', effect) ? foldPath : (path: FilePath) => path
  // A path can be in several base folders only if these folders are nested. The folder with the longest path is the innermost.
  const longest = under.reduce<FilePath>((one, other) => (other.length > one.length ? other : one), [])
  const deepest = form(longest)
  if (under.some((path) => !isBelow(deepest, form(path)))) return true
  // `under` and `not_under` contradict each other if the folder of `not_under` contains every path that `under` allows. The
  // root folder contains every path. In `allow` rules, `not_under` ignores letter case, so its folder only needs to contain the
  // folder of `under`. In other rules, `under` ignores letter case: the path `/A/x` meets both `under /a` and `not_under /a`.
  const folded = foldPath(longest)
  const isWithin = (base: FilePath) => ignoresForm('not_under', effect) && isBelow(folded, foldPath(base))
  return bases('not_under').some((base) => base.length === 0 || (under.length > 0 && isWithin(base)))
}

function listed(value: unknown): Scalar[] {
  return Array.isArray(value) ? value : [value as Scalar]
}
