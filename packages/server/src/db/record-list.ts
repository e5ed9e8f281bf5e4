import { sql as fragment, type RawBuilder } from 'kysely'
import { countedAtMost } from './bounded-count.ts'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** A list of rows `r` of a table about agents, newest first. */
export interface RecordList {
  table: 'findings' | 'reviews' | 'approvals'
  /** The columns that sort rows by age, the most significant first. The last one is `id`. */
  newest: readonly string[]
  /** If set, the list and all its parts contain only this agent's rows. */
  agentId?: string | undefined
  /** The parts that make up the list. A row is in only one part. */
  parts: readonly RecordPart[]
  limit: number
  offset: number
}

/** Rows that one index serves: it starts with `tenant_id` and the columns of `led`, and then has the rows newest first. */
export interface RecordPart {
  /** Pairs of a column and its value. */
  led: readonly (readonly [column: string, value: string])[]
  /** An additional condition on a row `r`. */
  also?: RawBuilder<unknown>
  /** The columns after `led` in the index, if they differ from the list's `newest` and sort the rows in the same order. */
  newest?: readonly string[]
}

/**
 * The part of the rows with these values. Undefined matches any value. With an `agent_id`, only the agent is in `led`, because an index
 * on the agent also contains the other columns.
 */
export function partOf({ agent_id, ...values }: Record<string, string | undefined>): RecordPart {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (agent_id === undefined) return { led: given }
  const rest = given.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return { led: [['agent_id', agent_id]], ...(rest.length > 0 && { also: fragment.join(rest, fragment` and `) }) }
}

export interface RecordPage {
  /** SQL for an array with the ids of the page. */
  ids: RawBuilder<string[]>
  /** The total, at most 10,000. */
  total: number | Promise<number>
}

type Fragment = RawBuilder<unknown>

export const columnsOf = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment.ref(`${alias}.${name}`)))

export const newestFirst = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment`${fragment.ref(`${alias}.${name}`)} desc`))

/** SQL condition: the row `r` belongs to the part. Does not check the tenant. */
export function isOfPart({ led, also }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return fragment.join([fragment`true`, ...equal, ...(also ? [also] : [])], fragment` and `)
}

/**
 * SQL for the newest rows of a part, at most `count`, by the part's index. With `column = value` the planner may choose another index in
 * the right order and skip all rows that are newer than the first match. With two bounds (`>=` and `<=`) it must use the part's index,
 * because no other index has these rows in order.
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

/** A page of the list and its total, for an actor who sees all agents. */
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

/** SQL for the newest rows of each part, at most `count` per part. `columns` returns the columns for the index of a part. */
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
