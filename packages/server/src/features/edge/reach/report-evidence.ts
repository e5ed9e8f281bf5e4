import type { Attestation, ExecutionStats } from '@mandate/contract/edge'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { invalid } from '../../../refusal.ts'
import { settleEvidence } from '../../findings/evidence/settle-evidence.ts'
import { storeAttestation, storeStats } from './evidence-queries.ts'
import { requireServedLocked } from './served.ts'

/** Maximum time in milliseconds by which an edge's clock may be ahead of the server's clock. */
const clockSkewMs = 5 * 60_000

/**
 * Stores an attestation. Opens or closes the agent's coverage findings (`coverage_gap` and `evidence_stale`) in the same
 * transaction.
 * @throws 404 if the caller's credential is not valid for the agent
 */
export function attest(ctx: Ctx<EdgeActor>, claim: Attestation): Promise<Attestation & { attested_at: string }> {
  return ctx.inTenant(async (tx) => {
    await requireServedLocked(tx, ctx.actor, claim.agent_id)
    await Promise.all([storeAttestation(tx, claim, ctx.now), settleEvidence(tx, ctx, claim.agent_id)])
    return { ...claim, attested_at: ctx.now }
  })
}

/**
 * Stores the execution stats of a reporting window. Opens or closes the agent's coverage findings (`coverage_gap` and
 * `evidence_stale`) in the same transaction.
 * @throws 404 if the caller's credential is not valid for the agent; 400 if the window ends in the future, because its evidence
 *   would then count as fresh for too long
 */
export function reportExecutionStats(ctx: Ctx<EdgeActor>, stats: ExecutionStats): Promise<void> {
  return ctx.inTenant(async (tx) => {
    await requireServedLocked(tx, ctx.actor, stats.agent_id)
    if (Date.parse(stats.window_end) > Date.parse(ctx.now) + clockSkewMs) {
      throw invalid('window_end must not be in the future')
    }
    await Promise.all([storeStats(tx, stats, ctx.now), settleEvidence(tx, ctx, stats.agent_id)])
  })
}
