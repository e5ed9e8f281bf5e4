import type { Sql, Tx } from '../../db/database.ts'
import { raw } from '../../db/statements/statement.ts'

/** The right of this process to verify a trail until the lease ends. `attempts` differs between leases of one request. */
export interface Lease {
  tenant_id: string
  requested_by: string | null
  attempts: number
}

/** Queues the verification of the tenant's trail. Does nothing if the trail already waits or is being verified. */
export async function enqueueVerification(tx: Tx, requestedBy: string, now: string): Promise<void> {
  const queued = `insert into audit_verification_queue (tenant_id, requested_by, leased_until) values ($1, $2, $3)
    on conflict (tenant_id) do nothing returning tenant_id`
  const added = await tx.maybe(raw(queued, [tx.tenantId, requestedBy, now]))
  if (added) await tx.all(raw('select enqueue_job($1, $2)', ['verify_trails', '{}']))
}

/** Queues the verification of the trails of these tenants. */
export async function enqueueVerifications(tx: Tx, tenantIds: readonly string[], now: string): Promise<void> {
  const text = `insert into audit_verification_queue (tenant_id, leased_until) select tenant_id, $2::timestamptz
    from unnest($1::uuid[]) as t (tenant_id) order by tenant_id on conflict (tenant_id) do nothing`
  await tx.all(raw(text, [tenantIds, now]))
}

/** Leases a trail for `seconds`. Trails that people asked for come first. Returns undefined if no trail is waiting. */
export function leaseNext(tx: Tx, seconds: number): Promise<Lease | undefined> {
  return tx.maybe(
    raw<Lease>(
      `update audit_verification_queue set leased_until = now() + make_interval(secs => $1), attempts = attempts + 1
       where tenant_id = (select tenant_id from audit_verification_queue where leased_until <= now()
         order by requested_by is null, leased_until limit 1 for update skip locked)
       returning tenant_id, requested_by, attempts`,
      [seconds],
    ),
  )
}

/** Extends the lease, or lets it end, so that the trail is tried again after `seconds`. */
export async function extendLease(tx: Tx, { tenant_id, attempts }: Lease, seconds: number): Promise<void> {
  const text = `update audit_verification_queue set leased_until = now() + make_interval(secs => $3)
    where tenant_id = $1 and attempts = $2`
  await tx.all(raw(text, [tenant_id, attempts, seconds]))
}

/** Removes the trail from the queue. Returns false if another process has taken over the lease. */
export async function release(tx: Tx, { tenant_id, attempts }: Lease): Promise<boolean> {
  const text = 'delete from audit_verification_queue where tenant_id = $1 and attempts = $2 returning tenant_id'
  return (await tx.maybe(raw(text, [tenant_id, attempts]))) !== undefined
}

export interface NewVerification {
  at: string
  valid: boolean
  entries: number
  tookMs: number
  by: string | null
}

/** Stores the result for the tenant, with the current name of the user who asked. Does nothing if the tenant was deleted. */
export async function storeVerification(tx: Tx, { at, valid, entries, tookMs, by }: NewVerification): Promise<void> {
  const text = `
    insert into audit_verifications as v (tenant_id, at, valid, entries, took_ms, by_user_id, by_name)
    select t.id, $2, $3, $4, $5, $6, (select coalesce(nullif(u.display_name, ''), u.email) from users u
      where u.tenant_id = $1 and u.id = $6)
    from tenants t where t.id = $1
    on conflict (tenant_id) do update set at = excluded.at, valid = excluded.valid, entries = excluded.entries,
      took_ms = excluded.took_ms, by_user_id = excluded.by_user_id, by_name = excluded.by_name where v.at <= excluded.at`
  await tx.all(raw(text, [tx.tenantId, at, valid, entries, tookMs, by]))
}

export interface VerificationRow {
  at: string
  valid: boolean
  entries: number
  took_ms: number
  by: { user_id: string; name: string | null } | null
}

export function findLastVerification(db: Sql): Promise<VerificationRow | undefined> {
  const text = `select at, valid, entries, took_ms,
      case when by_user_id is not null then json_build_object('user_id', by_user_id, 'name', by_name) end as by
    from audit_verifications where tenant_id = $1`
  return db.maybe(raw<VerificationRow>(text, [db.tenantId]))
}
