import type { Attestation, Decision, ExecutionStats } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../http/ctx.ts'
import { invalid } from '../../refusal.ts'
import { storeAttestation, storeDecisions, storeStats } from './evidence-queries.ts'
import { requireServed } from './served.ts'

/** How far an edge's clock may run ahead of ours. */
const clockSkewMs = 5 * 60_000

/** Keeps the runtime's own claim of what it mediates. @throws 404 for an agent the credential does not serve */
export function attest(ctx: Ctx<EdgeActor>, claim: Attestation): Promise<Attestation & { attested_at: string }> {
  return ctx.inTenant(async (tx) => {
    await requireServed(tx, ctx.actor, [claim.agent_id])
    await storeAttestation(tx, claim, ctx.now)
    return { ...claim, attested_at: ctx.now }
  })
}

/**
 * Keeps what reached the edge in a window.
 * @throws 404 for an agent the credential does not serve; 400 for a window that ends in the future, which would look fresh
 *   for as long as it has not come
 */
export function reportExecutionStats(ctx: Ctx<EdgeActor>, stats: ExecutionStats): Promise<void> {
  return ctx.inTenant(async (tx) => {
    await requireServed(tx, ctx.actor, [stats.agent_id])
    if (Date.parse(stats.window_end) > Date.parse(ctx.now) + clockSkewMs) {
      throw invalid('window_end must not be in the future')
    }
    await storeStats(tx, stats, ctx.now)
  })
}

/** Keeps decisions, each once. @throws 404, and keeps none, when the credential does not serve every agent named */
export function recordDecisions(ctx: Ctx<EdgeActor>, decisions: readonly Decision[]) {
  return ctx.inTenant(async (tx) => {
    await requireServed(
      tx,
      ctx.actor,
      decisions.map(({ agent_id }) => agent_id),
    )
    const accepted = await storeDecisions(tx, decisions, ctx.now)
    return { accepted, duplicates: decisions.length - accepted }
  })
}
