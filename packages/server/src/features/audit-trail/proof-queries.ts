import type { Sql } from '../../db/database.ts'
import { lowestIdAtTime } from '../../db/ids/id-time.ts'
import { boundedCount } from '../../db/lists/bounded-count.ts'
import { raw } from '../../db/statements/statement.ts'

/** Number of entries that are read to find one that is sealed. Entries that wait for their seal are the newest ones. */
const readToFindSealed = 100

export interface TrailEnds {
  first_at: string | null
  head: { seq: number; chain_hash: string } | null
  /** When the last checkpoint was signed. */
  signed_at: string | null
  /** Number of entries that wait for their seal, at most 10,000. */
  waiting: number
  /** When the oldest waiting entry was written. */
  waiting_since: string | null
}

/** Reads the ends of the tenant's trail. The head of the chain has the number of sealed entries, so no entry is counted. */
export function findTrailEnds(db: Sql): Promise<TrailEnds> {
  const text = `
    select (select e.created_at from audit_entries e where e.tenant_id = $1 order by e.id limit 1) as first_at,
      (select json_build_object('seq', h.seq, 'chain_hash', encode(h.chain_hash, 'hex'))
        from audit_heads h where h.tenant_id = $1 and h.seq > 0) as head,
      (select c.signed_at from audit_checkpoints c where c.tenant_id = $1 order by c.seq desc limit 1) as signed_at,
      ${boundedCount('audit_unsealed q where q.tenant_id = $1')} as waiting,
      (select e.created_at from audit_entries e where e.tenant_id = $1 and e.id =
        (select q.entry_id from audit_unsealed q where q.tenant_id = $1 order by q.entry_id limit 1)) as waiting_since`
  return db.one(raw<TrailEnds>(text, [db.tenantId]))
}

// Entries are sealed in the order of their ids, and ids are in the order of time. So the seals of an hour end where the first entry of
// the next hour has its seal, and the difference of two places is the number of entries between them.
const placesText = `
  select (select min(s.seq) from (select e.id from audit_entries e where e.tenant_id = $1 and e.id >= b.id
      order by e.id limit ${readToFindSealed}) e
    join lateral (select x.seq from audit_seals x where x.tenant_id = $1 and x.entry_id = e.id limit 1) s on true) as seq
  from unnest($2::uuid[]) with ordinality b (id, place) order by b.place`

/** Returns the place in the chain of the first sealed entry at or after each of these times. Null if no such entry exists. */
export async function findPlacesAt(db: Sql, times: readonly string[]): Promise<(number | null)[]> {
  const ids = times.map((time) => lowestIdAtTime(time))
  return (await db.all(raw<{ seq: number | null }>(placesText, [db.tenantId, ids]))).map(({ seq }) => seq)
}

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const waitingText = `
  select count(q.entry_id) as count from unnest($2::uuid[], $3::uuid[]) with ordinality b (low, high, place)
  left join (select u.entry_id from audit_unsealed u where u.tenant_id = $1 order by u.entry_id limit 10000) q
    on q.entry_id >= b.low and q.entry_id < b.high
  group by b.place order by b.place`

/** Counts the entries that wait for their seal and were written between each of these times and the next. Reads at most 10,000. */
export async function countWaitingFrom(db: Sql, times: readonly string[]): Promise<number[]> {
  const ids = times.map((time) => lowestIdAtTime(time))
  const values = [db.tenantId, ids, [...ids.slice(1), highestId]]
  return (await db.all(raw<{ count: number }>(waitingText, values))).map(({ count }) => count)
}
