import type { Tx } from '../database.ts'

/**
 * Runs `work` as another tenant inside a transaction, and then switches back to the transaction's own tenant. Used for the few
 * changes that affect two tenants. If `work` throws, the whole transaction must be rolled back.
 */
export async function withinTenant<T>(tx: Tx, tenantId: string, work: (other: Tx) => Promise<T>): Promise<T> {
  await actAs(tx, tenantId)
  const result = await work({ ...tx, tenantId })
  await actAs(tx, tx.tenantId)
  return result
}

async function actAs(tx: Tx, tenantId: string): Promise<void> {
  await tx.query("select set_config('app.tenant_id', $1, true)", [tenantId])
}
