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

export const newestFirst = (names: readonly string[], alias = 'r'): Fragment =>
  fragment.join(names.map((name) => fragment`${fragment.ref(`${alias}.${name}`)} desc`))

/** Returns the SQL condition that the row `r` belongs to this part of a list. The condition does not check the tenant. */
export function isOfPart({ led, also }: RecordPart): Fragment {
  const equal = led.map(([column, value]) => fragment`${fragment.ref(`r.${column}`)} = ${value}`)
  return fragment.join([fragment`true`, ...equal, ...(also ? [also] : [])], fragment` and `)
}

/**
 * Returns SQL that selects the newest rows of one part of a list, at most `count` rows. PostgreSQL must use the index of the
 * part (see `RecordPart`). With the condition `column = value`, the planner might choose an index that only sorts the rows by
 * age. It would then read many rows that do not match. The SQL therefore uses two bounds (`>=` and `<=`) and also sorts by
 * `column`. Only the index of the part has this order.
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

/** Returns a page of the list and its total, for an actor who sees all records of the list. */
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
