import type { Sql } from './database.ts'
import { raw } from './statement.ts'

/** Tenants that have a user who can sign in, whatever their data: ids only. Global, for work that goes from tenant to tenant. */
export async function findTenantIds(global: Sql): Promise<string[]> {
  const rows = await global.all(raw<{ tenant_id: string }>('select distinct tenant_id from account_lookup', []))
  return rows.map(({ tenant_id }) => tenant_id)
}
