import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The RFC 8785 form of a JSON value. Equal data gives equal text, regardless of the order of keys.
 * @throws for values that JSON cannot represent: undefined, functions, NaN, infinities, unpaired surrogates, cycles
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('the value cannot be written as JSON')
  return text
}

/** SHA-256 over the RFC 8785 form, as 64 lower-case hexadecimal characters. Throws like `canonicalJson`. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex')
}
