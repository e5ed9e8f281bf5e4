import { Refusal } from '../../refusal.ts'

/** The entity tag of a policy at a version. */
export const entityTag = (version: number) => `"${version}"`

/**
 * Holds an `If-Match` header against the policy's version. Absent, or `*`, it holds always; a weak or malformed tag never.
 * @throws 412 when the policy has moved on
 */
export function requireMatch(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (!tags.includes(entityTag(version))) throw new Refusal(412, `the policy has moved on to version ${version}`)
}
