import type { Tx } from '../../db/database.ts'
import { invalidKey, notFound } from '../../refusal.ts'
import { findTenantLocked, keepTenantRow } from './queries.ts'

export type StoredTenant = NonNullable<Awaited<ReturnType<typeof findTenantLocked>>>

/**
 * Locks the tenant's row until the transaction ends, so that changes of seats, settings and addresses run one at a time.
 * @throws 404 if the tenant was deleted
 */
export async function lockTenant(tx: Tx): Promise<StoredTenant> {
  const tenant = await findTenantLocked(tx)
  if (!tenant) throw notFound('tenant')
  return tenant
}

/**
 * Makes sure that the tenant is not deleted before the transaction ends. Needed for rows of tables without a foreign key to the tenant.
 * @throws 401 if the tenant was deleted
 */
export async function keepTenant(tx: Tx): Promise<void> {
  if (!(await keepTenantRow(tx))) throw invalidKey()
}
