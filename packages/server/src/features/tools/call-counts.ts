import type { Member } from '../../authz/actor.ts'
import { statementsBySight } from '../../authz/by-sight.ts'
import { agentOfRecordIsVisible } from '../../authz/visibility.ts'
import type { Sql } from '../../db/database.ts'
import { namedSql } from '../../db/statements/named-parameters.ts'
import type { ToolRow } from './tool-queries.ts'

export interface CallCounts {
  agents: number
  calls_30d: number
}

/** Kinds of decisions that are looked up for each tool. */
const mostKinds = 100
/** Counts of agents that one request reads, for all of its tools together. */
const mostCounts = 20_000
const countedAtMost = 10_000
/** The ids after it are those of agents and edges. Ids up to it stand for the whole tenant. */
const lastTenantSubject = '00000000-0000-0000-0000-0000000000ff'

const kinds = `select k.id from decision_kinds k where k.tenant_id = :tenantId and k.tool = t.tool and k.environment_id = t.environment_id
  limit ${mostKinds}`
const inSpan = `c.tenant_id = :tenantId and c.kind_id = k.id and c.bucket > :now::timestamptz - interval '30 days'`

/** SQL for the number of calls of a tool, by all agents of the tenant. The tables have these sums, so no agent is looked up. */
const allCalls = `select coalesce(sum(c.calls), 0)::bigint as calls from (${kinds}) k
  join decision_days c on ${inSpan} and c.subject_id <= '${lastTenantSubject}'`

// Edges have counts like agents. This condition leaves them out. The conditions of a narrower sight already name agents.
const isAgent = '(select true from agents x where x.tenant_id = :tenantId and x.id = e.agent_id limit 1)'
const statement = statementsBySight({}, ({ sight }) => {
  // The counts of an agent are added up first, so that each agent is looked up once.
  const ofAgents = `select count(*) as agents, coalesce(sum(e.calls), 0)::bigint as calls from (
      select n.agent_id, sum(n.calls) as calls from (
        select c.subject_id as agent_id, c.calls from (${kinds}) k
        join decision_days c on ${inSpan} and c.subject_id > '${lastTenantSubject}' limit :share) n
      group by n.agent_id) e
    where ${sight === 'all' ? isAgent : agentOfRecordIsVisible(sight, 'e')}`
  const ofAll = sight === 'all' || sight === 'bound'
  return namedSql<{ id: string; agents: number; calls: number }>(`
    select t.id, a.agents::int as agents, ${ofAll ? 's.calls' : 'a.calls'} as calls
    from unnest(:ids::uuid[], :tools::text[], :environments::uuid[]) as t (id, tool, environment_id)
    cross join lateral (${ofAgents}) a
    ${ofAll ? `cross join lateral (${allCalls}) s` : ''}`)
})

/**
 * Returns how many agents called tools in the last 30 days and how often, by the id of the tool. A scoped user gets the counts of the agents
 * that they see. The cost does not depend on the number of agents.
 */
export async function countCalls(
  db: Sql,
  actor: Member,
  tools: readonly Pick<ToolRow, 'id' | 'tool' | 'environment_id'>[],
  now: string,
): Promise<Map<string, CallCounts>> {
  if (tools.length === 0) return new Map()
  const rows = await db.all(
    statement(
      actor,
      {},
      {
        ids: tools.map(({ id }) => id),
        tools: tools.map(({ tool }) => tool),
        environments: tools.map(({ environment_id }) => environment_id),
        share: Math.floor(mostCounts / tools.length),
        now,
      },
    ),
  )
  return new Map(
    rows.map(({ id, agents, calls }) => [id, { agents: Math.min(agents, countedAtMost), calls_30d: calls }]),
  )
}
