import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import type { EntryKeys, MacFault } from '../security/entry-keys.ts'

/** A row of the queue whose entry the sealer refused. */
export interface Refused {
  entry_id: string
  reason: MacFault | 'entry_missing'
  mac: Buffer | null
}

/** Stores the rows of the queue whose entries were refused. `now` is ISO 8601. */
export async function storeRefused(tx: Tx, refused: readonly Refused[], now: string): Promise<void> {
  const text = `
    insert into audit_refused (tenant_id, entry_id, reason, mac, refused_at)
    select $1, r.entry_id, r.reason, r.mac, $5
    from unnest($2::uuid[], $3::text[], $4::bytea[]) r (entry_id, reason, mac)
    on conflict (tenant_id, entry_id) do nothing`
  const [ids, reasons, macs] = [
    refused.map(({ entry_id }) => entry_id),
    refused.map(({ reason }) => reason),
    refused.map(({ mac }) => mac),
  ]
  await tx.all(raw(text, [tx.tenantId, ids, reasons, macs, now]))
}

/** Finds the refused entry of a tenant that has the lowest id. */
export function findRefused(db: Sql): Promise<Pick<Refused, 'entry_id' | 'reason'> | undefined> {
  const text = 'select entry_id, reason from audit_refused where tenant_id = $1 order by entry_id limit 1'
  return db.maybe(raw<Pick<Refused, 'entry_id' | 'reason'>>(text, [db.tenantId]))
}

export async function hasRefusedByOwnKey(global: Sql, { ids }: EntryKeys): Promise<boolean> {
  const text = `
    select 1 from audit_refused where reason = 'key_unknown' and substring(mac from 1 for 8) = any($1) limit 1`
  return (await global.maybe(raw(text, [ids]))) !== undefined
}

/**
 * Moves refused entries back to the queue, at most `limit`. Only entries are moved that another process refused because it did
 * not have the key of their MAC.
 */
export async function queueAgain(tx: Tx, { ids }: EntryKeys, limit: number): Promise<void> {
  const text = `
    with back as (
      delete from audit_refused r using (
        select tenant_id, entry_id from audit_refused
        where reason = 'key_unknown' and substring(mac from 1 for 8) = any($1) limit $2
      ) f
      where r.tenant_id = f.tenant_id and r.entry_id = f.entry_id
      returning r.tenant_id, r.entry_id, r.mac
    )
    insert into audit_unsealed (tenant_id, entry_id, mac) select tenant_id, entry_id, mac from back on conflict do nothing`
  await tx.all(raw(text, [ids, limit]))
}
