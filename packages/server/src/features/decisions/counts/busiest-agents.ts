import type { Sql } from '../../../db/database.ts'
import { raw } from '../../../db/statements/statement.ts'
import { noEdge, tenantSubjects } from '../records/count-decisions.ts'
import { anyTool } from '../records/tool-filter.ts'
import { type CountFilter, isWantedCount, valuesOfFilter } from './timeline-queries.ts'

/** Agents whose calls are added up to find the busiest. */
const mostCandidates = 200
/** Of the busiest agents of each earlier day and environment, how many are read at least, and how many of all days together. */
const leastOfDay = 20
const mostOfAllDays = 4_000
const mostDays = 60
/** Kinds of calls by which agents are looked up. */
const mostKinds = 200
/** Counts that are read to find the agents of these kinds. */
const mostCounts = 4_000
/** The ids after it are those of agents and edges. */
const lastTenantSubject = '00000000-0000-0000-0000-0000000000ff'
const dayMs = 24 * 60 * 60_000

/**
 * Returns agents among which are those with the most calls in a span, or null if the filter names its agents already. The cost does not depend
 * on the number of agents. So with a filter that many agents match, a busy agent may be missing.
 */
export async function findBusiestAgents(db: Sql, filter: CountFilter, most: number): Promise<string[] | null> {
  if (filter.of === 'agents') return null
  const wanted = isShort(filter) ? Math.max(most, mostCandidates) : most
  if (!isByKind(filter)) return await findBusiestOfAll(db, filter, wanted)
  const [byKind, ofAll] = await Promise.all([
    findBusiestByKind(db, filter, wanted),
    findBusiestOfAll(db, filter, wanted),
  ])
  return byKind.isWhole ? byKind.agents : [...new Set([...byKind.agents, ...ofAll])]
}

/** Agents are found by their calls of whole days. In a short span, other agents may be the busiest, so more of them are looked at. */
const isShort = ({ from, to }: CountFilter) => Date.parse(to) - Date.parse(from) <= 2 * dayMs

/** True if the filter has more than an environment and a span. */
function isByKind({ of, policyId, ruleId, effect, mode, tool }: CountFilter): boolean {
  const values = [policyId, ruleId, effect, mode]
  return of === 'edge' || tool !== anyTool || values.some((value) => value !== null)
}

/**
 * Finds agents by the 200 most frequent kinds of calls that match the filter. Reads at most 4,000 counts of these kinds, the newest days first.
 * `isWhole` is true if these are all counts of the last 60 days of the span.
 */
async function findBusiestByKind(
  db: Sql,
  filter: CountFilter,
  most: number,
): Promise<{ agents: string[]; isWhole: boolean }> {
  const { of, subjects, to } = filter
  const oldest = new Date(Date.parse(to) - mostDays * dayMs).toISOString()
  const from = filter.from > oldest ? filter.from : oldest
  const text = `
    with kinds as materialized (
      select c.kind_id from decision_days c join decision_kinds k on k.tenant_id = $1 and k.id = c.kind_id
      where ${isWantedCount} group by c.kind_id order by sum(c.calls) desc, c.kind_id limit $13),
    shares as (select greatest(1, $14::int / greatest(1, count(*)))::int as share, count(*) = $13 as is_cut from kinds),
    counts as materialized (
      select x.kind_id, r.* from kinds x cross join lateral (
        select c.subject_id, c.edge_id, c.calls from decision_days c
        where c.tenant_id = $1 and c.kind_id = x.kind_id and c.subject_id > $15::uuid
          and c.bucket >= $3::timestamptz and c.bucket < $4::timestamptz
        order by c.bucket desc limit (select share from shares)) r),
    busiest as (
      select c.subject_id as id, sum(c.calls) as calls from counts c
      where ($16::uuid is null or c.edge_id = $16::uuid)
        and not exists (select from edges e where e.tenant_id = $1 and e.id = c.subject_id)
      group by c.subject_id order by 2 desc, 1 limit $17)
    select b.id, s.is_cut or exists (select from counts group by kind_id having count(*) >= s.share) as is_cut
    from shares s left join busiest b on true order by b.calls desc, b.id`
  const isOfEdge = of === 'edge'
  const counted = { ...filter, from: startOfDay(from), subjects: isOfEdge ? subjects : tenantSubjects }
  const edgeId = isOfEdge ? subjects[0] : null
  const values = [...valuesOfFilter(db, counted), mostKinds, mostCounts, lastTenantSubject, edgeId, most]
  const rows = await db.all(raw<{ id: string | null; is_cut: boolean }>(text, values))
  return { agents: rows.flatMap(({ id }) => id ?? []), isWhole: rows.every(({ is_cut }) => !is_cut) }
}

const startOfDay = (time: string) => `${time.slice(0, 10)}T00:00:00.000Z`

/** Finds the agents with the most calls of any kind. Reads the busiest agents of each of the last 60 days of the span. */
async function findBusiestOfAll(db: Sql, { environmentId, from, to }: CountFilter, most: number): Promise<string[]> {
  const text = `
    with days as (
      select day from generate_series(date_trunc('day', $2::timestamptz), $3::timestamptz - interval '1 millisecond', interval '1 day') day
      order by day desc limit $5
    ), places as (
      select id from environments where tenant_id = $1 and ($4::uuid is null or id = $4::uuid)
      union all select $8::uuid where $4::uuid is null
    ), shares as (
      select least(n.of_newest, greatest($9::int, $10::int / greatest(1, n.days * n.places)))::int as share, n.of_newest
      from (select greatest($6::int, $7::int) as of_newest, (select count(*) from days) as days, (select count(*) from places) as places) n
    ), candidates as (
      select b.agent_id, sum(b.calls) as calls
      from days cross join places cross join lateral (
        select d.agent_id, d.calls from decision_agent_days d
        where d.tenant_id = $1 and d.environment_id = places.id and d.bucket = days.day
        order by d.magnitude desc
        limit (select case when days.day = (select max(day) from days) then s.of_newest else s.share end from shares s)) b
      group by b.agent_id)
    select agent_id from candidates order by calls desc, agent_id limit $7`
  const values = [
    db.tenantId,
    from,
    to,
    environmentId,
    mostDays,
    mostCandidates,
    most,
    noEdge,
    leastOfDay,
    mostOfAllDays,
  ]
  const rows = await db.all(raw<{ agent_id: string }>(text, values))
  return rows.map(({ agent_id }) => agent_id)
}
