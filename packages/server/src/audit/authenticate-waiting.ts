import type { SealableEntry } from '@mandate/contract/audit-chain'
import { entryHashIfAny } from '@mandate/policy/audit-chain'
import type pg from 'pg'
import { sealableJson } from './entry-json.ts'
import type { EntryKeys } from './entry-keys.ts'

const pageSize = 1000

/** The migration after which entries carry a MAC. */
export const macMigration = '0024-audit-authenticity.sql'

/** As `authenticateWaiting`, in the transaction of the migration: entries of the versions before had no MAC. */
export async function authenticateAtUpgrade(owner: pg.Client, keys: EntryKeys): Promise<void> {
  // An owner that is no superuser is held to a tenant too, and would find no entries.
  await owner.query('alter table audit_entries no force row level security')
  await authenticateWaiting(owner, keys)
  await owner.query('alter table audit_entries force row level security')
}

/** Computes the MACs of entries that wait without one, as the owner of the tables. Returns how many there were. */
export async function authenticateWaiting(owner: Pick<pg.Client, 'query'>, keys: EntryKeys): Promise<number> {
  for (let done = 0; ; ) {
    const { rows } = await owner.query<{ tenant_id: string; entry_id: string; entry: string }>(findWaiting, [pageSize])
    // The MAC of no entry: this one is refused.
    const macs = rows.map(({ entry }) => keys.mac(entryHashIfAny(JSON.parse(entry) as SealableEntry) ?? ''))
    await owner.query(storeMacs, [rows.map((row) => row.tenant_id), rows.map((row) => row.entry_id), macs])
    done += rows.length
    if (rows.length < pageSize) return done
  }
}

const findWaiting = `
  select q.tenant_id, q.entry_id, ${sealableJson} as entry
  from audit_unsealed q join audit_entries e on e.tenant_id = q.tenant_id and e.id = q.entry_id
  where q.mac is null order by q.tenant_id, q.entry_id limit $1`

const storeMacs = `
  update audit_unsealed q set mac = m.mac
  from unnest($1::uuid[], $2::uuid[], $3::bytea[]) m (tenant_id, entry_id, mac)
  where q.tenant_id = m.tenant_id and q.entry_id = m.entry_id`
