import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../authz/actor.ts'
import { fragmentsBySight } from '../authz/by-sight.ts'
import { seesWholeTenant } from '../authz/can.ts'
import { agentOfRecordVisibleTo, visibleAgentIds } from '../authz/visibility.ts'
import { countedAtMost } from '../db/bounded-count.ts'
import type { Sql } from '../db/database.ts'
import { namedSql } from '../db/named-parameters.ts'
import {
  columnsOf,
  isOfPart,
  newestFirst,
  newestOfAll,
  pageOfAll,
  type RecordList,
  type RecordPage,
} from '../db/record-list.ts'
import { raw, sql } from '../db/statement.ts'

// So many agents in sight, and so many records of the list, are counted to choose which of them to go through.
const comparedAtMost = 10_000
// Of a long list so many of the newest records are looked at for the page, and then so many.
const looksForPage = [1000, 4000]
// If the actor sees this share of the newest records, so many have enough in sight for the total.
const denseShare = 0.85
const lookForTotal = 12_000

type Fragment = RawBuilder<unknown>

/**
 * A page of a list of records on agents that the actor sees, and its total. For an actor who sees a part of the agents it looks at each
 * record of the list, or at the records of each agent in sight: at those that are fewer. `db` should read one moment
 * (`Database.readMoment`): it takes up to six statements.
 *
 * One list costs a look-up for each agent in sight: of more than 10,000 records, of which the actor sees a small part, for an actor who sees
 * more than 10,000 agents.
 */
export async function findRecordsInSight(db: Sql, actor: Member, list: RecordList): Promise<RecordPage> {
  if (seesWholeTenant(actor)) return pageOfAll(db, list)
  const { agents, records } = await compare(db, actor, list)
  if (records <= Math.min(agents, comparedAtMost)) {
    const { ids, seen } = await lookAtNewest(db, actor, list, comparedAtMost + 1)
    return pageOf(ids, Math.min(seen, countedAtMost))
  }
  if (agents > comparedAtMost) {
    const page = await findDensePage(db, actor, list)
    if (page) return page
  }
  const { ids, total } = await findOfAgents(db, actor, list)
  return pageOf(total < countedAtMost ? ids : await findLongPage(db, actor, list), total)
}

const pageOf = (ids: readonly string[], total: number): RecordPage => ({ ids: fragment`${ids}::uuid[]`, total })

const allInSight = fragmentsBySight({}, ({ sight }) => namedSql<unknown>(visibleAgentIds(sight)))

/** A select of `agent_id`, of the agents of the list that the actor sees. */
function agentsInSight(actor: Member, { agentId }: RecordList): Fragment {
  const all = allInSight(actor, {})
  return agentId === undefined ? all : fragment`select s.agent_id from (${all}) s where s.agent_id = ${agentId}`
}

/** How many agents the actor sees and how many records the list has for everyone; more than 10,000 are not counted. */
async function compare(db: Sql, actor: Member, list: RecordList): Promise<{ agents: number; records: number }> {
  const most = fragment.lit(comparedAtMost + 1)
  const { sql: text, parameters } = fragment`
    select (select count(*) from (${agentsInSight(actor, list)} limit ${most}) s) as agents,
      (select count(*) from (${newestOfAll(db, list, () => fragment`r.id`, most)}) r) as records`.compile(sql)
  return await db.one(raw<{ agents: number; records: number }>(text, parameters))
}

/** The page if the actor sees nearly all of the newest records, and 10,000 of these. Most agents in sight may have no records. */
async function findDensePage(db: Sql, actor: Member, list: RecordList): Promise<RecordPage | undefined> {
  const few = looksForPage[0]!
  const { seen } = await lookAtNewest(db, actor, list, few)
  if (seen < denseShare * few) return undefined
  const looked = await lookAtNewest(db, actor, list, lookForTotal)
  return looked.is_whole && looked.seen >= countedAtMost ? pageOf(looked.ids, countedAtMost) : undefined
}

/** Goes through the agents until 10,000 records are found; if there are fewer, `ids` is the page. */
async function findOfAgents(db: Sql, actor: Member, list: RecordList): Promise<{ ids: string[]; total: number }> {
  const { newest, limit, offset } = list
  const most = fragment.lit(countedAtMost)
  const { sql: text, parameters } = fragment`
    with found as materialized (
      select r.* from (${agentsInSight(actor, list)}) s
      cross join lateral (${ofAgent(db, list)} limit ${most}) r limit ${most})
    select count(*) as total,
      array(select r.id from found r order by ${newestFirst(newest)} limit ${limit} offset ${offset}) as ids
    from found`.compile(sql)
  return await db.one(raw<{ ids: string[]; total: number }>(text, parameters))
}

/** A page of a list of which the actor sees 10,000 records or more. */
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
      cross join lateral (${ofAgent(db, list)} order by ${newestFirst(newest)} limit ${wanted}) r
      order by ${newestFirst(newest)} limit ${limit} offset ${offset}) as ids`.compile(sql)
  return (await db.one(raw<{ ids: string[] }>(text, parameters))).ids
}

/** The records `r` of an agent `s` that are in the list. */
function ofAgent({ tenantId }: Sql, { table, newest, parts }: RecordList): Fragment {
  const isListed = fragment.join(
    parts.map((part) => fragment`(${isOfPart(part)})`),
    fragment` or `,
  )
  return fragment`select ${columnsOf(newest)} from ${fragment.table(table)} r
    where r.tenant_id = ${tenantId} and r.agent_id = s.agent_id and (${isListed})`
}

interface Looked {
  /** Of the page, as far as they were looked at. */
  ids: string[]
  /** How many the actor sees. */
  seen: number
  /** No record that was not looked at belongs to the page. */
  is_whole: boolean
}

/** Looks at the newest records of each part of the list, at most `count`. */
async function lookAtNewest(db: Sql, actor: Member, list: RecordList, count: number): Promise<Looked> {
  const { newest, limit, offset } = list
  const columns = (part: number) => fragment`${fragment.lit(part)} as part, r.agent_id, ${columnsOf(newest)}`
  const { sql: text, parameters } = fragment`
    with looked as materialized (
      select r.part, ${columnsOf(newest)}, ${agentOfRecordVisibleTo(actor)} is true as is_seen
      from (${newestOfAll(db, list, columns, fragment.lit(count))}) r)
    select count(*) filter (where is_seen) as seen,
      not exists (select from looked group by part
        having count(*) = ${fragment.lit(count)} and count(*) filter (where is_seen) < ${limit + offset}) as is_whole,
      array(select r.id from looked r where r.is_seen
        order by ${newestFirst(newest)} limit ${limit} offset ${offset}) as ids
    from looked`.compile(sql)
  return await db.one(raw<Looked>(text, parameters))
}
