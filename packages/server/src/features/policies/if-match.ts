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
  if (!tags.includes(entityTag(version))) throw new Refusal(412, `${what} now at version ${version}`)
}
