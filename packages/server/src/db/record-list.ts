import { sql as fragment, type RawBuilder } from 'kysely'
import { countedAtMost } from './bounded-count.ts'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** A list of rows `r` of a table about agents, newest first. */
export interface RecordList {
  table: 'findings' | 'reviews' | 'approvals'
  /** Columns that tell how new a row is, the first one before the others. The last one is `id`. */
  newest: readonly string[]
  /** The list is of this agent only. Its parts are too. */
  agentId?: string | undefined
  /** The list is the rows of all parts. No row is in two parts. */
  parts: readonly RecordPart[]
  limit: number
  offset: number
}

/** An index leads with `tenant_id` and the columns of `led`, and then has the rows newest first. */
export interface RecordPart {
  /** Columns and the value of each. */
  led: readonly (readonly [column: string, value: string])[]
  /** A further condition on a row `r`. */
  also?: RawBuilder<unknown>
  /** The columns after those of `led` in the index, if they are others than `newest` and sort the rows alike. */
  newest?: readonly string[]
}

/**
 * Rows with these values; undefined is any. The records of one agent are led by the agent alone: an index has their other columns beside it.
 */
export function partOf({ agent_id, ...values }: Record<string, string | undefined>): RecordPart {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (agent_id === undefined) return { led: given }
  const rest = given.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return { led: [['agent_id', agent_id]], ...(rest.length > 0 && { also: fragment.join(rest, fragment` and `) }) }
}

export interface RecordPage {
  /** SQL for an array: the ids of the page. */
  ids: RawBuilder<string[]>
  /** Stops at 10,000. */
  total: number | Promise<number>
}

type Fragment = RawBuilder<unknown>

export const columnsOf = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment.ref(`${alias}.${name}`)))

export const newestFirst = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment`${fragment.ref(`${alias}.${name}`)} desc`))

/** What rows `r` of a part have, apart from the tenant. */
export function isOfPart({ led, also }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return fragment.join([fragment`true`, ...equal, ...(also ? [also] : [])], fragment` and `)
}

/**
 * The newest rows of a part, at most `count`, by the part's index. With `column = value` the planner may take another index that has the
 * order, and pass over all rows that are newer than the first match. It takes two bounds for a range, which only this index has in order.
 */
function newestOfPart(
  { tenantId }: Sql,
  { table, newest }: RecordList,
  part: RecordPart,
  { columns, count }: { columns: Fragment; count: number | Fragment },
): Fragment {
  const within = part.led.map(([column, value]) => {
    const of = fragment.ref(`r.${column}`)
    return fragment`${of} >= ${value} and ${of} <= ${value}`
  })
  const led = part.led.map(([column]) => fragment.ref(`r.${column}`))
  const order = fragment.join([...led, newestFirst(part.newest ?? newest)])
  const conditions = fragment.join(
    [...within, ...(part.also ? [part.also] : [])].map((one) => fragment` and ${one}`),
    fragment``,
  )
  return fragment`select ${columns} from ${fragment.table(table)} r
    where r.tenant_id = ${tenantId}${conditions} order by ${order} limit ${count}`
}

/** A page of the list, and its total, for an actor who sees all agents. */
export function pageOfAll(db: Sql, list: RecordList): RecordPage {
  const { newest, limit, offset } = list
  const ids = fragment<
    string[]
  >`array(select r.id from (${newestOfAll(db, list, () => columnsOf(newest), limit + offset)}) r
    order by ${newestFirst(newest)} limit ${limit} offset ${offset})`
  return { ids, total: countAll(db, list) }
}

async function countAll(db: Sql, list: RecordList): Promise<number> {
  const most = fragment.lit(countedAtMost)
  const { sql: text, parameters } = fragment`select count(*) as total
    from (select from (${newestOfAll(db, list, () => fragment`r.id`, most)}) r limit ${most}) counted`.compile(sql)
  return (await db.one(raw<{ total: number }>(text, parameters))).total
}

/** The newest rows of each part, at most `count` of each, with columns by the number of the part. */
export const newestOfAll = (
  db: Sql,
  list: RecordList,
  columns: (part: number) => Fragment,
  count: number | Fragment,
): Fragment =>
  fragment.join(
    list.parts.map((part, at) => fragment`(${newestOfPart(db, list, part, { columns: columns(at), count })})`),
    fragment` union all `,
  )
