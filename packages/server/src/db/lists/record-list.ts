import { sql as fragment, type RawBuilder } from 'kysely'
import type { Sql } from '../database.ts'
import { raw, sql } from '../statements/statement.ts'
import { countedAtMost } from './bounded-count.ts'

/** A list of findings, reviews or approvals, usually newest first. Each row belongs to an agent. The SQL alias of a row is `r`. */
export interface RecordList {
  table: 'findings' | 'reviews' | 'approvals'
  /** The columns that sort the rows, in descending order, the most significant first. The last column is `id`. */
  newest: readonly string[]
  /** If true, the columns in `newest` sort the rows in ascending order. */
  ascending?: boolean
  /** If set, the list contains only the rows of this agent. All `parts` must then contain only rows of this agent. */
  agentId?: string | undefined
  /** The parts of the list. Each row of the list is in exactly one part. PostgreSQL can read each part from one index. */
  parts: readonly RecordPart[]
  limit: number
  offset: number
}

/**
 * A part of a list. PostgreSQL reads the rows of a part from one index, newest rows first. This index has the column
 * `tenant_id`, then the columns in `led`, and then the columns that sort the rows by age. A part without an `agent_id` also
 * has an index with `environment_id` between `tenant_id` and `led` (see `inEnvironment`).
 */
export interface RecordPart {
  /** The leading index columns after `tenant_id`, each with a value. All rows of this part have these values. */
  led: readonly (readonly [column: string, value: string])[]
  /** An additional SQL condition that is true for all rows of this part. `r` is the SQL alias of a row. */
  also?: RawBuilder<unknown>
  /**
   * The index columns that sort the rows by age. Default: `RecordList.newest`. If the index has other columns, they must sort
   * the rows in the same order.
   */
  newest?: readonly string[]
  /** The condition of a partial index, as constant text. It is true for all rows of this part. */
  within?: RawBuilder<unknown>
  /** If set, the part consists of groups. The rows of each group are read from the index of the part. */
  groups?: RecordGroups
}

/**
 * The groups of a part: all rows with the same value in the column `by` are one group. In the index of the part, `by` is between
 * the columns in `led` and the columns that sort the rows. It is never null. PostgreSQL finds the values one after the other in the index, so the cost
 * depends on the number of groups and not on the number of their rows.
 */
export interface RecordGroups {
  by: string
  /** Which groups the part has: all except the group with this value, or only this group. */
  with: { except: string } | { only: string }
}

/**
 * Returns the part of a list that contains all rows with the given column values. Columns whose value is undefined are ignored.
 * Without an `agent_id`, the columns become `led` (the leading columns of the index). With an `agent_id`, only `agent_id`
 * becomes `led`, and the other columns become the condition `also`. PostgreSQL can check this condition in the index, because
 * the index that starts with `tenant_id` and `agent_id` also contains the other columns.
 */
export function partOf({ agent_id, ...values }: Record<string, string | undefined>): RecordPart {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (agent_id === undefined) return { led: given }
  const rest = given.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return { led: [['agent_id', agent_id]], ...(rest.length > 0 && { also: fragment.join(rest, fragment` and `) }) }
}

/**
 * SQL for the column `environment_id` of a new record: the environment of its agent, or null. In the insert, `$1` must be the
 * tenant and `$3` the agent's id. The transaction must have locked or created the agent. A deletion of the environment then
 * either sees the record, or has already set the agent's environment to null.
 */
export const environmentOfAgent = '(select a.environment_id from agents a where a.tenant_id = $1 and a.id = $3)'

/**
 * Limits a list that is not limited to one agent to the records of an environment's agents. A record has the environment of its
 * agent.
 */
export function inEnvironment(list: RecordList, environmentId: string): RecordList {
  const environment = ['environment_id', environmentId] as const
  return { ...list, parts: list.parts.map((part) => ({ ...part, led: [environment, ...part.led] })) }
}

/** Adds an SQL condition to each part of a list. */
export function limitedTo(list: RecordList, condition: RawBuilder<unknown>): RecordList {
  const also = (part: RecordPart) => (part.also ? fragment`${part.also} and ${condition}` : condition)
  return { ...list, parts: list.parts.map((part) => ({ ...part, also: also(part) })) }
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

/** SQL that sorts rows in the order of a list. `names` are the columns that sort them. */
export const inOrder = ({ ascending }: Pick<RecordList, 'ascending'>, names: readonly string[]): Fragment =>
  fragment.join(names.map((name) => sortedBy(fragment.ref(`r.${name}`), !ascending)))

const ofRow = (column: string): Fragment => fragment.ref(`r.${column}`)

const sortedBy = (value: Fragment, descending: boolean): Fragment => (descending ? fragment`${value} desc` : value)

const isOfGroups = ({ by, with: which }: RecordGroups): Fragment =>
  'only' in which ? fragment`${ofRow(by)} = ${which.only}` : fragment`${ofRow(by)} <> ${which.except}`

/** Returns the SQL condition that the row `r` belongs to this part of a list. The condition does not check the tenant. */
export function isOfPart({ led, also, within, groups }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  const other = groups && isOfGroups(groups)
  const conditions = [within, other, also].filter((one) => one !== undefined)
  return fragment.join([fragment`true`, ...equal, ...conditions], fragment` and `)
}

/**
 * Returns SQL that selects the newest rows of one part of a list, at most `count` rows. PostgreSQL must use the index of the
 * part (see `RecordPart`). With the condition `column = value`, the planner might choose an index that only sorts the rows by
 * age. It would then read many rows that do not match. The SQL therefore uses two bounds (`>=` and `<=`) and also sorts by
 * `column`. Only the index of the part has this order.
 */
function newestOfPart(db: Sql, list: RecordList, part: RecordPart, { columns, count }: Read): Fragment {
  if (part.groups) return newestOfGroups(db, list, part, part.groups, { columns, count })
  return newestWith(db, list, part, { columns, count, conditions: [], orders: [] })
}

interface Read {
  columns: Fragment
  count: number | Fragment
}

/** Returns SQL that selects the newest rows of each group of a part, at most `count` rows per group. */
function newestOfGroups(
  db: Sql,
  list: RecordList,
  part: RecordPart,
  { by: column, with: which }: RecordGroups,
  { columns, count }: Read,
): Fragment {
  const by = ofRow(column)
  const rowsOf = (value: Fragment) =>
    newestWith(db, list, part, {
      columns,
      count,
      conditions: [fragment`${by} = ${value}`],
      orders: [sortedBy(by, list.ascending === true)],
    })
  if ('only' in which) return rowsOf(fragment`${which.only}`)
  const next = (isAfter: Fragment) =>
    newestWith(
      db,
      { ...list, ascending: false },
      { led: part.led, ...(part.within && { within: part.within }), newest: [] },
      {
        columns: by,
        count: fragment.lit(1),
        conditions: [isAfter],
        orders: [by],
      },
    )
  return fragment`select r.* from (
      with recursive found as (
        (select first.value from (${next(fragment`true`)}) first(value))
        union all
        select (${next(fragment`${by} > found.value`)}) from found where found.value is not null)
      select found.value from found where found.value <> ${which.except}) found
    cross join lateral (${rowsOf(fragment`found.value`)}) r`
}

function newestWith(
  { tenantId }: Sql,
  list: RecordList,
  { led, also, within, newest = list.newest }: RecordPart,
  { columns, count, conditions, orders }: Read & { conditions: Fragment[]; orders: Fragment[] },
): Fragment {
  const bounds = led.map(([column, value]) => {
    const of = fragment.ref(`r.${column}`)
    return fragment`${of} >= ${value} and ${of} <= ${value}`
  })
  const all = [...bounds, within, ...conditions, also].filter((one) => one !== undefined)
  const sorted = fragment.join([
    ...led.map(([column]) => sortedBy(fragment.ref(`r.${column}`), list.ascending === true)),
    ...orders,
    ...(newest.length > 0 ? [inOrder(list, newest)] : []),
  ])
  return fragment`select ${columns} from ${fragment.table(list.table)} r
    where r.tenant_id = ${tenantId}${fragment.join(
      all.map((one) => fragment` and ${one}`),
      fragment``,
    )} order by ${sorted} limit ${count}`
}

/** Returns a page of the list and its total, for an actor who sees all records of the list. */
export function pageOfAll(db: Sql, list: RecordList): RecordPage {
  const { newest, limit, offset } = list
  const ids = fragment<
    string[]
  >`array(select r.id from (${newestOfAll(db, list, () => columnsOf(newest), limit + offset)}) r
    order by ${inOrder(list, newest)} limit ${limit} offset ${offset})`
  return { ids, total: countAll(db, list) }
}

/** Counts the rows of the list for an actor who sees all of them. Counting stops at `atMost`. */
export async function countAll(db: Sql, list: RecordList, atMost = countedAtMost): Promise<number> {
  const most = fragment.lit(atMost)
  const { sql: text, parameters } =
    fragment`select count(*) as total from (${someOfAll(db, list, most)}) counted`.compile(sql)
  return (await db.one(raw<{ total: number }>(text, parameters))).total
}

/**
 * Returns SQL that selects the newest rows of each part of the list (see `RecordList.parts`), at most `count` rows per part.
 * `columns` returns the columns to select. Its parameter is the index of the part in `list.parts`.
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

/**
 * Returns SQL that selects some rows of the list, at most `count` rows, without columns. The rows of a group are not sorted, so
 * that PostgreSQL does not sort the rows of a long group.
 */
export function someOfAll(db: Sql, list: RecordList, count: Fragment): Fragment {
  const parts = list.parts.map((part) => (part.groups ? { ...part, newest: [] } : part))
  return fragment`select from (${newestOfAll(db, { ...list, parts }, () => fragment`r.id`, count)}) r limit ${count}`
}
