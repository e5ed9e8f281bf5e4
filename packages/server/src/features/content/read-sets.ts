import type { ContentBindings, ContentBindingsVersion, ContentBindingsVersionDetail } from '@mandate/contract/content'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Sql } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { type BindingSet, findCurrentSet, findSets, findSetWithPrevious, type SavedSet } from './binding-queries.ts'
import { findRevisionNames, findRevisions, type RevisionName } from './revision-queries.ts'

const nothing: BindingSet = { version: 0, bindings: [], hashes: [] }

/** Returns the current bindings of a policy with the hashes of the patterns that they hold. Version 0 if none were ever saved. */
export async function readSet(db: Sql, policyId: string): Promise<BindingSet> {
  return (await findCurrentSet(db, policyId)) ?? nothing
}

export async function readBindings(db: Sql, policyId: string): Promise<ContentBindings> {
  const { version, bindings } = await readSet(db, policyId)
  return { version, bindings }
}

/** Returns the versions of the bindings of a policy, newest first. Reads no content of patterns. */
export async function listSets(db: Sql, policyId: string, page: { limit: number; offset: number }) {
  const { rows, total } = await findSets(db, policyId, page)
  const answerOf = await versionAnswers(db, rows)
  const data = rows.slice(0, page.limit).map((row, index) => answerOf(row, rows[index + 1]))
  return { data, total, ...page }
}

/** @throws 404 for a version that does not exist */
export async function readSetVersion(
  db: Sql,
  policyId: string,
  version: number,
): Promise<ContentBindingsVersionDetail> {
  const found = await findSetWithPrevious(db, policyId, version)
  const [row, previous] = found
  if (row?.version !== version) throw notFound('version of content bindings')
  const [answerOf, patterns] = await Promise.all([versionAnswers(db, found), findRevisions(db, row.hashes)])
  return { ...answerOf(row, previous), bindings: row.bindings, patterns: inOrder(row.hashes, patterns) }
}

/** Returns the values of keys, in the order of the keys. */
export function inOrder<V>(keys: readonly string[], values: ReadonlyMap<string, V>): V[] {
  return keys.flatMap((key) => values.get(key) ?? [])
}

/** Reads the names of the patterns that differ between sets, and returns a function that describes a set. */
async function versionAnswers(db: Sql, rows: readonly SavedSet[]) {
  const names = await findRevisionNames(db, [...new Set(rows.flatMap(({ hashes }) => hashes))])
  return (row: SavedSet, previous: BindingSet = nothing): ContentBindingsVersion => {
    const { user_id, display_name, email } = row.saved_by
    const { version, saved_at } = row
    const diff = {
      added: without(row.bindings, previous.bindings),
      removed: without(previous.bindings, row.bindings),
      patterns: patternChanges(previous.hashes, row.hashes, names),
    }
    return { version, saved_by: { user_id, display_name, email }, saved_at, diff }
  }
}

/** Returns the values of `these` that `others` does not have, each as often as it has more of them. */
function without<T>(these: readonly T[], others: readonly T[]): T[] {
  const left = others.map((value) => canonicalJson(value))
  return these.filter((value) => {
    const at = left.indexOf(canonicalJson(value))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function patternChanges(
  before: readonly string[],
  after: readonly string[],
  names: ReadonlyMap<string, RevisionName>,
): ContentBindingsVersion['diff']['patterns'] {
  const [old, kept] = [new Set(before), new Set(after)]
  const gone = inOrder(
    before.filter((hash) => !kept.has(hash)),
    names,
  )
  const come = inOrder(
    after.filter((hash) => !old.has(hash)),
    names,
  )
  const [goneIds, comeIds] = [gone, come].map((patterns) => new Set(patterns.map(({ id }) => id)))
  const changed = come.map(({ id, name }) => ({ id, name, change: goneIds?.has(id) ? 'changed' : 'added' }) as const)
  const removed = gone
    .filter(({ id }) => !comeIds?.has(id))
    .map(({ id, name }) => ({ id, name, change: 'removed' }) as const)
  return [...changed, ...removed]
}
