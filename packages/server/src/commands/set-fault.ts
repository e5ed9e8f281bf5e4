import { readOperatorConfig } from '../config.ts'
import { raw } from '../db/statements/statement.ts'
import { asOperator } from './open-for-operator.ts'

const faults = ['identity.clear_factors', 'identity.delete_account', 'mail.send']

/**
 * Switches a fault (a simulated failure for tests and drills) on or off for a tenant. Throws if the configuration does not
 * allow faults.
 */
export async function setFault(tenantId: string, name: string, on: boolean): Promise<{ fault: string; on: boolean }> {
  if (!readOperatorConfig().faults) {
    throw new Error('simulated failures are not allowed; for tests and drills, set MANDATE_FAULTS=on')
  }
  if (!faults.includes(name)) throw new Error(`there is no fault ${name}; there are ${faults.join(', ')}`)
  return await asOperator(tenantId, async ({ tx }) => {
    const statement = on
      ? 'insert into faults (tenant_id, name) values ($1, $2) on conflict do nothing'
      : 'delete from faults where tenant_id = $1 and name = $2'
    await tx.all(raw(statement, [tx.tenantId, name]))
    return { fault: name, on }
  })
}
