import type { SealableEntry } from '@mandate/contract/audit/audit-chain'
import { entryHashIfAny } from '@mandate/proofs/audit-chain'
import type pg from 'pg'
import type { EntryKeys } from '../security/entry-keys.ts'
import { sealableJson } from './entry-json.ts'

const pageSize = 1000

/** The migration that adds the MAC (message authentication code) to audit entries. */
export const macMigration = '0024-audit-authenticity.sql'

/**
 * Runs `authenticateWaiting` in the transaction of the migration. Older versions wrote entries without a MAC, and some of these
 * entries may still wait for their seal.
 */
export async function authenticateAtUpgrade(owner: pg.Client, keys: EntryKeys): Promise<void> {
  // Row-level security also applies to the owner of the tables, unless the owner is a superuser. It would hide all entries here.
  await owner.query('alter table audit_entries no force row level security')
  await authenticateWaiting(owner, keys)
  await owner.query('alter table audit_entries force row level security')
}

/**
 * Computes the MAC of every entry that waits for its seal and has no MAC. Needs a connection with the role that owns the
 * tables.
 */
export async function authenticateWaiting(owner: Pick<pg.Client, 'query'>, keys: EntryKeys): Promise<void> {
  for (let after = { tenant_id: beforeAll, entry_id: beforeAll }; ; ) {
    const { rows } = await owner.query<WaitingRow>(findWaiting, [after.tenant_id, after.entry_id, pageSize])
    const found = rows.filter((row) => row.entry !== null)
    // If an entry has no canonical form, it gets the MAC of an empty hash. The sealer then refuses the entry.
    const macs = found.map(({ entry }) => keys.mac(entryHashIfAny(JSON.parse(entry ?? '') as SealableEntry) ?? ''))
    await owner.query(storeMacs, [found.map((row) => row.tenant_id), found.map((row) => row.entry_id), macs])
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}

const beforeAll = '00000000-0000-0000-0000-000000000000'

interface WaitingRow {
  tenant_id: string
  entry_id: string
  /** The entry as JSON. Null if the entry no longer exists or already has a MAC. */
  entry: string | null
}

// Reads the queue first, and then looks up each entry. With a plain join, the plan would depend on the planner's statistics.
const findWaiting = `
  with q as materialized (
    select tenant_id, entry_id, mac from audit_unsealed where (tenant_id, entry_id) > ($1::uuid, $2::uuid)
    order by tenant_id, entry_id limit $3
  )
  select q.tenant_id, q.entry_id, case when q.mac is null and e.id is not null then ${sealableJson} end as entry
  from q
  left join lateral (select * from audit_entries x where x.tenant_id = q.tenant_id and x.id = q.entry_id limit 1) e on true
  order by q.tenant_id, q.entry_id`

const storeMacs = `
  update audit_unsealed q set mac = m.mac
  from unnest($1::uuid[], $2::uuid[], $3::bytea[]) m (tenant_id, entry_id, mac)
  where q.tenant_id = m.tenant_id and q.entry_id = m.entry_id`
