import type { Condition, Value } from '../document/document.ts'
import { isExact } from '../document/exact-json.ts'

const listOperators: ReadonlySet<string> = new Set(['in', 'not_in'])

/**
 * Reads the value that a person typed into a condition. Digits become a number, and `true` and `false` become booleans. Everything else is
 * text, also a number that JavaScript would round. For `in`, returns a list.
 */
export function readValue(text: string, op: Condition['op']): Value {
  if (!listOperators.has(op)) return readScalar(text)
  return splitList(text).map(readScalar)
}

/** Writes a value so that `readValue` reads the same value. */
export function valueText(value: Value): string {
  return Array.isArray(value) ? value.map((part) => scalarText(part, true)).join(', ') : scalarText(value, false)
}

function readScalar(text: string): string | number | boolean {
  const trimmed = text.trim()
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$|^true$|^false$|^"(?:[^"\\]|\\.)*"$/.test(trimmed)) {
    try {
      const value = JSON.parse(trimmed) as string | number | boolean
      return typeof value === 'number' && !isExact(value, trimmed) ? trimmed : value
    } catch {
      // A text in quotes with a broken escape is taken as it is.
    }
  }
  return trimmed
}

function scalarText(value: string | number | boolean, isPart: boolean): string {
  if (typeof value !== 'string') return String(value)
  const isPlain = readScalar(value) === value && !(isPart && (value.includes(',') || value === ''))
  return isPlain ? value : JSON.stringify(value)
}

/** Splits at commas that are not in quotes. */
const splitList = (text: string) =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '')

/** Tool patterns, separated by commas or white space. */
export const readTools = (text: string) => text.split(/[\s,]+/).filter((tool) => tool !== '')

/**
 * For each condition of the draft, returns the saved value as text. Undefined if the value is unchanged, or if the saved condition with the same
 * index has another path or operator.
 */
export function savedValues(draft: readonly Condition[], saved: readonly Condition[]): (string | undefined)[] {
  return draft.map(({ path, op, value }, index) => {
    const before = saved[index]
    if (before?.path !== path || before.op !== op) return undefined
    const text = valueText(before.value)
    return text === valueText(value) ? undefined : text
  })
}
