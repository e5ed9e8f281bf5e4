import { canonicalJson } from './canonical.ts'
import { closesOnError, compileRule } from './compile-rule.ts'
import { compileCondition, valueFault } from './condition.ts'
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
  if (!wide.when.every((sought) => narrow.when.some((known) => impliesCondition(known, sought)))) return false
  if (!closesOnError(narrow.effect)) return true
  // The narrow rule also matches on an error, and then the wide one must err, and match for it, too.
  const domains = new Set(closesOnError(wide.effect) ? wide.when.filter(canErr).map(errorDomain) : [])
  return narrow.when.filter(canErr).every((condition) => domains.has(errorDomain(condition)))
}

/** Whether `sought` holds wherever `known` does. Both are well formed. */
function impliesCondition(known: Condition, sought: Condition): boolean {
  if (known.path !== sought.path) return false
  if (known.op === sought.op && canonicalJson(known.value) === canonicalJson(sought.value)) return true
  if (sought.op === 'exists') return sought.value === true && known.op !== 'exists'
  if (known.op === 'eq' || known.op === 'in') return listed(known.value).every((value) => holdsFor(sought, value))
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
        errorDomain(known) === errorDomain(sought) &&
        listed(sought.value).every((value) => listed(known.value).includes(value))
      )
    case 'starts_with starts_with':
      return (known.value as string).startsWith(sought.value as string)
    default:
      return false
  }
}

function holdsFor(condition: Condition, value: unknown): boolean {
  const { test } = compileCondition({ ...condition, path: 'args.value' })
  return test({ args: { value }, agent: null, environment: null, tool: null }) === true
}

function canErr({ op }: Condition): boolean {
  return op !== 'exists'
}

// Two conditions of one domain are in error for exactly the same calls.
function errorDomain({ path, op, value }: Condition): string {
  if (op === 'contains' || op === 'not_contains') return canonicalJson([path, op, value])
  return canonicalJson([path, [...new Set(listed(value).map((element) => typeof element))].sort()])
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}
