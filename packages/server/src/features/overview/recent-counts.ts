import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import { sightOf, sightValues } from '../../authz/sight.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { isLimitedByGrants } from '../../caller/records-in-sight.ts'
import { RecentValues } from '../../memory/recent-values.ts'
import type { Services } from '../../services.ts'
import { countEdges } from '../edge/credentials/list-edges.ts'
import { readLastStop } from '../freezes/list/last-stop.ts'
import { findAccess } from './access-queries.ts'
import { countAgents } from './count-agents.ts'
import { countDecisions24h } from './count-decisions.ts'
import { countOpenFindings } from './count-findings.ts'
import { findTrailEnd } from './trail-queries.ts'

/** The counts that may be a few seconds old. They depend only on what the caller sees. */
export type Counts = Pick<
  Overview,
  'findings' | 'findings_total' | 'agents' | 'edges' | 'decisions_24h' | 'stop_reach' | 'as_of'
> & {
  audit: NonNullable<Overview['audit']>
}

const limits = { capacity: 5000, maxAgeMs: 10_000, refreshAfterMs: 5000 }
const valuesOf = new WeakMap<Services, RecentValues<Counts>>()

/**
 * Returns the counts of what the caller sees. Callers who see the same share the counts. What a scoped user may see is read on
 * each request, so a revoked grant has its effect on the next request.
 */
export async function recentCounts(ctx: Ctx<Member>): Promise<Counts> {
  const { services } = ctx
  const values = valuesOf.get(services) ?? new RecentValues<Counts>(limits)
  valuesOf.set(services, values)
  return await values.get(await keyOf(ctx), () => readCounts(ctx))
}

/** Identifies what the caller sees. Two callers get the same key only if every count is the same for both. */
async function keyOf({ actor, sql }: Ctx<Member>): Promise<string> {
  const { tenantId, userId, environmentId } = sightValues(actor)
  const ofPerson = isLimitedByGrants(actor) ? [userId, await findAccess(sql, userId)] : []
  return JSON.stringify([tenantId, sightOf(actor), environmentId, ...ofPerson])
}

async function readCounts(ctx: Ctx<Member>): Promise<Counts> {
  // A refresh in the background runs after its request, so it must not use the time of the request for longer than the request.
  const now = new Date().toISOString()
  const at = { ...ctx, now }
  const [agents, found, edges, decisions_24h, stop_reach, audit] = await Promise.all([
    countAgents(at),
    countOpenFindings(at),
    countEdges(at),
    countDecisions24h(at),
    readLastStop(at),
    findTrailEnd(ctx.sql),
  ])
  // An agent that runs without approval has this finding. It closes when the agent is archived.
  const unapproved_running = found.findings.unapproved_running
  return { agents: { ...agents, unapproved_running }, ...found, edges, decisions_24h, stop_reach, audit, as_of: now }
}
