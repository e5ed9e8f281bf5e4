import { type AuditSource, recordAudit } from '../../audit/record-audit.ts'
import type { Tx } from '../../db/database.ts'
import type { Services } from '../../services.ts'
import {
  type Expired,
  findOverdue,
  findOverdueTenants,
  storeExpiredOfAgent,
  storeExpiredOverdue,
} from './expiry-queries.ts'

/** Approvals a transaction ends at most. */
const batchSize = 100

/** Ends what an agent that is being stopped still has: resumed, it asks again. Its row is locked by the transaction. */
export async function expireApprovalsOf(tx: Tx, by: AuditSource, agentId: string): Promise<void> {
  await recordExpired(tx, by, await storeExpiredOfAgent(tx, agentId), 'agent_stopped')
}

/** Ends approvals that are past their time, of every tenant; a tenant where that fails does not hold up the others. */
export async function expireOverdueApprovals(
  services: Pick<Services, 'db' | 'log' | 'entryKeys'>,
  now: string,
): Promise<void> {
  for (const { tenant_id: tenantId } of await findOverdueTenants(services.db.global, now)) {
    try {
      while ((await expireBatch(services, tenantId, now)) === batchSize);
    } catch (error) {
      services.log.warn({ err: error, tenant_id: tenantId }, 'approvals past their time could not be ended')
    }
  }
}

/** Answers how many it ended. */
function expireBatch(services: Pick<Services, 'db' | 'entryKeys'>, tenantId: string, now: string): Promise<number> {
  const by: AuditSource = {
    actor: { kind: 'system', tenantId },
    request: { id: 'expire_approvals', ip: '', userAgent: '' },
    now,
    services,
  }
  return services.db.transaction(tenantId, async (tx) => {
    const expired = await storeExpiredOverdue(tx, await findOverdue(tx, now, batchSize), now)
    await recordExpired(tx, by, expired, 'time')
    return expired.length
  })
}

async function recordExpired(tx: Tx, by: AuditSource, expired: Expired[], reason: 'time' | 'agent_stopped') {
  await Promise.all(
    expired.map(({ id, tool, agent_id: agentId, environment_id: environmentId, previous }) =>
      recordAudit(tx, by, 'approval.expired', {
        resource: { type: 'approval', id, name: tool },
        details: { previous_state: previous, reason },
        agentId,
        environmentId,
      }),
    ),
  )
}
