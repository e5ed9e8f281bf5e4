import type { Approval } from '@mandate/contract/approvals'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority, requireOwner } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { forbidden } from '../../refusal.ts'
import { findAskingAgent } from './agent-queries.ts'
import { hasOtherResolver } from './resolver-queries.ts'

/**
 * Checks that the actor may resolve the approval. The actor needs the role that the approval is assigned to. The agent's owner
 * may resolve the approval only if no other user may.
 * @throws 403
 */
export async function requireMayResolve(db: Sql, actor: Member, approval: Approval): Promise<void> {
  const { agent_id: agentId, assigned_role: assigned } = approval
  if (assigned === 'owner') requireOwner(actor, 'only an owner resolves an approval of a production agent')
  else requireAuthority(actor, 'manager', 'only a manager or above may resolve an approval')
  const { owner_user_id: ownerId } = await findAskingAgent(db, agentId)
  if (ownerId !== actor.userId) return
  if (await hasOtherResolver(db, { agentId, assigned, userId: actor.userId })) {
    throw forbidden("the agent's owner may not resolve this approval: another user must resolve it")
  }
}
