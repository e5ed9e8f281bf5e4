import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../authz/actor.ts'
import { fragmentsBySight } from '../authz/by-sight.ts'
import { boundEnvironment } from '../authz/can.ts'
import { agentOfRecordVisibleTo, agentVisibleTo, visibleAgentIds } from '../authz/visibility.ts'
import type { Sql } from '../db/database.ts'
import { countedAtMost } from '../db/lists/bounded-count.ts'
import {
  columnsOf,
  countAll,
  inEnvironment,
  inOrder,
  isOfPart,
  limitedTo,
  newestOfAll,
  pageOfAll,
  type RecordList,
  type RecordPage,
  someOfAll,
} from '../db/lists/record-list.ts'
import { namedSql } from '../db/statements/named-parameters.ts'
import { raw, sql } from '../db/statements/statement.ts'

// `findRecordsInSight` counts the visible agents and the records, and chooses its strategy by these counts. Above this number,
// an exact count is not needed.
const comparedAtMost = 10_000
// To find a page of a long list, `findLongPage` first checks the newest 1,000 records, and then the newest 4,000.
const looksForPage = [1000, 4000]

type Fragment = RawBuilder<unknown>

/**
 * Finds one page of a list of records about agents, and counts the list. Includes only the records that the actor sees.
 * If the actor is not limited by grants, PostgreSQL reads the page from one index. For a bound key, this is an index of the
 * environment. If the actor is limited by grants, there are two strategies:
 * - Check for each record of the list whether the actor sees its agent. This strategy is used if the list has at most 10,000
 *   records, and not more records than there are visible agents.
 * - Read the records of each visible agent. This strategy is used in all other cases, unless checking the newest records is
 *   enough for the page.
 *
 * The search by grants takes up to five statements, so `db` should then read one snapshot (`Database.readSnapshot`). It is
 * slowest if the actor sees very many agents, few of them have records, and the list has more than 10,000 records. It then looks
 * up the records of each agent.
 */
export async function findRecordsInSight(db: Sql, actor: Member, list: RecordList): Promise<RecordPage> {
  if (!isLimitedByGrants(actor)) return pageOfAll(db, inSight(db, actor, list))
  const { agents, records } = await compare(db, actor, list)
  if (records <= Math.min(agents, comparedAtMost)) {
    const { ids, seen } = await lookAtNewest(db, actor, list, comparedAtMost + 1)
    return pageOf(ids, Math.min(seen, countedAtMost))
  }
  const { ids, total } = await findOfAgents(db, actor, list)
  return pageOf(total < countedAtMost ? ids : await findLongPage(db, actor, list), total)
}

/** Counts the records of a list that the actor sees. Counting stops at `atMost`, which is at most 10,000. */
export async function countRecordsInSight(db: Sql, actor: Member, list: RecordList, atMost: number): Promise<number> {
  if (!isLimitedByGrants(actor)) return await countAll(db, inSight(db, actor, list), atMost)
  const { agents, records } = await compare(db, actor, list)
  const total =
    records <= Math.min(agents, comparedAtMost)
      ? (await lookAtNewest(db, actor, list, comparedAtMost + 1)).seen
      : (await findOfAgents(db, actor, list, atMost)).total
  return Math.min(total, atMost)
}

/**
 * True for a scoped user and for their keys. They see only the agents granted to them, and grants are not stored in the records.
 */
export const isLimitedByGrants = (actor: Member): boolean => actor.accessScope !== 'all'

/**
 * Limits a list to the records that an actor without grants sees. If the list is limited to one agent, the condition is on this
 * agent. PostgreSQL checks it once, before it reads a record.
 */
function inSight(db: Sql, actor: Member, list: RecordList): RecordList {
  const environmentId = boundEnvironment(actor)
  if (environmentId === null) return list
  if (list.agentId === undefined) return inEnvironment(list, environmentId)
  const isVisible = fragment`exists (select from agents a
    where a.tenant_id = ${db.tenantId} and a.id = ${list.agentId} and ${agentVisibleTo(actor, 'a')})`
  return limitedTo(list, isVisible)
}

const pageOf = (ids: readonly string[], total: number): RecordPage => ({ ids: fragment`${ids}::uuid[]`, total })

const allInSight = fragmentsBySight({}, ({ sight }) => namedSql<unknown>(visibleAgentIds(sight)))

/**
 * SQL that selects the `agent_id` of each agent that the actor sees. If the list is limited to one agent, only that agent is
 * selected.
 */
function agentsInSight(actor: Member, { agentId }: RecordList): Fragment {
  const all = allInSight(actor, {})
  return agentId === undefined ? all : fragment`select s.agent_id from (${all}) s where s.agent_id = ${agentId}`
}

/**
 * Counts the agents that the actor sees, and the records of the list, including records that the actor does not see. Both
 * counts stop at 10,001.
 */
async function compare(db: Sql, actor: Member, list: RecordList): Promise<{ agents: number; records: number }> {
  const most = fragment.lit(comparedAtMost + 1)
  const { sql: text, parameters } = fragment`
    select (select count(*) from (${agentsInSight(actor, list)} limit ${most}) s) as agents,
      (select count(*) from (${someOfAll(db, list, most)}) r) as records`.compile(sql)
  return await db.one(raw<{ agents: number; records: number }>(text, parameters))
}

/**
 * Reads the records of the visible agents, agent by agent, and stops at `atMost` records. If `total` is less, all
 * visible records were read, and `ids` is the requested page. Otherwise `ids` must not be used, because the records that were
 * not read may be newer.
 */
async function findOfAgents(
  db: Sql,
  actor: Member,
  list: RecordList,
  atMost = countedAtMost,
): Promise<{ ids: string[]; total: number }> {
  const { newest, limit, offset } = list
  const most = fragment.lit(atMost)
  const { sql: text, parameters } = fragment`
    with found as materialized (
      select r.* from (${agentsInSight(actor, list)}) s
      cross join lateral (${ofAgent(db, list)} limit ${most}) r limit ${most})
    select count(*) as total,
      array(select r.id from found r order by ${inOrder(list, newest)} limit ${limit} offset ${offset}) as ids
    from found`.compile(sql)
  return await db.one(raw<{ ids: string[]; total: number }>(text, parameters))
}

/** Finds a page of a list that has 10,000 or more visible records. */
async function findLongPage(db: Sql, actor: Member, list: RecordList): Promise<string[]> {
  const { newest, limit, offset } = list
  const wanted = limit + offset
  for (const count of looksForPage) {
    const { ids, seen, is_whole: isWhole } = await lookAtNewest(db, actor, list, count)
    if (isWhole) return ids
    const expected = (seen * looksForPage.at(-1)!) / count
    if (expected < wanted) break
  }
  const { sql: text, parameters } = fragment`
    select array(select r.id from (${agentsInSight(actor, list)}) s
      cross join lateral (${ofAgent(db, list)} order by ${inOrder(list, newest)} limit ${wanted}) r
      order by ${inOrder(list, newest)} limit ${limit} offset ${offset}) as ids`.compile(sql)
  return (await db.one(raw<{ ids: string[] }>(text, parameters))).ids
}

/**
 * Returns SQL that selects the records of one agent that belong to the list. `s` is the SQL alias of the agent's row, and `r`
 * is the SQL alias of a record.
 */
function ofAgent({ tenantId }: Sql, { table, newest, parts }: RecordList): Fragment {
  const isListed = fragment.join(
    parts.map((part) => fragment`(${isOfPart(part)})`),
    fragment` or `,
  )
  return fragment`select ${columnsOf(newest)} from ${fragment.table(table)} r
    where r.tenant_id = ${tenantId} and r.agent_id = s.agent_id and (${isListed})`
}

interface Looked {
  /** Ids of the records on the requested page. If `is_whole` is false, ids may be missing or wrong. */
  ids: string[]
  /** The number of checked records that the actor sees. */
  seen: number
  /** True if every record that can be on the page was checked. `ids` is then complete. */
  is_whole: boolean
}

/**
 * Reads the newest records of the list, and checks for each record whether the actor sees it. A list is the union of its parts
 * (see `RecordList.parts`). At most `count` records of each part are read, or of each group of a part.
 */
async function lookAtNewest(db: Sql, actor: Member, list: RecordList, count: number): Promise<Looked> {
  const { newest, limit, offset } = list
  const columns = (part: number) =>
    fragment`${fragment.lit(part)} as part, ${groupOf(list, part)} as in_group, r.agent_id, ${columnsOf(newest)}`
  const { sql: text, parameters } = fragment`
    with looked as materialized (
      select r.part, r.in_group, ${columnsOf(newest)}, ${agentOfRecordVisibleTo(actor)} is true as is_seen
      from (${newestOfAll(db, list, columns, fragment.lit(count))}) r)
    select count(*) filter (where is_seen) as seen,
      not exists (select from looked group by part, in_group
        having count(*) = ${fragment.lit(count)} and count(*) filter (where is_seen) < ${limit + offset}) as is_whole,
      array(select r.id from looked r where r.is_seen
        order by ${inOrder(list, newest)} limit ${limit} offset ${offset}) as ids
    from looked`.compile(sql)
  return await db.one(raw<Looked>(text, parameters))
}

/** SQL for the group of a record in a part of the list; null if the part has no groups. */
function groupOf({ parts }: RecordList, part: number): Fragment {
  const by = parts[part]?.groups?.by
  return by === undefined ? fragment`null::uuid` : columnsOf([by])
}
