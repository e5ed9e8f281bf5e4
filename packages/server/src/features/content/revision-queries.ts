import type { HeldPattern } from '@mandate/contract/content'
import { contentHash } from '@mandate/proofs/canonical'
import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/** A pattern with the hash of its content, by which sets of bindings name it. */
export interface Revision {
  hash: string
  pattern: HeldPattern
}

export const revisionOf = (pattern: HeldPattern): Revision => ({ hash: contentHash(pattern), pattern })

/** Stores patterns that bindings hold. A content that is stored already stays as it is. */
export async function storeRevisions(tx: Tx, revisions: readonly Revision[]): Promise<void> {
  if (revisions.length === 0) return
  const text = `insert into content_pattern_revisions (tenant_id, hash, pattern_id, name, definition)
    select $1, r.hash, r.pattern_id, r.name, r.definition
    from unnest($2::text[], $3::uuid[], $4::text[], $5::jsonb[]) as r (hash, pattern_id, name, definition)
    on conflict do nothing`
  await tx.all(
    raw(text, [
      tx.tenantId,
      revisions.map(({ hash }) => hash),
      revisions.map(({ pattern }) => pattern.id),
      revisions.map(({ pattern }) => pattern.name),
      revisions.map(({ pattern }) => JSON.stringify(pattern)),
    ]),
  )
}

/** Returns patterns by their hashes. */
export async function findRevisions(db: Sql, hashes: readonly string[]): Promise<Map<string, HeldPattern>> {
  if (hashes.length === 0) return new Map()
  const text = `select hash, definition from content_pattern_revisions where tenant_id = $1 and hash = any ($2::text[])`
  const rows = await db.all(raw<{ hash: string; definition: HeldPattern }>(text, [db.tenantId, hashes]))
  return new Map(rows.map(({ hash, definition }) => [hash, definition]))
}

export interface RevisionName {
  id: string
  name: string
}

/** Returns the ids and names of patterns by their hashes, without their content. */
export async function findRevisionNames(db: Sql, hashes: readonly string[]): Promise<Map<string, RevisionName>> {
  if (hashes.length === 0) return new Map()
  const text = `select hash, pattern_id as id, name from content_pattern_revisions
    where tenant_id = $1 and hash = any ($2::text[])`
  const rows = await db.all(raw<RevisionName & { hash: string }>(text, [db.tenantId, hashes]))
  return new Map(rows.map(({ hash, ...named }) => [hash, named]))
}
