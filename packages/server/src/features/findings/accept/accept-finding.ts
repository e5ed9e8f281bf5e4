import type { Finding } from '@mandate/contract/agents'
import type { FindingAcceptance } from '@mandate/contract/reviews'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql } from '../../../db/database.ts'
import { notFound, throwIfRefused } from '../../../refusal.ts'
import { type FindingOfAgent, findFinding } from '../cases/case-queries.ts'
import { lockAgents, storeEvidence } from '../queries.ts'
import { closeFinding, recordFinding } from '../record-finding.ts'
import { acceptanceRefusal } from '../rules.ts'

/**
 * Accepts an open finding whose cause cannot be removed, which closes it.
 * @throws 404 for a finding on an agent that the caller cannot see; 409 for another type than `decision_gap`, and if the finding
 *   is closed
 */
export function acceptFinding(ctx: Ctx<Member>, id: string, { reason }: FindingAcceptance): Promise<Finding> {
  const { actor, now } = ctx
  return ctx.inTenant(async (tx) => {
    const { agent_id: agentId } = await requireFinding(tx, actor, id)
    await lockAgents(tx, [agentId])
    const finding = await requireFinding(tx, actor, id)
    const { type, name, environment_id } = finding
    throwIfRefused(acceptanceRefusal(finding))
    const evidence = { ...finding.evidence, accepted: { by: actor.userId, reason, at: now } }
    const agent = { agent_id: agentId, name, environment_id }
    await storeEvidence(tx, id, evidence)
    await recordFinding(tx, ctx, 'finding.accepted', agent, { id, type, evidence: { reason } }, 'control_plane')
    await closeFinding(tx, ctx, agent, { id, type, evidence }, 'control_plane')
    const { name: _, environment_id: __, ...accepted } = await requireFinding(tx, actor, id)
    return accepted
  })
}

/** @throws 404 for an unknown id, and the same 404 for a finding on an agent that the caller cannot see */
export async function requireFinding(db: Sql, actor: Member, id: string): Promise<FindingOfAgent> {
  const finding = await findFinding(db, actor, id)
  if (!finding) throw notFound('finding')
  return finding
}
