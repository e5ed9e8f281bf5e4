import type { Tx } from '../../../db/database.ts'
import { raw, sql } from '../../../db/statements/statement.ts'
import { deleteTracesOfAccounts } from '../../../sessions/end-sessions.ts'

/** Returns the sign-in accounts of the tenant's users. The users are locked in the order of their ids, as in all transactions. */
export async function findAccountsLocked(tx: Tx): Promise<string[]> {
  const rows = await tx.all(
    sql.selectFrom('users').select('account_id').where('tenant_id', '=', tx.tenantId).orderBy('id').forUpdate(),
  )
  return rows.flatMap(({ account_id }) => account_id ?? [])
}

/**
 * Locks the keys of the tenant's edges. A signed batch locks its key before the tenant. Without this lock, such a batch and the deletion could
 * wait for each other.
 */
export async function lockEdgeKeys(tx: Tx): Promise<void> {
  await tx.all(
    sql.selectFrom('edge_keys').select('kid').where('tenant_id', '=', tx.tenantId).orderBy('kid').forUpdate(),
  )
}

const lookups = [
  'credential_lookup',
  'email_lookup',
  'account_lookup',
  'saml_domain_lookup',
  'saml_provider_lookup',
  'approval_deadlines',
  'report_queue',
  'sign_in_failures',
  'audit_verification_queue',
] as const

// Tables without a foreign key to the tenant, because a check of each inserted row costs too much.
const withoutForeignKey = [
  'decision_records',
  'decision_ids',
  'decision_arguments',
  'decision_waiting_results',
  'decision_spans',
  'decision_kinds',
  'decision_tools',
  'decision_new_names',
  'decision_minutes',
  'decision_hours',
  'decision_days',
  'decision_agent_days',
  'edge_keys',
  'decision_anchors',
  'decision_gaps',
  'decision_links',
  'events',
] as const

/** Deletes all data of the tenant and its users except the audit trail. Rows that refer to the tenant's row are deleted with it. */
export async function deleteTenantRows(tx: Tx, accountIds: readonly string[]): Promise<void> {
  for (const table of lookups) await tx.all(sql.deleteFrom(table).where('tenant_id', '=', tx.tenantId))
  for (const table of withoutForeignKey) await tx.all(raw(`delete from ${table} where tenant_id = $1`, [tx.tenantId]))
  await deleteTracesOfAccounts(tx, accountIds)
  await tx.all(sql.deleteFrom('tenants').where('id', '=', tx.tenantId))
}
