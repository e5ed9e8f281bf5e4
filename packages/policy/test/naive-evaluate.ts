import { posix } from 'node:path'
import type { Call, Condition, Effect, PolicyDocument, Rule } from '../src/types.ts'

// A second implementation of the evaluation, simple instead of fast. Tests compare the two implementations.

export function naiveMatches(pattern: string, tool: string): boolean {
  if (pattern === '*') return true
  const source = pattern.replace(/[.\\/-]/g, '\\$&').replaceAll('*', '[^/]*')
  return new RegExp(`^${source}$`).test(tool)
}

export function naiveEvaluate(policy: PolicyDocument, call: Call): { effect: Effect; rule_id: string | null } {
  const matching = policy.rules
    .filter((rule) => rule.enabled && ruleMatches(rule, call))
    .sort((a, b) => a.priority - b.priority)
  const rule = matching.find(({ effect }) => effect === 'deny') ?? matching[0]
  return rule ? { effect: rule.effect, rule_id: rule.id } : { effect: policy.default_effect, rule_id: null }
}

function ruleMatches(rule: Rule, call: Call): boolean {
  if (!rule.match.tools.some((pattern) => naiveMatches(pattern, call.tool))) return false
  const outcomes = rule.match.when.map((condition) => naiveCondition(condition, call, rule.effect))
  const asksArguments = rule.match.when.some((condition) => condition.path.startsWith('args.'))
  const undeclared = Object.keys(call.args as object).filter(
    (name) => call.declaredArgs && !call.declaredArgs.has(name),
  )
  if (outcomes.includes('error') || (asksArguments && undeclared.length > 0)) return rule.effect !== 'allow'
  return outcomes.every((outcome) => outcome === true) && naiveLimit(rule, call)
}

function naiveLimit({ id, limit }: Rule, { uses }: Call): boolean {
  if (!limit) return true
  const used = uses?.get(id)
  return used !== undefined && used < limit.count
}

function naiveCondition({ path, op, value, absent }: Condition, call: Call, effect: Effect): boolean | 'error' {
  const named = /^(mcp|fn|http|model|resource|prompt):([^/]*)\/([^/]*)$/.exec(call.tool)
  const parts = named ? { kind: named[1], namespace: named[2], operation: named[3] } : {}
  const [root, key] = path.split('.') as [string, string]
  const tool = { name: call.tool, ...parts, ...call.inventory }
  const holder = ({ ...call, tool }[root] ?? {}) as Record<string, unknown>
  const present = Object.keys(holder).includes(key)
  if (op === 'exists') return present === value
  if (!present) return absent ?? 'error'
  const actual = holder[key]
  if (op === 'under') return naiveUnder(actual, value as string, effect !== 'allow')
  if (op === 'not_under') return flip(naiveUnder(actual, value as string, effect === 'allow'))
  if (op === 'has_not') return flip(naiveCondition({ path, op: 'has', value }, call, effect))
  if (op === 'has') return actual instanceof Set ? [...actual].includes(value) : 'error'
  if (op.startsWith('not_')) {
    return flip(naiveCondition({ path, op: op.slice(4) as Condition['op'], value }, call, effect))
  }
  const type = typeOf(actual)
  const wanted = Array.isArray(value) ? value : [value]
  if (op === 'contains' && type === 'array') {
    const list = actual as unknown[]
    if (list.some((element) => element === value)) return true
    return list.some((element) => typeOf(element) !== typeOf(value)) ? 'error' : false
  }
  if (!['string', 'number', 'boolean'].includes(type) || !wanted.some((one) => typeOf(one) === type)) return 'error'
  if (['contains', 'starts_with'].includes(op) && type !== 'string') return 'error'
  switch (op) {
    case 'eq':
      return actual === value
    case 'ne':
      return actual !== value
    case 'gt':
      return (actual as number) > (value as number)
    case 'gte':
      return (actual as number) >= (value as number)
    case 'lt':
      return (actual as number) < (value as number)
    case 'lte':
      return (actual as number) <= (value as number)
    case 'in':
      return wanted.includes(actual)
    case 'contains':
      return (actual as string).split(value as string).length > 1
    case 'starts_with':
      return (actual as string).slice(0, (value as string).length) === value
    default:
      throw new Error(`no such operator: ${op}`)
  }
}

// A simple version of `under`. It is correct only for the paths that the property tests generate: ASCII text, and no URLs.
function naiveUnder(actual: unknown, base: string, ignoresCase: boolean): boolean | 'error' {
  const paths = Array.isArray(actual) ? actual : [actual]
  if (!paths.every((path) => typeof path === 'string' && path.startsWith('/'))) return 'error'
  const plain = (path: string) => {
    const resolved = posix.normalize(`${path}/`)
    return ignoresCase ? resolved.toLowerCase() : resolved
  }
  const inside = paths.filter((path) => plain(path).startsWith(plain(base)))
  if (paths.length === 0 || (inside.length > 0 && inside.length < paths.length)) return 'error'
  return inside.length > 0
}

function flip(outcome: boolean | 'error'): boolean | 'error' {
  return outcome === 'error' ? outcome : !outcome
}

function typeOf(value: unknown): string {
  if (value === null || Number.isNaN(value) || value instanceof Set) return 'nothing'
  return Array.isArray(value) ? 'array' : typeof value
}
