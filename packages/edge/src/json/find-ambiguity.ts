import { isExactNumber } from './is-exact-number.ts'

/** What makes a JSON text mean different things to different readers, and where it was found. */
export type Ambiguity = 'repeated_key' | 'inexact_number' | 'too_deep'

const quote = 0x22
const backslash = 0x5c
const isDigitOrMinus = (code: number) => (code >= 0x30 && code <= 0x39) || code === 0x2d

/**
 * Looks through a text that `JSON.parse` has accepted for what another parser could read differently: an object with a key
 * twice, a number that a double does not carry exactly (see `isExactNumber`), or nesting beyond `maxDepth` levels.
 * One pass, no recursion.
 */
export function findAmbiguity(text: string, maxDepth: number): Ambiguity | null {
  // The keys of each open object, innermost last; null for an array.
  const open: (Set<string> | null)[] = []
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      const keys = open.at(-1)
      if (keys && isFollowedByColon(text, end)) {
        const key = readKey(text.slice(at, end))
        if (keys.has(key)) return 'repeated_key'
        keys.add(key)
      }
      at = end
    } else if (code === 0x7b || code === 0x5b) {
      if (open.length === maxDepth) return 'too_deep'
      open.push(code === 0x7b ? new Set() : null)
      at++
    } else if (code === 0x7d || code === 0x5d) {
      open.pop()
      at++
    } else if (isDigitOrMinus(code)) {
      const end = endOfNumber(text, at)
      if (!isExactNumber(text.slice(at, end))) return 'inexact_number'
      at = end
    } else {
      at++
    }
  }
  return null
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++
  return backslashes % 2 === 1
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return text.charAt(at) === ':'
}

function readKey(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && '0123456789+-.eE'.includes(text.charAt(end))) end++
  return end
}
