import type { ContentBinding } from '@mandate/contract/content'
import type { PolicyVersion } from '@mandate/contract/policies/policies'
import type { Sql, Tx } from '../../db/database.ts'
import { countBounded } from '../../db/lists/bounded-count.ts'
import { raw, sql } from '../../db/statements/statement.ts'

/** The bindings of a policy, and the hashes of the tenant's patterns that they hold (`Revision`). */
export interface BindingSet {
  version: number
  bindings: ContentBinding[]
  hashes: string[]
}

const current = `select p.bindings_version as version, coalesce(v.bindings, '[]') as bindings,
    coalesce(v.pattern_hashes, '{}') as hashes
  from policies p left join content_bindings_versions v
    on v.tenant_id = p.tenant_id and v.policy_id = p.id and v.version = p.bindings_version
  where p.tenant_id = $1 and p.id = $2`

export function findCurrentSet(db: Sql, policyId: string) {
  return db.maybe(raw<BindingSet>(current, [db.tenantId, policyId]))
}

export interface BoundPolicy {
  id: string
  name: string
  environment_id: string | null
  version: number
  bindings: ContentBinding[]
}

const boundPolicies = (columns: string) => `select ${columns}
  from policies p join content_bindings_versions v
    on v.tenant_id = p.tenant_id and v.policy_id = p.id and v.version = p.bindings_version
  where p.tenant_id = $1 and jsonb_array_length(v.bindings) > 0 and exists (
    select from jsonb_array_elements(v.bindings) b where b ->> 'pattern_id' = $2 or b ->> 'group' = any ($3::text[]))`

/** Returns the ids and names of some policies whose current bindings name a pattern or one of the groups, and how many there are. */
export async function findBoundNames(db: Sql, patternId: string, groups: readonly string[], most: number) {
  const text = `${boundPolicies('p.name, count(*) over ()::int as total')} order by p.id limit $4`
  const rows = await db.all(raw<{ name: string; total: number }>(text, [db.tenantId, patternId, groups, most]))
  return { names: rows.map(({ name }) => name), total: rows[0]?.total ?? 0 }
}

/** Returns the next policies whose current bindings name a pattern or one of the groups, after the id `after`. */
export function findBoundPolicies(
  db: Sql,
  { patternId, groups, after, most }: { patternId: string; groups: readonly string[]; after: string; most: number },
): Promise<BoundPolicy[]> {
  const columns = 'p.id, p.name, p.environment_id, p.bindings_version as version, v.bindings'
  const text = `${boundPolicies(columns)} and p.id > $4 order by p.id limit $5`
  return db.all(raw<BoundPolicy>(text, [db.tenantId, patternId, groups, after, most]))
}

/** Locks the policies whose bindings hold a pattern or a group, in one order. */
export async function lockPoliciesWithSet(tx: Tx, patternId: string, groups: readonly string[]): Promise<void> {
  const text = `select p.id from policies p where p.tenant_id = $1 and p.id in (
      ${boundPolicies('p.id')}) order by p.id for update`
  await tx.all(raw(text, [tx.tenantId, patternId, groups]))
}

export interface NewBindingSet extends BindingSet {
  policyId: string
  contentHash: string
  savedBy: PolicyVersion['saved_by']
  savedAt: string
}

const insertSets = `insert into content_bindings_versions
    (tenant_id, policy_id, version, bindings, pattern_hashes, content_hash, saved_by, saved_at)
  select $1, s.policy_id, s.version, s.bindings, array(select jsonb_array_elements_text(s.hashes)), s.content_hash, $7::jsonb,
    $8::timestamptz
  from unnest($2::uuid[], $3::int[], $4::jsonb[], $5::jsonb[], $6::text[]) as s (policy_id, version, bindings, hashes, content_hash)`
const updatePolicies = `update policies p set bindings_version = s.version, bindings_hash = s.content_hash
  from unnest($2::uuid[], $3::int[], $4::text[]) as s (policy_id, version, content_hash)
  where p.tenant_id = $1 and p.id = s.policy_id`

/** Stores the next versions of the bindings of policies. All are saved by the same person at the same time. */
export async function storeSets(tx: Tx, sets: readonly [NewBindingSet, ...NewBindingSet[]]): Promise<void> {
  const [{ savedBy, savedAt }] = sets
  const ids = sets.map(({ policyId }) => policyId)
  const versions = sets.map(({ version }) => version)
  const contentHashes = sets.map(({ contentHash }) => contentHash)
  const json = (of: (set: NewBindingSet) => unknown) => sets.map((set) => JSON.stringify(of(set)))
  const bindings = json((set) => set.bindings)
  const hashes = json((set) => set.hashes)
  const saved = [JSON.stringify(savedBy), savedAt]
  await Promise.all([
    tx.all(raw(insertSets, [tx.tenantId, ids, versions, bindings, hashes, contentHashes, ...saved])),
    tx.all(raw(updatePolicies, [tx.tenantId, ids, versions, contentHashes])),
  ])
}

export interface SavedSet extends BindingSet {
  saved_by: PolicyVersion['saved_by']
  saved_at: string
}

const versionsOf = (db: Sql, policyId: string) =>
  sql.selectFrom('content_bindings_versions').where('tenant_id', '=', db.tenantId).where('policy_id', '=', policyId)
const columns = ['version', 'bindings', 'pattern_hashes as hashes', 'saved_by', 'saved_at'] as const

/** Returns versions, newest first, and the version before the last of them, for its difference. */
export async function findSets(db: Sql, policyId: string, { limit, offset }: { limit: number; offset: number }) {
  const page = versionsOf(db, policyId)
    .select(columns)
    .orderBy('version', 'desc')
    .limit(limit + 1)
    .offset(offset)
  const [rows, total] = await Promise.all([db.all(page), countBounded(db, versionsOf(db, policyId))])
  return { rows: rows as SavedSet[], total }
}

/** Returns a version and the version before it. */
export async function findSetWithPrevious(db: Sql, policyId: string, version: number): Promise<SavedSet[]> {
  const text = `select ${columns.join(', ')} from content_bindings_versions
    where tenant_id = $1 and policy_id = $2 and version in ($3, $4) order by version desc`
  return await db.all(raw<SavedSet>(text, [db.tenantId, policyId, version, version - 1]))
}

/** Returns the bindings of policies at a version, for profiles. */
export function findSetsAt(db: Sql, keys: readonly { policyId: string; version: number }[]) {
  const text = `select v.policy_id as "policyId", v.version, v.bindings, v.pattern_hashes as hashes
    from unnest($2::uuid[], $3::int[]) as k (policy_id, version)
    join content_bindings_versions v on v.tenant_id = $1 and v.policy_id = k.policy_id and v.version = k.version`
  const ids = keys.map(({ policyId }) => policyId)
  const versions = keys.map(({ version }) => version)
  return db.all(raw<BindingSet & { policyId: string }>(text, [db.tenantId, ids, versions]))
}
