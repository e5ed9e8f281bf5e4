import { executionCoverageStates, governanceStates, lifecycleStatuses } from '@mandate/contract/agents'
import type { Overview } from '@mandate/contract/overview'
import type { Member } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { isLimitedByGrants } from '../../caller/records-in-sight.ts'
import { countedAtMost } from '../../db/lists/bounded-count.ts'
import { type AgentGroup, countGranted, countLive } from './agent-count-queries.ts'

type Counted = Omit<Overview['agents'], 'unapproved_running'>

/** Counts the agents that the caller sees and that are not archived. Each count stops at 10,000. */
export async function countAgents(ctx: Ctx<Member>): Promise<Counted> {
  const { actor, services, now } = ctx
  // The statements are longer than others, so they do not run on a connection that all reads share.
  const groups = await services.db.readSnapshot(actor.tenantId, (sql) =>
    isLimitedByGrants(actor) ? countGranted(sql, actor, now) : countLive(sql, actor, now),
  )
  const sumOf = (isIn: (group: AgentGroup) => boolean) =>
    Math.min(
      countedAtMost,
      groups.filter(isIn).reduce((sum, { count }) => sum + count, 0),
    )
  const by = <V extends string>(field: keyof AgentGroup, values: readonly V[]) =>
    Object.fromEntries(values.map((value) => [value, sumOf((group) => group[field] === value)])) as Record<V, number>
  const by_governance_state = by('governance_state', governanceStates)
  return {
    total: sumOf(({ governance_state }) => governance_state !== undefined),
    by_governance_state,
    by_lifecycle_status: by('lifecycle_status', lifecycleStatuses),
    by_execution_coverage_state: by('coverage', executionCoverageStates),
    drifting: sumOf(({ sign }) => sign === 'drifting'),
    unknown_drift: sumOf(({ sign }) => sign === 'unknown_drift'),
    discovered: by_governance_state.discovered,
  }
}
