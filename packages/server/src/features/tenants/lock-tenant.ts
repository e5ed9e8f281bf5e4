import type { Tx } from '../../db/database.ts'
import { invalidKey, notFound } from '../../refusal.ts'
import { findTenantLocked, findTenantToDelete, keepTenantRow } from './queries.ts'

export type StoredTenant = NonNullable<Awaited<ReturnType<typeof findTenantLocked>>>

/**
 * Locks the tenant's row until the transaction ends, so that changes of seats, settings and addresses run one at a time.
 * @throws 404 if the tenant was deleted
 */
export async function lockTenant(tx: Tx): Promise<StoredTenant> {
  return existing(await findTenantLocked(tx))
}

/**
 * Like `lockTenant`, and nothing that refers to the tenant can be inserted before the transaction ends.
 * @throws 404 if the tenant was deleted
 */
export async function lockTenantToDelete(tx: Tx): Promise<StoredTenant> {
  return existing(await findTenantToDelete(tx))
}

function existing(tenant: StoredTenant | undefined): StoredTenant {
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
