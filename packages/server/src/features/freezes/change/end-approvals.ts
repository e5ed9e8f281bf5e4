import type { AuditSource } from '../../../audit/record-audit.ts'
import type { Tx } from '../../../db/database.ts'
import type { Services } from '../../../services.ts'
import { expireApprovalsOfFreeze } from '../../approvals/expiry/expire-approvals.ts'
import { addEndedApprovals, deleteEnding, findEndings, insertEnding, lockActive } from '../freeze-queries.ts'

type Target = Parameters<typeof expireApprovalsOfFreeze>[3]

/** Maximum number of batches of approvals that a request ends. A job ends the others. */
const mostBatches = 20
/** Maximum number of freezes whose approvals one run of the job ends. */
const mostFreezes = 100

/**
 * Ends a batch of the open approvals of the agents that a freeze covers. Returns whether there may be more. An approval that waits for its
 * end cannot be granted or used, because its agent is frozen.
 */
export async function endSomeApprovals(tx: Tx, by: AuditSource, freezeId: string, target: Target): Promise<boolean> {
  const { ended, isMore } = await expireApprovalsOfFreeze(tx, by, freezeId, target)
  if (ended > 0) await addEndedApprovals(tx, freezeId, ended)
  await (isMore ? insertEnding(tx, freezeId) : deleteEnding(tx, freezeId))
  return isMore
}

/** Ends further approvals of an active freeze, each batch in a transaction of its own. Returns whether there may be more. */
export async function endApprovals(
  { db }: Pick<Services, 'db'>,
  by: AuditSource & { actor: { tenantId: string } },
  freezeId: string,
): Promise<boolean> {
  for (let batch = 0; batch < mostBatches; batch++) {
    const isMore = await db.transaction(by.actor.tenantId, async (tx) => {
      const target = await lockActive(tx, freezeId)
      if (target) return await endSomeApprovals(tx, by, freezeId, target)
      await deleteEnding(tx, freezeId)
      return false
    })
    if (!isMore) return false
  }
  return true
}

/** Ends the approvals that the requests of the freezes left. A failure for one freeze is logged, and the next freeze follows. */
export async function endApprovalsOfFreezes(services: Pick<Services, 'db' | 'log' | 'entryKeys'>, now: string) {
  for (const { tenant_id: tenantId, freeze_id: id } of await findEndings(services.db.global, mostFreezes)) {
    const by = {
      actor: { kind: 'system' as const, tenantId },
      request: { id: 'end_approvals_of_freezes', ip: '', userAgent: '' },
      now,
      services,
    }
    try {
      await endApprovals(services, by, id)
    } catch (error) {
      services.log.warn(
        { err: error, tenant_id: tenantId, freeze_id: id },
        'the approvals of a freeze could not be ended',
      )
    }
  }
}
