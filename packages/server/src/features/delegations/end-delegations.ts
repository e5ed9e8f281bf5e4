import type { DelegationEnd } from '@mandate/contract/delegations'
import { type AuditSource, recordAudit } from '../../audit/record-audit.ts'
import type { Tx } from '../../db/database.ts'
import { type Ended, type Ending, endNamed, findEndingEnvironments, raiseVersions } from './end-queries.ts'
import { lockList } from './queries.ts'
import { tellList } from './raise-version.ts'

/** Ends delegations and everything below them, and tells the edges. Lock the agents and users before. */
export async function endDelegations(tx: Tx, ctx: AuditSource, ending: Ending, because: DelegationEnd): Promise<void> {
  const environmentIds = await findEndingEnvironments(tx, ending, ctx.now)
  if (environmentIds.length === 0) return
  for (const environmentId of environmentIds) await lockList(tx, environmentId)
  const versions = await raiseVersions(tx, environmentIds)
  const userId = ending.by === 'id' ? ending.userId : null
  const ended = await endNamed(tx, ending, { environmentIds, because, userId, now: ctx.now })
  for (const delegation of ended) await recordEnd(tx, ctx, delegation, because)
  for (const { environmentId, version } of versions) await tellList(tx, { environmentId, version, at: ctx.now })
}

/** Ends the delegations that act for a user who was removed, may no longer delegate, or no longer sees the agent. */
export function endLostDelegations(tx: Tx, ctx: AuditSource, userId: string): Promise<void> {
  return endDelegations(tx, ctx, { by: 'subject', id: userId }, 'access_lost')
}

/**
 * Ends the delegations of a user whose mail address another person proved. The account may have belonged to somebody else, so all that it
 * delegated ends, also on behalf of other users.
 */
export function endUnprovedDelegations(tx: Tx, ctx: AuditSource, userId: string): Promise<void> {
  return endDelegations(tx, ctx, { by: 'user', id: userId }, 'access_lost')
}

async function recordEnd(tx: Tx, ctx: AuditSource, ended: Ended, because: DelegationEnd): Promise<void> {
  const { id, agent_id: agentId, environment_id: environmentId, subject_user_id, chain } = ended
  await recordAudit(tx, ctx, 'delegation.revoked', {
    resource: { type: 'delegation', id, name: chain.at(-1)?.name ?? '' },
    details: { subject_user_id, because },
    agentId,
    environmentId,
  })
}
