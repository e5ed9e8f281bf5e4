import { createHash } from 'node:crypto'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { DB } from './types.generated.ts'

/** Builds statements but never runs them, because `database.ts` chooses the connection by tenant. */
export const sql = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A query builder, or text with its values. Its rows have type `Row`. */
export type Statement<Row> = Compilable<Row> | RawStatement<Row>

export interface RawStatement<Row> {
  text: string
  values: readonly unknown[]
  /** The statement's name, if the caller knows it. */
  name?: string
  /** Never set. Only carries the row type. */
  row?: Row
}

export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

/** Returns a hand-written statement. `text` must be a constant, because each distinct text is prepared once on every connection. */
export function raw<Row>(text: string, values: readonly unknown[]): RawStatement<Row> {
  return { text, values }
}

/** Compiles a statement. Its name is a hash of its text, so PostgreSQL prepares it once per connection. */
export function named(statement: Statement<unknown>): NamedStatement {
  const { name, text, values } = 'compile' in statement ? compiled(statement) : statement
  return { name: name ?? statementName(text), text, values: values as unknown[] }
}

function compiled(builder: Compilable<unknown>): RawStatement<unknown> {
  const query = builder.compile()
  return { text: query.sql, values: query.parameters }
}

const names = new Map<string, string>()

/** The name that the text is prepared with on every connection. */
export function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
    names.set(text, name)
  }
  return name
}
