import { name as nameField } from '@mandate/contract/fields/fields'
import { recordAudit } from '../audit/record-audit.ts'
import { newId } from '../db/ids/new-id.ts'
import { raw } from '../db/statements/statement.ts'
import { asOperator } from './open-for-operator.ts'

const sources = ['github', 'salesforce', 'm365', 'snowflake']

/**
 * Creates an agent as if it had been found in a connected platform. It is discovered and proposed, and has no environment.
 */
export async function discover(tenantId: string, source: string, name: string): Promise<{ agent_id: string }> {
  if (!sources.includes(source)) throw new Error(`there is no source ${source}; there are ${sources.join(', ')}`)
  const parsed = nameField({ max: 200 }).safeParse(name)
  if (!parsed.success) throw new Error(`invalid agent name: ${parsed.error.issues[0]?.message}`)
  return await asOperator(tenantId, async ({ by, tx }) => {
    const id = newId()
    await tx.all(raw(insertDiscovered, [tx.tenantId, id, parsed.data, source, by.now]))
    await recordAudit(tx, by, 'agent.discovered', {
      resource: { type: 'agent', id, name: parsed.data },
      agentId: id,
      details: { source },
    })
    return { agent_id: id }
  })
}

const insertDiscovered = `
  insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
  values ($1, $2, $3, 'registered', $4, 'discovered', 'proposed', $5, $5)`
