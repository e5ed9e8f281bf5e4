import { isUtf8 } from 'node:buffer'
import type { ContentSide } from '../definition.ts'

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** The kind of data in base64 that stands beside its media type. */
export type EmbeddedKind =
  /** A text in base64. The decoded text is inspected. If `isWritten` is true, the string itself is inspected too. */
  | { kind: 'text'; text: string; isWritten: boolean }
  /** Not text, such as an image. It is not inspected. */
  | { kind: 'binary' }
  /** It says that it is text, but is not. */
  | { kind: 'broken'; reason: string }
  /** Not base64. The string itself is inspected. */
  | { kind: 'plain' }

const textTypes =
  /^(?:text\/|application\/(?:[a-z0-9.+-]*(?:json|xml|yaml|javascript|ecmascript|graphql|sql|x-sh|x-www-form-urlencoded|toml|csv))|image\/svg\+xml|[a-z]+\/[a-z0-9.-]+\+(?:json|xml|yaml))/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const base64ForAddresses = /^[A-Za-z0-9_-]*={0,2}$/
/** Encoders wrap lines at 64 characters for PEM and 76 for MIME, and seldom at fewer than 56. Words are shorter. */
const shortestLine = 40
/** The character sets in which the bytes of ASCII and of UTF-8 are the same text. */
const readableSets = /^(?:utf-?8|us-ascii|ascii)$/i
/** How much of a long string is decoded to find out what it is. */
const sampled = 65_536

/**
 * Decides what the field `name` of an object is. The fields `blob` and `data` of MCP hold base64 if the object has a media type. Each tool gives its
 * arguments a meaning of its own, so in arguments the string itself is always inspected too.
 */
export function embeddedKind(
  name: string,
  value: string,
  owner: { readonly [key: string]: JsonValue },
  side: ContentSide,
): EmbeddedKind {
  if (name !== 'blob' && name !== 'data') return { kind: 'plain' }
  const { type } = owner
  const mimeType = typeof owner.mimeType === 'string' ? owner.mimeType.trim() : owner.mimeType
  const isText = typeof mimeType === 'string' && textTypes.test(mimeType)
  const isArgument = side === 'arguments'
  // Readers of base64 accept white space, and the alphabet for addresses.
  const compact = value.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')
  if (!base64.test(compact)) {
    const isContent = name === 'blob' && (typeof mimeType === 'string' || typeof owner.uri === 'string')
    return !isArgument && (isText || isContent) ? { kind: 'broken', reason: 'it is not base64' } : { kind: 'plain' }
  }
  const isTyped = typeof mimeType === 'string' || typeof owner.uri === 'string' || type === 'image' || type === 'audio'
  const isEncoded = isSurelyBase64(value)
  const isWritten = isArgument || !isTyped || !isEncoded
  if (isText) {
    if (!hasReadableSet(mimeType)) return { kind: 'broken', reason: 'a text is not in UTF-8' }
    const bytes = Buffer.from(compact, 'base64')
    // UTF-16 without its name is valid UTF-8 with NUL characters.
    if (!isUtf8(bytes) || bytes.includes(0)) return { kind: 'broken', reason: 'a text is not in UTF-8' }
    return { kind: 'text', text: bytes.toString('utf8'), isWritten }
  }
  if (isProbablyText(compact)) return { kind: 'text', text: Buffer.from(compact, 'base64').toString('utf8'), isWritten }
  return { kind: !isArgument && isTyped && isEncoded && isLongContent(name, value, owner) ? 'binary' : 'plain' }
}

/**
 * Whether an encoder of base64 wrote the value. Words with white space, `-` or `_` between them may decode to a text too. A long value without white
 * space has no words, so it may lack its padding or be in the alphabet for addresses.
 */
function isSurelyBase64(value: string): boolean {
  const lines = value.trim().split(/\r?\n/)
  const text = lines.join('')
  const last = lines.pop() as string
  const width = lines[0]?.length ?? Number.POSITIVE_INFINITY
  const isWrapped = lines.length > 0
  if (width < shortestLine || last.length > width || lines.some((line) => line.length !== width)) return false
  const isLong = text.length > sampled
  if (!base64.test(text) && (isWrapped || !isLong || !base64ForAddresses.test(text))) return false
  return text.length % 4 === 0 || (isLong && text.length % 4 !== 1 && !text.endsWith('='))
}

/** True for a long value that only its decoder can read. Short values and those without a `mimeType` or `uri` beside them are searched. */
function isLongContent(name: string, value: string, owner: { readonly [key: string]: JsonValue }): boolean {
  if (value.length <= sampled) return false
  return typeof owner.mimeType === 'string' || (name === 'blob' ? typeof owner.uri === 'string' : true)
}

function hasReadableSet(mimeType: string): boolean {
  const named = /;\s*charset\s*=\s*["']?([^"';\s]*)/i.exec(mimeType)
  return named === null || readableSets.test(named[1] as string)
}

// Data without the media type of a text is inspected if it is text nevertheless.
function isProbablyText(value: string): boolean {
  const bytes = Buffer.from(value.slice(0, sampled), 'base64')
  if (bytes.includes(0)) return false
  // The sample may end within a character.
  return [0, 1, 2, 3].some((cut) => bytes.length > cut && isUtf8(bytes.subarray(0, bytes.length - cut)))
}
