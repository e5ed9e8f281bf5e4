import type { Sql, Tx } from '../../db/database.ts'
import { raw, sql } from '../../db/statements/statement.ts'
import { type SamlSettings, samlFields, samlSettingsOf } from './saml/saml-settings.ts'
import { tenantColumns } from './wire-tenant.ts'

const settingsColumns = [...new Set([...tenantColumns, ...samlFields])]

/** Returns the columns of the tenant that responses contain; undefined if the tenant was deleted. */
export function findTenant(db: Sql, tenantId: string) {
  return db.maybe(sql.selectFrom('tenants').select(tenantColumns).where('id', '=', tenantId))
}

/**
 * Returns the tenant with its SAML settings and locks it until the transaction ends; undefined if it was deleted. The tenant's
 * row must be locked before any row of a user.
 *
 * Inserts of rows that refer to the tenant do not wait for this lock. If they did, a transaction that locks the tenant and then an
 * agent could deadlock with one that locks the agent and then inserts, such as a heartbeat.
 */
export function findTenantLocked(tx: Tx) {
  return tx.maybe(sql.selectFrom('tenants').select(settingsColumns).where('id', '=', tx.tenantId).forNoKeyUpdate())
}

/** Like `findTenantLocked`, and inserts of rows that refer to the tenant wait until the transaction ends. */
export function findTenantToDelete(tx: Tx) {
  return tx.maybe(sql.selectFrom('tenants').select(settingsColumns).where('id', '=', tx.tenantId).forUpdate())
}

/** Returns whether the tenant exists. If it does, it is not deleted before the transaction ends. */
export async function keepTenantRow(tx: Tx): Promise<boolean> {
  const text = 'select id from tenants where id = $1 for key share'
  return (await tx.maybe(raw<{ id: string }>(text, [tx.tenantId]))) !== undefined
}

/** Returns the tenant's user limit and locks its row; null means no limit. */
export function findSeatLimitLocked(tx: Tx) {
  return tx.maybe(
    raw<{ max_users: number | null }>(
      `select coalesce(t.max_users_override, p.max_users) as max_users
       from tenants t join plans p on p.name = t.plan where t.id = $1 for no key update of t`,
      [tx.tenantId],
    ),
  )
}

/** Counts the users with a seat: all users except learners, including pending invitations. */
export function countSeatHolders(db: Sql) {
  return db.one(
    raw<{ count: number }>('select count(*)::int as count from users where tenant_id = $1 and not academy_only', [
      db.tenantId,
    ]),
  )
}

export interface TenantSettings extends SamlSettings {
  name: string
  decision_retention_days: number
}

export async function updateSettings(
  tx: Tx,
  { name, decision_retention_days, ...saml }: TenantSettings,
): Promise<void> {
  await tx.all(
    sql
      .updateTable('tenants')
      .set({ name, decision_retention_days, ...samlSettingsOf(saml) })
      .where('id', '=', tx.tenantId),
  )
}

/** Remembers the retention that the tenant has now, because decisions that arrived so far stay under it. */
export async function keepEarlierRetention(tx: Tx): Promise<void> {
  const text = `update tenants set earlier_retention_days = array_append(array_remove(earlier_retention_days, decision_retention_days), decision_retention_days)
    where id = $1`
  await tx.all(raw(text, [tx.tenantId]))
}

export async function updateGovernanceGate(tx: Tx, gate: 'off' | 'alert' | 'enforce'): Promise<void> {
  await tx.all(sql.updateTable('tenants').set({ governance_gate: gate }).where('id', '=', tx.tenantId))
}
