import type { FindingType } from '@mandate/contract/agents'
import type { AuditEvent } from '../../audit/events.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Member } from '../../authz/actor.ts'
import type { Tx } from '../../db/database.ts'
import type { Ctx } from '../../http/ctx.ts'
import { expireApprovalsOf } from '../approvals/expire-approvals.ts'
import { endFindings } from '../findings/record-finding.ts'
import { type AgentChange, type AgentRow, storeAgent } from './queries.ts'
import { found, requireAgentLocked } from './require-agent.ts'
import { findAgentJson } from './wire-queries.ts'

/** A change to make of an agent, and how the audit trail names it. */
export interface Change {
  set: AgentChange
  event: AuditEvent
  details?: Record<string, unknown>
  /** Findings that the change answers: what is open of these types closes with it. */
  ends?: readonly FindingType[]
}

/**
 * Changes an agent that the caller sees, its row locked; answers its JSON text. `decide` looks at the row and refuses by
 * throwing, or finds nothing to change: then nothing is written.
 * @throws 404 for an agent the caller cannot see, and whatever `decide` throws
 */
export function changeAgent(
  ctx: Ctx<Member>,
  id: string,
  decide: (agent: AgentRow, tx: Tx) => Promise<Change | null> | Change | null,
): Promise<string> {
  return ctx.inTenant(async (tx) => {
    const agent = await requireAgentLocked(tx, ctx.actor, id)
    const change = await decide(agent, tx)
    if (change) await applyChange(tx, ctx, agent, change)
    return found(await findAgentJson(tx, ctx.actor, id, ctx.now))
  })
}

/**
 * Stores a change and its audit entry, and closes the findings it answers; what stops the agent ends the approvals it could still use.
 */
export async function applyChange(tx: Tx, ctx: Ctx<Member>, agent: AgentRow, change: Change): Promise<void> {
  const { id, environment_id: environmentId } = agent
  const name = change.set.name ?? agent.name
  await Promise.all([
    storeAgent(tx, id, change.set, ctx.now),
    recordAudit(tx, ctx, change.event, {
      resource: { type: 'agent', id, name },
      details: change.details,
      agentId: id,
      environmentId,
    }),
    endFindings(tx, ctx, { agent_id: id, name, environment_id: environmentId }, change.ends ?? []),
  ])
  if (stops(change.set)) await expireApprovalsOf(tx, ctx, id)
}

function stops({ status, lifecycle_status: lifecycle }: AgentChange): boolean {
  return status === 'suspended' || status === 'archived' || lifecycle === 'blocked' || lifecycle === 'retired'
}
