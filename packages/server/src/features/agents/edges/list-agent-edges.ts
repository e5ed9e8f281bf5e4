import type { AgentEdge, AgentEdges, AgentEdgesQuery } from '@mandate/contract/agent-edges'
import type { InstancePlace } from '../../../agent-state/instance-page.ts'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { countedAtMost } from '../../../db/lists/bounded-count.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { readProfiles } from '../../edge/profiles/current-profiles.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { found, requireAgent } from '../require-agent.ts'
import { countAgentEdges, findAgentEdges, findSuspension, type Newest } from './agent-edge-queries.ts'

/**
 * Returns a page of the instances that run an agent and that the caller sees. The first page has the counts of all of them.
 * @throws 404; 400 for a page token that this list did not return
 */
export async function listAgentEdges(
  ctx: Ctx<Member>,
  agentId: string,
  { state, page_size: size, page_token: token }: AgentEdgesQuery,
): Promise<AgentEdges> {
  const { actor, services } = ctx
  const context = `edges of agent ${agentId} page_token ${actor.tenantId}`
  const after = token === undefined ? undefined : openPlace<InstancePlace>(services.vault, context, token)
  // The counts read many rows, so they do not run on a connection that all reads share.
  return await services.db.readSnapshot(actor.tenantId, async (sql) => {
    const newest = await findNewest(sql, actor, agentId)
    const quiet = quietAt(ctx)
    const [edges, { data, next }] = await Promise.all([
      after === undefined ? countAgentEdges(sql, actor, newest, quiet).then(withTotal) : undefined,
      findAgentEdges(sql, actor, newest, { state, after, size }, quiet),
    ])
    return {
      profile_seq: newest.seq,
      suspended_at: newest.suspendedAt,
      ...(edges && { edges }),
      data,
      ...(next && { next_page_token: sealPlace(services.vault, context, next) }),
    }
  })
}

const withTotal = (counts: Record<AgentEdge['state'], number>) => ({
  total: Math.min(counts.confirmed + counts.waiting + counts.unreachable, countedAtMost),
  ...counts,
})

async function findNewest(sql: Sql, actor: Member, agentId: string): Promise<Newest> {
  const { status } = await requireAgent(sql, actor, agentId)
  const [[profile], suspendedAt] = await Promise.all([
    readProfiles(sql, 'any', [agentId]),
    status === 'suspended' ? findSuspension(sql, agentId) : null,
  ])
  const { hash, seq } = found(profile)
  return { agentId, hash, seq, suspendedAt }
}
