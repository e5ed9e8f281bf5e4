import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The RFC 8785 form of a JSON value: the same text for the same data, whatever the order of its keys.
 * @throws on what JSON cannot hold: undefined, functions, NaN, infinities, lone surrogates, cycles.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('value has no JSON form')
  return text
}

/** SHA-256 over the RFC 8785 form, as 64 lower-case hexadecimal characters. Throws as `canonicalJson` does. */
export function contentHash(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex')
}
