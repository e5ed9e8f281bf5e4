import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'

/**
 * True if an operator has switched on a simulated fault for a tenant, for a test or a demonstration. Always false if the
 * configuration does not allow simulated faults.
 */
export async function isFaulted(services: { config: Config; db: Database }, tenantId: string, name: string) {
  if (!services.config.faults) return false
  const statement = raw<{ name: string }>('select name from faults where tenant_id = $1 and name = $2', [
    tenantId,
    name,
  ])
  return (await services.db.reader(tenantId).maybe(statement)) !== undefined
}
