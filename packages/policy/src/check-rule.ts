import { isRecord } from '@mandate/contract/fields/is-record'
import { conditionOperators, effects, mostUses, mostWindowS } from '@mandate/contract/words/policy-words'
import { absentFault, valueFault } from './condition.ts'
import { isCount } from './limit.ts'
import { parsePath } from './path.ts'
import { parsePattern } from './pattern.ts'
import type { Condition, Operator } from './types.ts'

/** An error in a policy. `path` names the field, such as `rules[0].match.tools[2]`. */
export type PolicyFault = { path: string; message: string }

const maxPatterns = 100
const maxConditions = 50
const priorityLimit = 2_147_483_647

/**
 * Lists the errors in the structure of one rule. Never throws, whatever the value is. Accepts a rule without `id`, `name`, `enabled`,
 * `reason`, `limit` or `match.when`, because these fields get values when the policy is saved.
 * @param index position in `rules`
 */
export function checkRule(rule: unknown, index: number): PolicyFault[] {
  const at = `rules[${index}]`
  if (!isRecord(rule)) return [{ path: at, message: 'must be an object' }]
  const faults: PolicyFault[] = []
  const expect = (holds: boolean, field: string, message: string) => {
    if (!holds) faults.push({ path: `${at}.${field}`, message })
  }
  const { id, name, priority, enabled, effect, reason } = rule
  expect(id === undefined || (typeof id === 'string' && id !== ''), 'id', 'must be a non-empty string')
  expect(name === undefined || isText(name, 200), 'name', 'must be a string of at most 200 characters')
  expect(isPriority(priority), 'priority', `must be a whole number from -${priorityLimit} to ${priorityLimit}`)
  expect(enabled === undefined || typeof enabled === 'boolean', 'enabled', 'must be true or false')
  expect(includes(effects, effect), 'effect', `must be one of ${effects.join(', ')}`)
  expect(reason === undefined || isText(reason, 2000), 'reason', 'must be a string of at most 2000 characters')
  return [...faults, ...checkMatch(rule.match, `${at}.match`), ...checkLimit(rule.limit, effect, `${at}.limit`)]
}

/** Whether the value is a string of at most `limit` Unicode code points. */
export function isText(value: unknown, limit: number): value is string {
  return typeof value === 'string' && (value.length <= limit || [...value].length <= limit)
}

export function includes(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value)
}

function checkMatch(match: unknown, at: string): PolicyFault[] {
  if (!isRecord(match)) return [{ path: at, message: 'must be an object' }]
  return [...checkTools(match.tools, `${at}.tools`), ...checkConditions(match.when, `${at}.when`)]
}

function checkTools(tools: unknown, at: string): PolicyFault[] {
  if (!Array.isArray(tools) || tools.length === 0 || tools.length > maxPatterns) {
    return [{ path: at, message: `must be a list of 1 to ${maxPatterns} tool patterns` }]
  }
  return tools.flatMap((text, index) => {
    const parsed = parsePattern(text)
    return parsed.ok ? [] : [{ path: `${at}[${index}]`, message: `is not a tool pattern: it ${parsed.error}` }]
  })
}

function checkConditions(when: unknown, at: string): PolicyFault[] {
  if (when === undefined) return []
  if (!Array.isArray(when) || when.length > maxConditions) {
    return [{ path: at, message: `must be a list of at most ${maxConditions} conditions` }]
  }
  return when.flatMap((condition, index) => checkCondition(condition, `${at}[${index}]`))
}

function checkCondition(condition: unknown, at: string): PolicyFault[] {
  if (!isRecord(condition)) return [{ path: at, message: 'must be an object' }]
  const faults: PolicyFault[] = []
  if (parsePath(condition.path) === null) {
    const message =
      'must begin with args., agent., environment., session. or tool., with names separated by single dots'
    faults.push({ path: `${at}.path`, message })
  }
  if (!includes(conditionOperators, condition.op)) {
    faults.push({ path: `${at}.op`, message: `must be one of ${conditionOperators.join(', ')}` })
  } else {
    const fault = valueFault(condition.op as Operator, condition.value)
    if (fault !== null) faults.push({ path: `${at}.value`, message: `${fault} for ${condition.op}` })
  }
  const absent = absentFault(condition as Condition)
  if (absent !== null) faults.push({ path: `${at}.absent`, message: absent })
  return faults
}

function checkLimit(limit: unknown, effect: unknown, at: string): PolicyFault[] {
  if (limit === undefined || limit === null) return []
  if (effect !== 'allow') {
    return [{ path: at, message: 'is only for rules with the effect allow: set limit to null, or the effect to allow' }]
  }
  if (!isRecord(limit)) return [{ path: at, message: 'must be an object with count and window_s, or null' }]
  const bounds = { count: mostUses, window_s: mostWindowS }
  return Object.entries(bounds).flatMap(([field, most]) =>
    isCount(limit[field], most)
      ? []
      : [{ path: `${at}.${field}`, message: `must be a whole number from 1 to ${most}` }],
  )
}

function isPriority(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= priorityLimit
}
