import type { TimelineQuery } from '@mandate/contract/agents'
import type { Freeze } from '@mandate/contract/freezes'
import { timelineTypes } from '@mandate/contract/words/agent-words'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { ListCursors } from '../../../paging/list-cursors.ts'
import { invalid } from '../../../refusal.ts'
import { seesWhole } from '../../freezes/freeze-visibility.ts'
import { requireAgent } from '../require-agent.ts'
import { findFreezeIds, findPolicyIds, findTimeline, type TimelineRow } from './timeline-queries.ts'

/**
 * Returns a page of the events of an agent, newest first.
 * @throws 404; 400 for a cursor that the timeline of this agent did not return, and if `to` is before `from`
 */
export async function readTimeline(ctx: Ctx<Member>, agentId: string, query: TimelineQuery) {
  const { actor, sql, services } = ctx
  const { type: types = timelineTypes, from, to, limit, cursor } = query
  if (from !== undefined && to !== undefined && to < from) throw invalid('to must not be before from')
  const cursors = new ListCursors(`timeline of ${agentId}`, 'cursor')
  const afterId = cursor === undefined ? undefined : cursors.idBefore(actor.tenantId, cursor)
  await requireAgent(sql, actor, agentId)
  const { rows, nextAfter } = await services.db.transaction(actor.tenantId, async (tx) => {
    const [, policyIds, freezeIds] = await Promise.all([
      planForValues(tx),
      findPolicyIds(tx, agentId),
      findFreezeIds(tx, actor, agentId),
    ])
    return await findTimeline(tx, actor, { agentId, policyIds, freezeIds, types, from, to, afterId, limit })
  })
  const data = rows.map((row) => eventOf(actor, row))
  return nextAfter === null ? { data } : { data, next_cursor: cursors.after(actor.tenantId, nextAfter) }
}

const eventOf = (actor: Member, row: TimelineRow) => ({
  at: row.at,
  type: row.type,
  actor: { type: row.actor_type, id: row.actor_user_id, name: row.actor_name },
  resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
  details: { ...detailsFor(actor, row), event_type: row.event_type },
})

/** Leaves out how many agents and edges a freeze reaches if the actor does not see all of them. */
function detailsFor(actor: Member, { resource_type: type, details }: TimelineRow): Record<string, unknown> {
  if (type !== 'freeze' || seesWhole(actor, details as unknown as Pick<Freeze, 'scope'>)) return details
  const { agents, edges, ...shown } = details
  return shown
}
