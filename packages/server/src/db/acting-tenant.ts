import type { NamedStatement } from './statement.ts'

/**
 * Sets the tenant that row-level security holds a transaction to. It ends with the transaction: no connection carries one
 * over to what it serves next.
 */
export const actAs = (tenantId: string): NamedStatement => ({
  name: 'act_as',
  text: "select set_config('app.tenant_id', $1, true)",
  values: [tenantId],
})
