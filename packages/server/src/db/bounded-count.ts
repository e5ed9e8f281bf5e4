import { sql as fragment, type RawBuilder } from 'kysely'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** Totals of lists stop here: a total of this size means "this many or more". */
export const countedAtMost = 10_000

/** What a query builder of rows offers; only how many rows it has matters here. */
interface Rows {
  clearSelect(): Rows
  select(column: RawBuilder<unknown>): Rows
  limit(count: RawBuilder<number>): Rows
  // biome-ignore lint/suspicious/noExplicitAny: any select of any table can be counted
  as(alias: string): any
}

/** Counts the rows of a select, and reads no more of them than `countedAtMost`. */
export async function countBounded(db: Sql, rows: unknown): Promise<number> {
  // A constant limit: PostgreSQL estimates a parameterised one as 10 % of the rows.
  const some = (rows as Rows)
    .clearSelect()
    .select(fragment`1`.as('one') as never)
    .limit(fragment.lit(countedAtMost))
  const { sql: text, parameters } = sql
    .selectFrom(some.as('counted'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .compile()
  return (await db.one(raw<{ total: number }>(text, parameters))).total
}

/** SQL for the bounded count of `rows`, a `from` clause and its conditions. */
export const boundedCount = (rows: string): string =>
  `(select count(*) from (select from ${rows} limit ${countedAtMost}) counted)`

/** A count in words, `10,000 or more` where the count stopped. */
export function countInWords(count: number, one: string, many: string): string {
  if (count >= countedAtMost) return `${countedAtMost.toLocaleString('en-US')} or more ${many}`
  return `${count} ${count === 1 ? one : many}`
}
