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

/** Builds statements, but never runs them. `database.ts` runs them, because it chooses the connection for a tenant. */
export const sql = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/** A query builder, or SQL text with its values. The rows of the result have type `Row`. */
export type Statement<Row> = Compilable<Row> | RawStatement<Row>

export interface RawStatement<Row> {
  text: string
  values: readonly unknown[]
  /** The name of the prepared statement, if the caller has already computed it. */
  name?: string
  /** Never set. Exists only to carry the row type. */
  row?: Row
}

export interface NamedStatement {
  name: string
  text: string
  values: unknown[]
}

/**
 * Creates a statement from SQL text. `text` must be a constant, because PostgreSQL prepares each distinct text once per
 * connection and keeps it.
 */
export function raw<Row>(text: string, values: readonly unknown[]): RawStatement<Row> {
  return { text, values }
}

/** Compiles a statement and names it by a hash of its text. PostgreSQL then prepares it only once per connection. */
export function named(statement: Statement<unknown>): NamedStatement {
  const { name, text, values } = 'compile' in statement ? compiled(statement) : statement
  return { name: name ?? statementName(text), text, values: values as unknown[] }
}

function compiled(builder: Compilable<unknown>): RawStatement<unknown> {
  const query = builder.compile()
  return { text: query.sql, values: query.parameters }
}

const names = new Map<string, string>()

/** Returns the name of the prepared statement for this SQL text. The name is the same on every connection. */
export function statementName(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
    names.set(text, name)
  }
  return name
}
