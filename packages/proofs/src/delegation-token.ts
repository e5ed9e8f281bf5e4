import { canonicalJson } from './canonical.ts'

const prefix = 'md_'
/** The longest token that is read: five delegations with 100 patterns each are shorter. */
export const longestToken = 262_144

/** Returns the token that carries a signed delegation: a prefix, and the canonical JSON in base64url. */
export function delegationToken(document: object): string {
  return prefix + Buffer.from(canonicalJson(document)).toString('base64url')
}

/**
 * Returns the document that a token carries, without checking its signature; null for any other text. A document has exactly one token, so a
 * changed character never gives the same document.
 */
export function readDelegationToken(token: string): Record<string, unknown> | null {
  if (!token.startsWith(prefix) || token.length > longestToken) return null
  try {
    const document: unknown = JSON.parse(Buffer.from(token.slice(prefix.length), 'base64url').toString('utf8'))
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return null
    return delegationToken(document) === token ? (document as Record<string, unknown>) : null
  } catch {
    return null
  }
}
