import type { NamedStatement } from '../statements/statement.ts'

/**
 * Sets the tenant for row-level security in the current transaction. The setting ends with the transaction, so the next
 * transaction on the connection does not inherit it.
 */
export const actAs = (tenantId: string): NamedStatement => ({
  name: 'act_as',
  text: "select set_config('app.tenant_id', $1, true)",
  values: [tenantId],
})
