import type { Tx } from '../../db/database.ts'
import { notFound } from '../../refusal.ts'
import { findTenantLocked } from './queries.ts'

export type StoredTenant = NonNullable<Awaited<ReturnType<typeof findTenantLocked>>>

/**
 * The tenant's row, locked until the transaction ends: seats, settings and addresses change one at a time.
 * @throws 404 when the tenant is gone
 */
export async function lockTenant(tx: Tx): Promise<StoredTenant> {
  const tenant = await findTenantLocked(tx)
  if (!tenant) throw notFound('tenant')
  return tenant
}
