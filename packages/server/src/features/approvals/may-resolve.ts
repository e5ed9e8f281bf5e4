import type { Approval } from '@mandate/contract/approvals'
import type { Member } from '../../authz/actor.ts'
import { requireAuthority, requireOwner } from '../../authz/can.ts'
import type { Sql } from '../../db/database.ts'
import { forbidden } from '../../refusal.ts'
import { findAskingAgent } from './agent-queries.ts'
import { hasOtherResolver } from './resolver-queries.ts'

/**
 * Who may resolve an approval they see: the role it is assigned to; the owner of the agent only when nobody else could.
 * @throws 403
 */
export async function requireMayResolve(db: Sql, actor: Member, approval: Approval): Promise<void> {
  const { agent_id: agentId, assigned_role: assigned } = approval
  if (assigned === 'owner') requireOwner(actor, 'only an owner resolves an approval of a production agent')
  else requireAuthority(actor, 'manager', 'only a manager or above resolves an approval')
  const { owner_user_id: ownerId } = await findAskingAgent(db, agentId)
  if (ownerId !== actor.userId) return
  if (await hasOtherResolver(db, { agentId, assigned, userId: actor.userId })) {
    throw forbidden("an approval is resolved by someone other than the agent's owner")
  }
}
