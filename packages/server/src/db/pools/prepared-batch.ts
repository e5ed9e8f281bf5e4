import pg from 'pg'
import { serialize } from 'pg-protocol'
import { DatabaseAway, explainDriverError } from '../connections/database-away.ts'
import type { NamedStatement } from '../statements/statement.ts'

/** A prepared statement with the callbacks that receive its result. */
export interface Step {
  readonly statement: NamedStatement
  /** Called with the rows and with PostgreSQL's command tag, such as `COMMIT`. */
  resolve(rows: Row[], command: string): void
  reject(error: unknown): void
  /** Called instead of `reject` if this step did not run because an earlier step failed. */
  skip?(cause: unknown): void
}

/**
 * Returns the batch step of a statement whose caller does not wait for the result. If the statement fails, the later steps of
 * the batch do not run, and their `skip` is called.
 */
export const withoutCallbacks = (statement: NamedStatement): Step => ({ statement, resolve() {}, reject() {} })

export type Row = Record<string, unknown>

interface Field {
  name: string
  dataTypeID: number
}

type Columns = readonly { name: string; parse: (text: string) => unknown }[]

/** The part of the driver's connection object that a batch uses. */
interface Connection {
  stream: { write(bytes: Buffer): void }
  parsedStatements: Record<string, string>
}

/** The driver's query class with the members that its TypeScript types omit. */
interface DriverQuery {
  _result: { _types: { getTypeParser(oid: number): (text: string) => unknown } }
}

const DriverQuery = pg.Query as unknown as new (config: object, values: undefined, done: () => void) => DriverQuery
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/** The result columns of each prepared statement, for each connection. PostgreSQL describes the columns only once. */
const knownColumns = new WeakMap<Connection, Map<string, Columns>>()

/**
 * Runs named statements in order and reads all their responses together. A batch takes one write to the socket and wakes the
 * backend once. If no transaction is open, the statements of the batch form one transaction. After a statement fails, the later
 * statements do not run. Result columns are described only once per statement. This is safe, because PostgreSQL refuses to run
 * a prepared statement whose columns have changed.
 */
class PreparedBatch extends DriverQuery {
  private readonly steps: readonly Step[]
  private readonly bound: unknown[][]
  private readonly answers: { rows: Row[]; command: string; unreadable?: unknown }[] = []
  /** Index of the first step that has no response yet. */
  private at = 0
  private found: Row[] = []
  private unreadable: unknown
  private columns: (Columns | undefined)[] = []
  private parsed: string[] = []

  constructor(steps: readonly Step[], bound: unknown[][]) {
    super({ text: '' }, undefined, () => {})
    this.steps = steps
    this.bound = bound
  }

  submit(connection: Connection): null {
    const [first, ...others] = this.steps as [Step, ...Step[]]
    // Order of the messages: execute the first statement, parse all other statements, execute the other statements. The first
    // statement may be `begin`. If all statements were parsed first and a parse failed, `begin` would not run, and the next
    // batches would run outside the transaction. All parses come before the other executions, because PostgreSQL skips the rest
    // of a batch after an error. The next batches may already be on their way, and they need the parsed statements.
    const messages = [...this.parse(connection, first.statement), ...this.execute(connection, first.statement, 0)]
    for (const { statement } of others) messages.push(...this.parse(connection, statement))
    for (const [index, { statement }] of others.entries()) {
      messages.push(...this.execute(connection, statement, index + 1))
    }
    messages.push(serialize.sync())
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  private execute(connection: Connection, { name }: NamedStatement, index: number): Buffer[] {
    const bind = serialize.bind({ statement: name, values: this.bound[index] as unknown[] })
    const columns = columnsKnownTo(connection).get(name)
    this.columns.push(columns)
    return columns
      ? [bind, serialize.execute()]
      : [bind, serialize.describe({ type: 'P', name: '' }), serialize.execute()]
  }

  private parse(connection: Connection, { name, text }: NamedStatement): Buffer[] {
    if (connection.parsedStatements[name] !== undefined) return []
    connection.parsedStatements[name] = text
    this.parsed.push(name)
    // After a failed batch it is unknown whether the statement is prepared, so it is closed first. Closing a statement that is
    // not prepared is not an error.
    return [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    const types = this._result._types
    this.columns[this.at] = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID) }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.unreadable !== undefined) return
    try {
      this.found.push(readRow(this.columns[this.at] as Columns, fields))
    } catch (error) {
      this.unreadable = error
    }
  }

  handleCommandComplete({ text }: { text: string }, connection: Connection): void {
    const { statement } = this.steps[this.at] as Step
    columnsKnownTo(connection).set(statement.name, this.columns[this.at] ?? [])
    this.answers.push({ rows: this.found, command: text, unreadable: this.unreadable })
    this.at++
    this.found = []
    this.unreadable = undefined
  }

  handleReadyForQuery(): void {
    this.settleAnswered()
  }

  handleError(error: unknown, connection: Connection): void {
    for (const name of this.parsed) delete connection.parsedStatements[name]
    if (sqlStateOf(error) === otherColumns) this.forgetAll(connection)
    this.settleAnswered()
    const left = this.steps.slice(this.at)
    const isAway = explainDriverError(error) instanceof DatabaseAway
    // If parsing failed for one of several statements, PostgreSQL does not say which one.
    const isSure = this.at > 1 || this.parsed.length === 0 || left.length === 1
    for (const [index, step] of left.entries()) {
      if (step.skip && !isAway && (index > 0 || !isSure)) step.skip(error)
      else step.reject(error)
    }
  }

  /**
   * Forgets that the statements of this batch were prepared on the connection. PostgreSQL parses and describes them again when
   * they run the next time.
   */
  private forgetAll(connection: Connection): void {
    for (const { statement } of this.steps) {
      delete connection.parsedStatements[statement.name]
      columnsKnownTo(connection).delete(statement.name)
    }
  }

  private settleAnswered(): void {
    for (const [index, { rows, command, unreadable }] of this.answers.entries()) {
      const { resolve, reject } = this.steps[index] as Step
      if (unreadable === undefined) resolve(rows, command)
      else reject(unreadable)
    }
  }
}

/** SQLSTATE that PostgreSQL returns if a migration has changed the result columns of a prepared statement. */
const otherColumns = '0A000'
const sqlStateOf = (error: unknown) => (error as { code?: unknown } | null)?.code

function readRow(columns: Columns, texts: (string | null)[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const { name, parse } = columns[at] as Columns[number]
    const text = texts[at] as string | null
    row[name] = text === null ? null : parse(text)
  }
  return row
}

function columnsKnownTo(connection: Connection): Map<string, Columns> {
  let known = knownColumns.get(connection)
  if (!known) {
    known = new Map()
    knownColumns.set(connection, known)
  }
  return known
}

/**
 * Sends the steps as one batch. If the values of a step cannot be sent, the step is rejected and the steps after it do not run.
 */
export function runBatch(client: pg.ClientBase, steps: readonly Step[]): void {
  const values: unknown[][] = []
  for (const [index, step] of steps.entries()) {
    try {
      values.push(step.statement.values.map(prepareValue))
    } catch (error) {
      if (index > 0) client.query(new PreparedBatch(steps.slice(0, index), values) as unknown as pg.Submittable)
      step.reject(error)
      for (const { skip, reject } of steps.slice(index + 1)) (skip ?? reject)(error)
      return
    }
  }
  client.query(new PreparedBatch(steps, values) as unknown as pg.Submittable)
}
