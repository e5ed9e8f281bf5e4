import { sql as fragment, type RawBuilder } from 'kysely'
import type { Sql } from '../database.ts'
import { raw, sql } from '../statements/statement.ts'

/** The count of the rows of a list stops at this number. A total of 10,000 therefore means "10,000 or more". */
export const countedAtMost = 10_000

/** A select query of the query builder, with only the methods that `countBounded` uses. */
interface Rows {
  clearSelect(): Rows
  select(column: RawBuilder<unknown>): Rows
  limit(count: RawBuilder<number>): Rows
  // biome-ignore lint/suspicious/noExplicitAny: the function accepts a select of any table
  as(alias: string): any
}

/** Counts the rows of a select. Reads at most `countedAtMost` rows. */
export async function countBounded(db: Sql, rows: unknown): Promise<number> {
  // The limit is a constant in the text, because PostgreSQL estimates a limit that is a parameter as 10 % of the rows.
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

/** SQL that counts rows and stops at `countedAtMost`. `rows` is a `from` clause with its conditions. */
export const boundedCount = (rows: string): string =>
  `(select count(*) from (select from ${rows} limit ${countedAtMost}) counted)`

/** Formats a count. Returns `10,000 or more` if counting stopped there. */
export function countInWords(count: number, one: string, many: string): string {
  if (count >= countedAtMost) return `${countedAtMost.toLocaleString('en-US')} or more ${many}`
  return `${count} ${count === 1 ? one : many}`
}
