import type { SystemActor } from '../../../authz/actor.ts'
import { type Ctx, makeCtx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { findTenantIds } from '../../../db/tenants/find-tenant-ids.ts'
import type { Services } from '../../../services.ts'
import { lockAgents } from '../queries.ts'
import { openFinding } from '../record-finding.ts'
import { findEvidence, findStale } from './evidence-queries.ts'

/** Number of agents that one statement checks, and the maximum that one transaction locks. */
const atOnce = 500

/**
 * Opens the finding `evidence_stale` on every agent whose evidence (attestations and execution stats) is too old. Several
 * instances may run this function at the same time. A failure in one tenant does not stop the others. Returns how many findings
 * were opened.
 */
export async function sweepStaleEvidence(services: Services): Promise<number> {
  let failures = 0
  let raised = 0
  for (const tenantId of await findTenantIds(services.db.global)) {
    const actor: SystemActor = { kind: 'system', tenantId }
    const ctx = makeCtx(services, actor, { id: newId(), ip: '', userAgent: 'mandate jobs' })
    raised += await sweepTenant(ctx).catch((error) => {
      services.log.warn(
        { err: error, tenant_id: tenantId },
        'could not check whether the execution evidence of the tenant is stale',
      )
      failures++
      return 0
    })
  }
  if (failures > 0) throw new Error(`could not check whether the execution evidence of ${failures} tenants is stale`)
  return raised
}

async function sweepTenant(ctx: Ctx<SystemActor>): Promise<number> {
  const pageAfter = (after: string | null) =>
    ctx.inTenant((tx) => findStale(tx, { after, limit: atOnce, now: ctx.now }))
  let raised = 0
  for (let page = await pageAfter(null); ; page = await pageAfter(page.last_id)) {
    if (page.stale.length > 0) raised += await raise(ctx, page.stale)
    if (page.read < atOnce) return raised
  }
}

/**
 * Opens the finding `evidence_stale` on the agents that still have stale evidence. Checks this again after it has locked the
 * agents, because an edge or another instance may have changed their state.
 */
function raise(ctx: Ctx<SystemActor>, agentIds: readonly string[]): Promise<number> {
  return ctx.inTenant(async (tx) => {
    const [, agents] = await Promise.all([lockAgents(tx, agentIds), findEvidence(tx, agentIds, ctx.now)])
    const stale = agents.filter(({ state, has_left, stale_id }) => state === 'stale' && !has_left && stale_id === null)
    await Promise.all(
      stale.map((agent) => {
        const evidence = { newest_at: agent.newest_at, attested: agent.attested, observed: agent.observed }
        return openFinding(tx, ctx, agent, { type: 'evidence_stale', evidence }, 'control_plane')
      }),
    )
    return stale.length
  })
}
