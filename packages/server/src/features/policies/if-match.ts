import { Refusal } from '../../refusal.ts'

/** Returns the entity tag (`ETag`) of a policy version. */
export const entityTag = (version: number) => `"${version}"`

/**
 * Compares an `If-Match` header with a version. A missing header and `*` always match; a weak or malformed tag never
 * matches.
 * @throws 412 if it does not match
 */
export function requireMatch(ifMatch: string | undefined, version: number, what = 'the policy is'): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (tags.includes(entityTag(version))) return
  const isWeak = tags.includes(`W/${entityTag(version)}`)
  const why = isWeak
    ? '; the weak tag W/"…" does not match: send the tag without W/, and see "Proxies" in docs/operations.md'
    : ''
  throw new Refusal(412, `${what} now at version ${version}${why}`)
}
