import type { ApprovalEnd } from '@mandate/contract/approvals'
import { type AuditSource, recordAudit } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import type { Services } from '../../../services.ts'
import {
  type End,
  type Expired,
  findOverdue,
  findOverdueTenants,
  storeExpiredOfAgent,
  storeExpiredOfTarget,
  storeExpiredOverdue,
  type Target,
} from '../stored/expiry-queries.ts'

/** Maximum number of approvals that are marked as expired in one transaction. */
const batchSize = 100

/**
 * Marks the open approvals of an agent that is being stopped as expired. If the agent is resumed, it must request new
 * approvals. The caller's transaction must have locked the agent's row.
 */
export async function expireApprovalsOf(
  tx: Tx,
  by: AuditSource,
  agentId: string,
  because: Exclude<ApprovalEnd, 'time' | 'frozen'>,
): Promise<void> {
  const end = { because, freezeId: null }
  await recordExpired(tx, by, await storeExpiredOfAgent(tx, agentId, end), end)
}

/**
 * Marks at most `batchSize` open approvals of agents that a freeze stops as expired. Returns their number, and whether there may be more.
 */
export async function expireApprovalsOfFreeze(tx: Tx, by: AuditSource, freezeId: string, target: Target) {
  const end: End = { because: 'frozen', freezeId }
  const expired = await storeExpiredOfTarget(tx, target, end, batchSize)
  await recordExpired(tx, by, expired, end)
  return { ended: expired.length, isMore: expired.length === batchSize }
}

/** Marks the overdue approvals of all tenants as expired. A failure for one tenant is logged, and the next tenant follows. */
export async function expireOverdueApprovals(
  services: Pick<Services, 'db' | 'log' | 'entryKeys'>,
  now: string,
): Promise<void> {
  for (const { tenant_id: tenantId } of await findOverdueTenants(services.db.global, now)) {
    try {
      while ((await expireBatch(services, tenantId, now)) === batchSize);
    } catch (error) {
      services.log.warn({ err: error, tenant_id: tenantId }, 'overdue approvals could not be marked as expired')
    }
  }
}

/** Marks at most `batchSize` overdue approvals of one tenant as expired. Returns their number. */
function expireBatch(services: Pick<Services, 'db' | 'entryKeys'>, tenantId: string, now: string): Promise<number> {
  const by: AuditSource = {
    actor: { kind: 'system', tenantId },
    request: { id: 'expire_approvals', ip: '', userAgent: '' },
    now,
    services,
  }
  return services.db.transaction(tenantId, async (tx) => {
    const expired = await storeExpiredOverdue(tx, await findOverdue(tx, now, batchSize), now)
    await recordExpired(tx, by, expired, { because: 'time', freezeId: null })
    return expired.length
  })
}

async function recordExpired(tx: Tx, by: AuditSource, expired: Expired[], { because, freezeId }: End) {
  const reason = because === 'time' ? 'time' : 'agent_stopped'
  await Promise.all(
    expired.map(({ id, tool, agent_id: agentId, agent_name, environment_id: environmentId, previous }) =>
      recordAudit(tx, by, 'approval.expired', {
        resource: { type: 'approval', id, name: tool },
        details: {
          agent_name,
          previous_state: previous,
          reason,
          ended_because: because,
          ...(freezeId !== null && { freeze_id: freezeId }),
        },
        agentId,
        environmentId,
      }),
    ),
  )
}
