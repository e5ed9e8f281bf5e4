import { executionCoverageStates, governanceStates, lifecycleStatuses } from '@mandate/contract/agents'
import { coverageState, freshness, freshState, newestEvidence } from '../../agent-state/coverage.ts'
import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import type { Sight } from '../../authz/sight.ts'
import { visibleAgentIds } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import { boundedCount, countedAtMost } from '../../db/lists/bounded-count.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'

type Sign = 'drifting' | 'unknown_drift'

/**
 * A number of agents that have something in common: the governance state and the lifecycle status, the execution coverage, or a
 * sign. The other fields are absent.
 */
export interface AgentGroup {
  governance_state?: string
  lifecycle_status?: string
  coverage?: string
  sign?: Sign
  count: number
}

/**
 * Counts the agents of the tenant, or of the environment of a bound key. Each group is read from one index and stops at 10,000.
 */
export async function countLive(db: Sql, actor: Member, now: string): Promise<AgentGroup[]> {
  const counts = await db.one(liveStatement(actor, {}, { now }))
  return liveGroups.flatMap((group, at) => ({ ...group, count: counts[`c${at}`] ?? 0 }))
}

/** Counts the agents that are granted to a scoped user. Reads at most 10,000 agents. */
export async function countGranted(db: Sql, actor: Member, now: string): Promise<AgentGroup[]> {
  const rows = await db.all(grantedStatement(actor, {}, { now }))
  return rows.flatMap(({ count, coverage, drift, ...states }): AgentGroup[] => [
    { ...states, count },
    { coverage, count },
    ...(drift === 'true' ? [{ sign: 'drifting' as const, count }] : []),
    ...(drift === 'unknown' ? [{ sign: 'unknown_drift' as const, count }] : []),
  ])
}

type Group = Omit<AgentGroup, 'count'> & { from: (sight: Sight) => string }

/** The place of an agent, of evidence and of findings: the whole tenant, or the environment of a bound key. */
const isInPlace = (sight: Sight, alias: string) =>
  `${alias}.tenant_id = :tenantId${sight === 'bound' ? ` and ${alias}.environment_id = :environmentId` : ''}`

const liveAgents = (sight: Sight) => `agents a where ${isInPlace(sight, 'a')} and a.status <> 'archived'`

const byState: Group[] = governanceStates.flatMap((governance_state) =>
  lifecycleStatuses.map((lifecycle_status) => ({
    governance_state,
    lifecycle_status,
    from: (sight) => `${liveAgents(sight)} and a.governance_state = '${governance_state}'
      and a.lifecycle_status = '${lifecycle_status}'`,
  })),
)

const newest = newestEvidence('v')

/**
 * Evidence of agents that are not archived. The `order by` makes PostgreSQL use the index `agent_evidence_live`, because only this
 * index has the order.
 */
const evidence = (sight: Sight, state: string, age = '') => `environments e
  cross join lateral (select from agent_evidence v
    where v.tenant_id = :tenantId and v.environment_id = e.id and not v.is_archived
      and ${freshState('v', 'v.has_gap')} = '${state}' ${age}
    order by ${newest} limit ${countedAtMost}) v
  where e.tenant_id = :tenantId${sight === 'bound' ? ' and e.id = :environmentId' : ''}`

const since = `:now::timestamptz - ${freshness}`

const byCoverage: Group[] = executionCoverageStates.flatMap((coverage): Group[] => {
  if (coverage === 'stale') return []
  if (coverage !== 'unknown') {
    return [
      { coverage, from: (sight) => evidence(sight, coverage, `and ${newest} >= ${since}`) },
      { coverage: 'stale', from: (sight) => evidence(sight, coverage, `and ${newest} < ${since}`) },
    ]
  }
  return [
    { coverage, from: (sight) => evidence(sight, coverage) },
    { coverage, from: (sight) => `${liveAgents(sight)} and not a.has_evidence` },
  ]
})

const bySign: Group[] = [
  { sign: 'drifting', from: (sight) => `${liveAgents(sight)} and a.drift_state = 'true'` },
  { sign: 'unknown_drift', from: (sight) => `${liveAgents(sight)} and a.drift_state = 'unknown'` },
]

const liveGroups = [...byState, ...byCoverage, ...bySign]

const liveStatement = statementsBySight({}, ({ sight }) =>
  namedSql<Record<string, number>>(
    `select ${liveGroups.map(({ from }, at) => `${boundedCount(from(sight))} as c${at}`).join(',\n')}`,
  ),
)

interface GrantedRow {
  governance_state: string
  lifecycle_status: string
  coverage: string
  drift: 'true' | 'false' | 'unknown'
  count: number
}

// Each `offset 0` makes PostgreSQL look up the rows agent by agent. Otherwise it may read the rows of every agent of the tenant.
const grantedStatement = statementsBySight({}, ({ sight }) =>
  namedSql<GrantedRow>(`select governance_state, lifecycle_status, coverage, drift, count(*) as count
    from (select a.governance_state, a.lifecycle_status, a.drift_state as drift,
        ${coverageState({ evidence: 'v', findings: 'v', now: 'q.now' })} as coverage
      from (${visibleAgentIds(sight)}) s
      cross join (select :now::timestamptz as now) q
      cross join lateral (select a.governance_state, a.lifecycle_status, a.drift_state from agents a
        where a.tenant_id = :tenantId and a.id = s.agent_id and a.status <> 'archived' offset 0) a
      left join lateral (select v.shows, v.has_gap, v.attested_at, v.window_end from agent_evidence v
        where v.tenant_id = :tenantId and v.agent_id = s.agent_id offset 0) v on true
      limit ${countedAtMost}) seen
    group by governance_state, lifecycle_status, coverage, drift`),
)
