import type { ContentRules } from '@mandate/content/definition'
import type { ContentBinding } from '@mandate/contract/content'
import type { Sql } from '../../db/database.ts'
import { contentRules } from './profile-content.ts'
import { inOrder, readSet } from './read-sets.ts'
import { findRevisions } from './revision-queries.ts'
import { checkReferences, heldByBindings, heldOfTenant } from './save-sets.ts'

/** Returns the stored content rules of a policy; null if none were ever saved. */
export async function storedRules(db: Sql, policyId: string): Promise<ContentRules | null> {
  const { version, bindings, hashes } = await readSet(db, policyId)
  if (version === 0) return null
  return contentRules(version, bindings, inOrder(hashes, await findRevisions(db, hashes)))
}

/**
 * Returns the content rules that bindings would make. `path` is the place of the bindings in the request.
 * @throws 400 for a pattern or a group that does not exist
 */
export async function candidateRules(
  db: Sql,
  bindings: readonly ContentBinding[],
  path: string,
): Promise<ContentRules> {
  const all = await heldOfTenant(db)
  checkReferences(bindings, all, path)
  return contentRules(0, bindings, heldByBindings(bindings, all))
}
