import pg from 'pg'
import type { NamedStatement } from './statement.ts'

interface Field {
  name: string
  dataTypeID: number
}

type Row = Record<string, unknown>
type Columns = readonly { name: string; parse: (text: string) => unknown }[]

/** The part of the driver's connection that a query writes to. */
interface Connection {
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: null): void
  sync(): void
  parse(message: { name: string; text: string }): void
  submittedNamedStatements: Record<string, string>
}

/** The driver's query, with what its types leave out. */
interface DriverQuery {
  name: string
  text: string
  values: unknown[]
  callback: (error: Error | null, result?: { rows: Row[] }) => void
  _result: { _types: { getTypeParser(oid: number): (text: string) => unknown } }
  hasBeenParsed(connection: Connection): boolean
  handleError(error: unknown, connection: Connection): void
}

const DriverQuery = pg.Query as unknown as new (config: NamedStatement, values: undefined, done: unknown) => DriverQuery

/** What each prepared statement of a connection answers: the server is asked the first time only. */
const knownColumns = new WeakMap<Connection, Map<string, Columns>>()

/**
 * Runs a named statement as the driver's own query does, without asking anew what its columns are: they cannot change under a
 * prepared statement, for PostgreSQL refuses to run it then. Another statement may go before it, in the same transaction and
 * behind the same answer, whose rows are not looked at.
 */
class PreparedQuery extends DriverQuery {
  private readonly found: Row[] = []
  private readonly first: NamedStatement | undefined
  private isFirst: boolean
  private columns: Columns | undefined
  private unreadable: Error | undefined

  constructor(statement: NamedStatement, first: NamedStatement | undefined, done: unknown) {
    super(statement, undefined, done)
    this.first = first
    this.isFirst = first !== undefined
  }

  prepare(connection: Connection): void {
    const known = columnsKnownTo(connection)
    this.columns = known.get(this.name)
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name: this.name, text: this.text })
      connection.submittedNamedStatements[this.name] = this.text
    }
    try {
      if (this.first) {
        connection.bind({ statement: this.first.name, values: this.first.values, valueMapper: pgUtils.prepareValue })
        connection.execute(null)
      }
      connection.bind({ statement: this.name, values: this.values, valueMapper: pgUtils.prepareValue })
    } catch (error) {
      connection.sync()
      this.handleError(error, connection)
      return
    }
    if (!this.columns) connection.describe({ type: 'P', name: '' })
    connection.execute(null)
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const types = this._result._types
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.isFirst || this.unreadable !== undefined) return
    try {
      this.found.push(readRow(this.columns as Columns, fields))
    } catch (error) {
      this.unreadable = error as Error
    }
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    if (this.isFirst) this.isFirst = false
    else columnsKnownTo(connection).set(this.name, this.columns ?? [])
  }

  handleReadyForQuery(): void {
    if (this.unreadable === undefined) this.callback(null, { rows: this.found })
    else this.callback(this.unreadable)
  }
}

function readRow(columns: Columns, texts: (string | null)[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const { name, parse } = columns[at] as Columns[number]
    const text = texts[at] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

const pgUtils = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

function columnsKnownTo(connection: Connection): Map<string, Columns> {
  let known = knownColumns.get(connection)
  if (!known) {
    known = new Map()
    knownColumns.set(connection, known)
  }
  return known
}

/**
 * The statement's rows. `first` runs right before it, and what it sets for the transaction holds for the statement; it must have
 * been run on the connection before.
 */
export function runPrepared(
  client: pg.ClientBase,
  statement: NamedStatement,
  first?: NamedStatement,
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result?: { rows: unknown[] }) => {
      if (error) reject(error)
      else resolve(result?.rows ?? [])
    }
    client.query(new PreparedQuery(statement, first, done) as unknown as pg.Submittable)
  })
}
