import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { throwIfRefused } from '../../../refusal.ts'
import { digest, newCredential } from '../../../security/credentials.ts'
import { deleteAgentLookup, hasOwnKeyInstance, insertAgentLookup } from '../queries.ts'
import { keyRotationRefusal } from '../rules.ts'
import { changeAgent } from './change-agent.ts'

/**
 * Gives an agent a new key and returns it. It is not shown again. The old key stops working at once.
 * @throws 404; 409 for an archived agent, and for an agent of a connected platform, which has no key
 */
export async function rotateAgentKey(ctx: Ctx<Member>, id: string): Promise<{ agentJson: string; agentKey: string }> {
  const agentKey = newCredential('ak')
  const hash = digest(agentKey)
  const agentJson = await changeAgent(ctx, id, async (agent, tx) => {
    throwIfRefused(keyRotationRefusal(agent))
    const [hadEdge] = await Promise.all([
      hasOwnKeyInstance(tx, id),
      ...(agent.key_hash ? [deleteAgentLookup(tx, agent.key_hash)] : []),
      insertAgentLookup(tx, hash, id),
    ])
    const key_rotated_at = hadEdge ? ctx.now : null
    return { set: { key_hash: hash, key_rotated_at }, event: 'agent.key_rotated' }
  })
  return { agentJson, agentKey }
}
