import type { Sql, Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

// Rows are locked in one order, so that requests about the same agents cannot deadlock. An agent may have been deleted since it was read.
const insertFirst = `insert into agent_profiles (tenant_id, agent_id, profile_hash, profile_seq)
  select $1, a.id, '', 0 from agents a where a.tenant_id = $1 and a.id = any($2::uuid[]) order by a.id
  on conflict (tenant_id, agent_id) do nothing`
const lockGiven = `select agent_id from agent_profiles where tenant_id = $1 and agent_id = any($2::uuid[]) order by agent_id for update`

/**
 * Locks the rows that store the hashes and the sequence numbers of the last profiles of agents. So requests for the profiles of an agent run
 * one at a time. The caller reads the profiles after the lock, so they are not older than those of the previous request.
 */
export async function lockGivenProfiles(tx: Tx, agentIds: readonly string[]): Promise<void> {
  await Promise.all([
    tx.all(raw(insertFirst, [tx.tenantId, agentIds])),
    tx.all(raw(lockGiven, [tx.tenantId, agentIds])),
  ])
}

interface NewlyGiven {
  agentId: string
  hash: string
  drillId: string | null
}

const storeGiven = `update agent_profiles f set profile_hash = n.hash, profile_seq = f.profile_seq + 1, drill_id = n.drill_id
  from unnest($2::uuid[], $3::text[], $4::uuid[]) as n (agent_id, hash, drill_id)
  where f.tenant_id = $1 and f.agent_id = n.agent_id
  returning f.agent_id as "agentId", f.profile_seq as seq`

/** Stores the hashes of the current profiles of agents and the newest drills. Returns the new sequence numbers. */
export function storeGivenProfiles(tx: Tx, profiles: readonly NewlyGiven[]) {
  const column = (of: (profile: NewlyGiven) => string | null) => profiles.map(of)
  return tx.all(
    raw<{ agentId: string; seq: number }>(storeGiven, [
      tx.tenantId,
      column(({ agentId }) => agentId),
      column(({ hash }) => hash),
      column(({ drillId }) => drillId),
    ]),
  )
}

// The size of a version is known only after it is read from its storage. So the recursion reads one version after the other, and stops.
const snapshots = `with recursive taken as (
    select 0 as place, null::uuid as policy_id, null::int as version, 0::bigint as bytes, 0::bigint as total
    union all
    select t.place + 1, n.policy_id, n.version, s.bytes, t.total + s.bytes
    from taken t
    cross join lateral (select ($2::uuid[])[t.place + 1] as policy_id, ($3::int[])[t.place + 1] as version) n
    cross join lateral (select coalesce((select octet_length(v.snapshot::text) from policy_versions v
      where v.tenant_id = $1 and v.policy_id = n.policy_id and v.version = n.version), 0)::bigint as bytes) s
    where t.place < cardinality($2::uuid[]) and t.total < $4::bigint)
  select v.policy_id as "policyId", v.version, v.snapshot, t.bytes::int as bytes from taken t
  join policy_versions v on v.tenant_id = $1 and v.policy_id = t.policy_id and v.version = t.version`

export interface Snapshot {
  policyId: string
  version: number
  snapshot: Record<string, unknown>
  /** Length of the snapshot as JSON. */
  bytes: number
}

/**
 * Returns the contents of policy versions, in the given order, until they have `mostBytes` bytes together. The last of them may exceed this.
 * Their content never changes.
 */
export function findSnapshots(
  db: Sql,
  versions: readonly { policyId: string; version: number }[],
  mostBytes: number,
): Promise<Snapshot[]> {
  const ids = versions.map(({ policyId }) => policyId)
  const numbers = versions.map(({ version }) => version)
  return db.all(raw<Snapshot>(snapshots, [db.tenantId, ids, numbers, mostBytes]))
}
