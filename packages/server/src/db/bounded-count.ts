import { sql as fragment, type RawBuilder } from 'kysely'
import type { Sql } from './database.ts'
import { raw, sql } from './statement.ts'

/** Totals of lists stop at this number. It then means "this many or more". */
export const countedAtMost = 10_000

/** The methods of a select that counting needs. */
interface Rows {
  clearSelect(): Rows
  select(column: RawBuilder<unknown>): Rows
  limit(count: RawBuilder<number>): Rows
  // biome-ignore lint/suspicious/noExplicitAny: any select of any table can be counted
  as(alias: string): any
}

/** Counts the rows of a select. Reads at most `countedAtMost` rows. */
export async function countBounded(db: Sql, rows: unknown): Promise<number> {
  // The limit is a constant, because PostgreSQL estimates a limit in a parameter as 10 % of the rows.
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

/** SQL for the bounded count of `rows`, which is a `from` clause with its conditions. */
export const boundedCount = (rows: string): string =>
  `(select count(*) from (select from ${rows} limit ${countedAtMost}) counted)`

/** A count as text. Says `10,000 or more` if the count stopped there. */
export function countInWords(count: number, one: string, many: string): string {
  if (count >= countedAtMost) return `${countedAtMost.toLocaleString('en-US')} or more ${many}`
  return `${count} ${count === 1 ? one : many}`
}
