import canonicalize from 'canonicalize'
import { sha256 } from '#crypto'

/**
 * The RFC 8785 form of a JSON value. Equal data gives equal text, regardless of the order of keys.
 * @throws for values that JSON cannot represent: undefined, functions, NaN, infinities, unpaired surrogates, cycles
 */
export function canonicalJson(value: unknown): string {
  // Most values that are hashed often are created in canonical order. JSON.stringify is then several times as fast.
  const text = isInOrder(value, mostLevels) ? JSON.stringify(value) : canonicalize(value)
  if (text === undefined) throw new TypeError('the value cannot be written as JSON')
  return text
}

/** SHA-256 over the RFC 8785 form, as 64 lower-case hexadecimal characters. Throws like `canonicalJson`. */
export function contentHash(value: unknown): string {
  return sha256(canonicalJson(value))
}

/** Deeper values, and cycles, are left to `canonicalize`, which is not recursive. */
const mostLevels = 32

/**
 * Whether JSON.stringify writes the value in its RFC 8785 form: keys are sorted, and texts and numbers are valid. False for
 * everything but plain JSON data.
 */
function isInOrder(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'boolean' || value === null) return true
  if (typeof value !== 'object' || levels === 0) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return areInOrder(value as unknown[], levels)
  if (prototype !== Object.prototype) return false
  let before: string | undefined
  for (const key in value) {
    if (before !== undefined && key <= before) return false
    if (!key.isWellFormed() || !isInOrder((value as Record<string, unknown>)[key], levels - 1)) return false
    before = key
  }
  return true
}

function areInOrder(list: readonly unknown[], levels: number): boolean {
  if ('toJSON' in list) return false
  for (let at = 0; at < list.length; at++) if (!isInOrder(list[at], levels - 1)) return false
  return true
}
