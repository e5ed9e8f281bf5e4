import type { Sql } from '../../db/database.ts'
import { raw } from '../../db/statement.ts'
import { noEdge } from './count-decisions.ts'
import type { CountFilter } from './timeline-queries.ts'

/** Agents whose calls are added up to find the busiest. */
const mostCandidates = 200
const mostDays = 60

/**
 * Returns the agents with the most calls in a span, or null if the filter names its agents already. Reads the busiest agents of each day
 * (of each of the last 60 days, if the span is longer), so the cost does not depend on the number of agents.
 */
export async function findBusiestAgents(db: Sql, filter: CountFilter, most: number): Promise<string[] | null> {
  const { of, environmentId, from, to } = filter
  if (of === 'agents') return null
  const text = `
    with days as (
      select day from generate_series(date_trunc('day', $2::timestamptz), $3::timestamptz - interval '1 millisecond', interval '1 day') day
      order by day desc limit $5
    ), places as (
      select id from environments where tenant_id = $1 and ($4::uuid is null or id = $4::uuid)
      union all select $8::uuid where $4::uuid is null
    ), candidates as (
      select b.agent_id, sum(b.calls) as calls
      from days cross join places cross join lateral (
        select d.agent_id, d.calls from decision_agent_days d
        where d.tenant_id = $1 and d.environment_id = places.id and d.bucket = days.day
        order by d.magnitude desc limit $6) b
      group by b.agent_id)
    select agent_id from candidates order by calls desc, agent_id limit $7`
  const values = [db.tenantId, from, to, environmentId, mostDays, mostCandidates, most, noEdge]
  const rows = await db.all(raw<{ agent_id: string }>(text, values))
  return rows.map(({ agent_id }) => agent_id)
}
