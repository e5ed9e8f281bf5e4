import type { Tx } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'

/** The columns `last_resort_user_id` and `agent_owner_user_id` have this value if the agent has no owner. */
export const nobody = '00000000-0000-0000-0000-000000000000'

/** SQL for a value of these columns. `userId` is an SQL expression that may be null. */
export const userOrNobody = (userId: string) => `coalesce(${userId}, '${nobody}')`

/** Stores the new owner of an agent in the agent's pending approvals. `last_resort_user_id` stays the owner at the time of the request. */
export async function storeAgentOwner(tx: Tx, agentId: string, ownerId: string | null): Promise<void> {
  const text = `update approvals set agent_owner_user_id = ${userOrNobody('$3::uuid')}
    where tenant_id = $1 and agent_id = $2 and status = 'pending'`
  await tx.all(raw(text, [tx.tenantId, agentId, ownerId]))
}

/** Removes a user as the owner at the time of the request from all pending approvals. */
export async function deleteAgentOwner(tx: Tx, userId: string): Promise<void> {
  const text = `update approvals set last_resort_user_id = '${nobody}'
    where tenant_id = $1 and last_resort_user_id = $2 and status = 'pending'`
  await tx.all(raw(text, [tx.tenantId, userId]))
}
