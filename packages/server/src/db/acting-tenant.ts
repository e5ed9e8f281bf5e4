import type pg from 'pg'
import { runPrepared } from './prepared-query.ts'
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

export const begin: NamedStatement = { name: 'begin', text: 'begin', values: [] }
const commit: NamedStatement = { name: 'commit', text: 'commit', values: [] }

/** Makes a new connection know the statements that go before others. */
export async function prepareActing(client: pg.ClientBase): Promise<void> {
  await Promise.all([begin, actAs(''), commit].map((statement) => runPrepared(client, statement)))
}
