import { sql as fragment, type RawBuilder } from 'kysely'
import { countedAtMost } from './bounded-count.ts'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** A list of findings, reviews or approvals, newest first. Each row belongs to an agent. The SQL alias of a row is `r`. */
export interface RecordList {
  table: 'findings' | 'reviews' | 'approvals'
  /** The columns that sort rows by age, the most significant first. The last column is `id`. */
  newest: readonly string[]
  /** If set, the list contains only the rows of this agent. All `parts` must then contain only rows of this agent. */
  agentId?: string | undefined
  /**
   * The list is divided into these parts, so that PostgreSQL can read each part from one index. Each row of the list is in
   * exactly one part.
   */
  parts: readonly RecordPart[]
  limit: number
  offset: number
}

/**
 * A part of a list: rows that PostgreSQL can read from one index, newest first. The columns of this index are `tenant_id`, then
 * the columns of `led`, then the columns that sort rows by age.
 */
export interface RecordPart {
  /** The index columns between `tenant_id` and the sort columns. All rows of the part have the given value in each column. */
  led: readonly (readonly [column: string, value: string])[]
  /** An additional SQL condition that all rows of the part meet. The SQL alias of a row is `r`. */
  also?: RawBuilder<unknown>
  /**
   * The sort columns of the index, which follow the columns of `led`. Default: `RecordList.newest`. Set only if the index has
   * other sort columns. They must sort the rows in the same order as `RecordList.newest`.
   */
  newest?: readonly string[]
}

/**
 * Returns the part of a list that contains the rows with the given column values. A column may have any value if its value here
 * is undefined.
 * Without an `agent_id`, all given columns are in `led`. With an `agent_id`, only `agent_id` is in `led`, and the other values
 * become the condition `also`. The index that starts with `tenant_id` and `agent_id` also contains the other columns, so
 * PostgreSQL checks the condition in the index.
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

/** Returns the SQL condition that the row `r` belongs to this part of a list. The condition does not check the tenant. */
export function isOfPart({ led, also }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return fragment.join([fragment`true`, ...equal, ...(also ? [also] : [])], fragment` and `)
}

/**
 * Returns SQL that selects the newest rows of one part of a list, at most `count` rows. PostgreSQL must read them from the
 * index of the part (see `RecordPart`). With the condition `column = value`, the planner may choose another index that sorts
 * the rows by age, and read many newer rows that do not match. With two bounds (`>=` and `<=`) and `column` in the sort order,
 * the planner must use the index of the part, because no other index has this order.
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
 * Returns SQL that selects the newest rows of each part of the list, at most `count` rows per part. `columns` receives the
 * position of a part in `list.parts` and returns the columns to select.
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
