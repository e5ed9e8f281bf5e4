import type pg from 'pg'
import { actAs } from './acting-tenant.ts'
import { explainDriverError } from './database-away.ts'
import { type Row, runBatch, type Step, unheard } from './prepared-batch.ts'
import type { NamedStatement } from './statement.ts'

const begin: NamedStatement = { name: 'begin', text: 'begin', values: [] }
/** Every statement reads the moment of the first one, and none writes. */
const beginMoment: NamedStatement = {
  name: 'begin_moment',
  text: 'begin isolation level repeatable read, read only',
  values: [],
}
/** PostgreSQL's word for a statement that changed at least one row. */
const changed = /^(INSERT|UPDATE|DELETE|MERGE) .*[1-9]/
const commit: NamedStatement = { name: 'commit', text: 'commit', values: [] }

/**
 * The statements of one transaction as a tenant: those of one turn of the event loop are sent together, and the beginning with the
 * first of them.
 */
export class Conversation {
  private readonly client: pg.PoolClient
  private readonly beginning: Step[]
  private hasBegun = false
  private waiting: Step[] = []
  private committed: Promise<void> | undefined
  private isOver = false
  private writes = false

  constructor(client: pg.PoolClient, tenantId: string, readsMoment = false) {
    this.client = client
    this.beginning = [unheard(readsMoment ? beginMoment : begin), unheard(actAs(tenantId))]
  }

  /** Whether a statement changed a row. */
  get hasWritten(): boolean {
    return this.writes
  }

  async run(statement: NamedStatement): Promise<Row[]> {
    return (await this.send(statement)).rows
  }

  /** A statement of more than one part, or one that is not worth preparing. */
  async query(text: string, values?: readonly unknown[]): Promise<Row[]> {
    this.requireOpen()
    this.sendWaiting()
    try {
      const { rows, command, rowCount } = await this.client.query(text, values as unknown[])
      this.writes ||= changed.test(`${command} ${rowCount}`)
      return rows
    } catch (error) {
      throw explainDriverError(error)
    }
  }

  commit(): Promise<void> {
    this.committed ??= this.sendCommit()
    return this.committed
  }

  /** Whatever part of the work still runs then may write no more, for the connection is someone else's. */
  async rollBack(cause: unknown): Promise<void> {
    this.isOver = true
    const unsent = this.waiting
    this.waiting = []
    for (const { reject } of unsent) reject(cause)
    if (this.hasBegun) await this.client.query('rollback')
  }

  private async sendCommit(): Promise<void> {
    const sent = this.send(commit)
    this.isOver = true
    const { command } = await sent
    // PostgreSQL answers the commit of a transaction that a statement has failed in by rolling it back.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it had failed')
  }

  private send(statement: NamedStatement): Promise<{ rows: Row[]; command: string }> {
    return new Promise((resolve, reject) => {
      this.requireOpen()
      if (this.waiting.length === 0) setImmediate(() => this.sendWaiting())
      this.waiting.push({
        statement,
        resolve: (rows, command) => {
          this.writes ||= changed.test(command)
          resolve({ rows, command })
        },
        reject: (error) => reject(explainDriverError(error)),
      })
    })
  }

  private sendWaiting(): void {
    // Sent already by `query`, or dropped by a rollback.
    if (this.waiting.length === 0 && (this.hasBegun || this.isOver)) return
    const steps = this.hasBegun ? this.waiting : [...this.beginning, ...this.waiting]
    this.hasBegun = true
    this.waiting = []
    runBatch(this.client, steps)
  }

  private requireOpen(): void {
    if (this.isOver) throw new Error('the transaction is over')
  }
}
