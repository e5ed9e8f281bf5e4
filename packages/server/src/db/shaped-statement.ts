import type { Compilable, RawBuilder } from 'kysely'
import { type RawStatement, sql } from './statement.ts'

/** Stands for a value that is known when the statement runs. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A place for `values[name]`, typed as what the builder takes there. */
export function slot<T = string>(name: string): T {
  return new Slot(name) as T
}

/** Compiles a builder with slots once: building the text of a long statement on every request costs as much as running it. */
export function shapedStatement<Row>(
  builder: RawBuilder<Row> | Compilable<Row>,
): (values: Record<string, unknown>) => RawStatement<Row> {
  const { sql: text, parameters } = builder.compile(sql)
  return (values) => ({
    text,
    values: parameters.map((parameter) => (parameter instanceof Slot ? values[parameter.name] : parameter)),
  })
}
