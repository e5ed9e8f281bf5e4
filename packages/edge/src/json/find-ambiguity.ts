import { isExactNumber } from '@mandate/contract/fields/is-exact-number'

/** The reason why a JSON text is refused before it is parsed: parsers could read it in different ways, or it is too large. */
export type Ambiguity = 'repeated_key' | 'inexact_number' | 'too_deep' | 'too_many'

/** Limits on the structure of a JSON text. */
export interface JsonLimits {
  /** Maximum levels of nesting. */
  readonly depth: number
  /** Maximum number of keys in all objects together. */
  readonly keys?: number
  /** Maximum number of values in all arrays and objects together. */
  readonly values?: number
  /** Maximum number of entries in one array or object. */
  readonly entries?: number
  /** True to accept numbers that a double cannot represent exactly. */
  readonly anyNumber?: boolean
}

interface Container {
  /** The keys of the object so far. Null for an array. */
  readonly keys: Set<string> | null
  entries: number
}

const quote = 0x22
const backslash = 0x5c
const isDigitOrMinus = (code: number) => (code >= 0x30 && code <= 0x39) || code === 0x2d

/**
 * Searches a JSON text for content that two parsers could read differently: a key that an object has twice, or a number that
 * a double cannot represent exactly (see `isExactNumber`). Also checks `limits`. Reads the text once, without recursion, and
 * stops at the limits, so it can run before `JSON.parse`. If the text is not JSON, the result has no meaning. Calls `onNumber` with
 * each number as it is written.
 */
export function findAmbiguity(
  text: string,
  limits: JsonLimits,
  onNumber: (digits: string) => void = () => {},
): Ambiguity | null {
  const { depth, keys: mostKeys = Infinity, values: mostValues = Infinity, entries: mostEntries = Infinity } = limits
  const open: Container[] = []
  let container: Container | undefined
  let keys = 0
  let values = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (container?.keys && isFollowedByColon(text, end)) {
        const key = readKey(text.slice(at, end))
        if (container.keys.has(key)) return 'repeated_key'
        container.keys.add(key)
        if (++keys > mostKeys) return 'too_many'
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      if (open.length === depth) return 'too_deep'
      if (++values > mostValues) return 'too_many'
      container = { keys: code === 0x7b ? new Set() : null, entries: 1 }
      open.push(container)
      at++
    } else if (code === 0x7d || code === 0x5d) {
      open.pop()
      container = open.at(-1)
      at++
    } else if (code === 0x2c) {
      if (++values > mostValues || (container && ++container.entries > mostEntries)) return 'too_many'
      at++
    } else if (isDigitOrMinus(code)) {
      const end = endOfNumber(text, at)
      const digits = text.slice(at, end)
      if (!limits.anyNumber && !isExactNumber(digits)) return 'inexact_number'
      onNumber(digits)
      at = end
    } else {
      at++
    }
  }
  return null
}

/** Returns the index after a string, or the end of the text if the string does not end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}

export function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return text.charAt(at) === ':'
}

/** Decodes the key of a JSON object. Returns the key unchanged if it is not a valid JSON string. */
export function readKey(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && '0123456789+-.eE'.includes(text.charAt(end))) end++
  return end
}
