import type { ResourceGrant } from '@mandate/contract/users'
import type { z } from 'zod'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { newId } from '../../db/ids/new-id.ts'
import { notFound } from '../../refusal.ts'
import { endLostDelegations } from '../delegations/end-delegations.ts'
import {
  deleteGrant,
  findGrant,
  findGrantOn,
  findGrants,
  findVisibleAgentHeld,
  type GrantRow,
  insertGrant,
} from './grant-queries.ts'
import { lockChangeableAccess, requireReadableAccess, userResource } from './may-change-access.ts'

type Grant = z.output<typeof ResourceGrant>

/** Returns a user's grants on agents that the caller can see. */
export async function listGrants(ctx: Ctx<Member>, userId: string): Promise<{ grants: Grant[] }> {
  await requireReadableAccess(ctx, userId)
  return { grants: (await findGrants(ctx.sql, ctx.actor, userId)).map(toWireGrant) }
}

/** Lets a user see an agent that the caller can see. If the grant exists, it is returned and nothing is written. */
export async function createGrant(ctx: Ctx<Member>, userId: string, agentId: string) {
  return await ctx.inTenant(async (tx) => {
    const user = await lockChangeableAccess(tx, ctx, userId)
    const agent = await findVisibleAgentHeld(tx, ctx.actor, agentId)
    if (!agent) throw notFound('agent')
    const held = await findGrantOn(tx, ctx.actor, userId, agentId)
    if (held) return { created: false, grant: toWireGrant(held) }
    const id = newId()
    await insertGrant(tx, { id, userId, agentId, createdAt: ctx.now })
    await recordAudit(tx, ctx, 'user.grant_created', {
      resource: userResource(user),
      details: { grant_id: id, agent_id: agentId, agent_name: agent.name },
      agentId,
    })
    return { created: true, grant: toWireGrant({ id, agent_id: agentId, created_at: ctx.now }) }
  })
}

/** Deletes a user's grant on an agent that the caller can see. */
export async function revokeGrant(ctx: Ctx<Member>, userId: string, grantId: string): Promise<void> {
  await ctx.inTenant(async (tx) => {
    const user = await lockChangeableAccess(tx, ctx, userId)
    const grant = await findGrant(tx, ctx.actor, userId, grantId)
    if (!grant) throw notFound('grant')
    await deleteGrant(tx, grantId)
    await recordAudit(tx, ctx, 'user.grant_revoked', {
      resource: userResource(user),
      details: { grant_id: grantId, agent_id: grant.agent_id, agent_name: grant.agent_name },
      agentId: grant.agent_id,
    })
    await endLostDelegations(tx, ctx, userId)
  })
}

function toWireGrant({ id, agent_id, created_at }: Pick<GrantRow, 'id' | 'agent_id' | 'created_at'>): Grant {
  return { id, resource_type: 'agent', resource_id: agent_id, created_at }
}
