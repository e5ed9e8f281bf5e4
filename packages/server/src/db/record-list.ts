import { sql as fragment, type RawBuilder } from 'kysely'
import { countedAtMost } from './bounded-count.ts'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** A list of rows of a table about agents, newest first. The alias of a row in SQL is `r`. */
export interface RecordList {
  table: 'findings' | 'reviews' | 'approvals'
  /** The columns that sort rows by age, the most significant first. The last column is `id`. */
  newest: readonly string[]
  /** If set, the list and all its parts contain only the rows of this agent. */
  agentId?: string | undefined
  /** The parts of the list. Each row of the list is in exactly one part, and each part can be read from one index. */
  parts: readonly RecordPart[]
  limit: number
  offset: number
}

/**
 * Rows that can be read from one index, newest first. The index starts with `tenant_id` and the columns of `led`. The columns
 * that sort rows by age follow.
 */
export interface RecordPart {
  /** The columns that follow `tenant_id` in the index, each with the value that it must have. */
  led: readonly (readonly [column: string, value: string])[]
  /** An additional condition on a row `r`. */
  also?: RawBuilder<unknown>
  /**
   * The columns after `led` in the index. Set only if they differ from the `newest` of the list. They must sort the rows in the
   * same order.
   */
  newest?: readonly string[]
}

/**
 * Returns the part of the rows with these values. Undefined means any value. If an `agent_id` is given, only the agent is in
 * `led`; the other values become a condition that is checked in the index on the agent, which contains their columns.
 */
export function partOf({ agent_id, ...values }: Record<string, string | undefined>): RecordPart {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (agent_id === undefined) return { led: given }
  const rest = given.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return { led: [['agent_id', agent_id]], ...(rest.length > 0 && { also: fragment.join(rest, fragment` and `) }) }
}

export interface RecordPage {
  /** SQL for an array of the ids on the page. */
  ids: RawBuilder<string[]>
  /** The number of rows in the list. Counting stops at 10,000. */
  total: number | Promise<number>
}

type Fragment = RawBuilder<unknown>

export const columnsOf = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment.ref(`${alias}.${name}`)))

export const newestFirst = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment`${fragment.ref(`${alias}.${name}`)} desc`))

/** Returns the SQL condition that the row `r` belongs to the part. It does not check the tenant. */
export function isOfPart({ led, also }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return fragment.join([fragment`true`, ...equal, ...(also ? [also] : [])], fragment` and `)
}

/**
 * Returns SQL for the newest rows of a part, at most `count`. It must read them from the part's index. With `column = value`,
 * the planner may choose another index that has the right order, and skip all rows that are newer than the first match. With
 * two bounds (`>=` and `<=`), the planner must use the part's index, because no other index has these rows in this order.
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

/** Returns a page of the list and its total, for an actor who sees all agents. */
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

/**
 * Returns SQL for the newest rows of each part, at most `count` rows per part. `columns` receives the index of a part and
 * returns the columns to select.
 */
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
