import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import type { EntryKeys, MacFault } from '../security/entry-keys.ts'

/** A row of the sealing queue that the sealer refused, because its audit entry is gone or has no valid MAC. */
export interface Refused {
  entry_id: string
  reason: MacFault | 'entry_missing'
  mac: Buffer | null
}

/** Inserts the rows that the sealer refused into `audit_refused`. `now` is ISO 8601. */
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

/** Finds the tenant's audit entry with the lowest id among the entries that the sealer refused. */
export function findRefused(db: Sql): Promise<Pick<Refused, 'entry_id' | 'reason'> | undefined> {
  const text = 'select entry_id, reason from audit_refused where tenant_id = $1 order by entry_id limit 1'
  return db.maybe(raw<Pick<Refused, 'entry_id' | 'reason'>>(text, [db.tenantId]))
}

/** True if an entry was refused because its MAC key was unknown, and this process has this key. */
export async function hasRefusedByOwnKey(global: Sql, { ids }: EntryKeys): Promise<boolean> {
  const text = `
    select 1 from audit_refused where reason = 'key_unknown' and substring(mac from 1 for 8) = any($1) limit 1`
  return (await global.maybe(raw(text, [ids]))) !== undefined
}

/**
 * Moves up to `limit` refused audit entries back to the sealing queue. Moves only entries that another process refused because
 * it did not have their MAC key. This process must have the key.
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
