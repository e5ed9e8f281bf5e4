import type { Decision } from '@mandate/contract/decisions'
import type { Member } from '../../../authz/actor.ts'
import { seesWholeTenant } from '../../../authz/can.ts'
import type { Database } from '../../../db/database.ts'
import { planForValues } from '../../../db/plan-once.ts'
import type { FeedDecision } from '../../../events/decision-feed.ts'
import { nameDecisions, readRecords } from './decision-queries.ts'
import { findVisible } from './list-queries.ts'

/** Returns those of the agents that the actor sees. */
export async function visibleAgents(db: Database, actor: Member, agentIds: readonly string[]): Promise<Set<string>> {
  if (seesWholeTenant(actor)) return new Set(agentIds)
  return new Set(await findVisible(db.reader(actor.tenantId), actor, agentIds))
}

/** Reads stored decisions, in their order. Leaves out those whose agents the actor does not see. */
export async function readForStream(db: Database, actor: Member, wanted: readonly FeedDecision[]): Promise<Decision[]> {
  if (wanted.length === 0) return []
  return await db.transaction(actor.tenantId, async (tx) => {
    await planForValues(tx)
    const agentIds = [...new Set(wanted.map(({ agentId }) => agentId))]
    const keys = wanted.map(({ decisionId, retentionDays, filedAt }) => ({
      decisionId,
      retentionDays,
      filedAt,
      at: filedAt,
    }))
    const [visible, records] = await Promise.all([
      seesWholeTenant(actor) ? agentIds : findVisible(tx, actor, agentIds),
      readRecords(tx, keys),
    ])
    return await nameDecisions(
      tx,
      actor,
      records.filter(({ agent_id }) => visible.includes(agent_id)),
    )
  })
}
