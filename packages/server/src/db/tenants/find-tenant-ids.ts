import type { Sql } from '../database.ts'
import { raw } from '../statements/statement.ts'

/**
 * Returns the ids of the tenants that have a user who can sign in. Used for jobs that process every tenant. `global` must be
 * `Database.global`, which is not limited to one tenant and sees the global look-up tables.
 */
export async function findTenantIds(global: Sql): Promise<string[]> {
  const rows = await global.all(raw<{ tenant_id: string }>('select distinct tenant_id from account_lookup', []))
  return rows.map(({ tenant_id }) => tenant_id)
}
