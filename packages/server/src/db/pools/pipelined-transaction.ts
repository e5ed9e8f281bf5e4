import type pg from 'pg'
import { explainDriverError } from '../connections/database-away.ts'
import type { NamedStatement } from '../statements/statement.ts'
import { actAs } from './acting-tenant.ts'
import { type Row, runBatch, type Step, withoutCallbacks } from './prepared-batch.ts'

const begin: NamedStatement = { name: 'begin', text: 'begin', values: [] }
/** Starts a read-only transaction in which all statements see the snapshot of the first one. */
const beginSnapshot: NamedStatement = {
  name: 'begin_snapshot',
  text: 'begin isolation level repeatable read, read only',
  values: [],
}
/** The command tag that PostgreSQL returns for a statement that changed at least one row. */
const changed = /^(INSERT|UPDATE|DELETE|MERGE) .*[1-9]/
const commit: NamedStatement = { name: 'commit', text: 'commit', values: [] }

/**
 * Runs the statements of one transaction as a tenant. All statements that are issued in one turn of the event loop are sent
 * together. `begin` is sent together with the first statements.
 */
export class PipelinedTransaction {
  private readonly client: pg.PoolClient
  private readonly beginning: Step[]
  private hasBegun = false
  private waiting: Step[] = []
  private committed: Promise<void> | undefined
  private isOver = false
  private writes = false

  constructor(client: pg.PoolClient, tenantId: string, isSnapshot = false) {
    this.client = client
    this.beginning = [withoutCallbacks(isSnapshot ? beginSnapshot : begin), withoutCallbacks(actAs(tenantId))]
  }

  /** True if a statement changed a row. */
  get hasWritten(): boolean {
    return this.writes
  }

  async run(statement: NamedStatement): Promise<Row[]> {
    return (await this.send(statement)).rows
  }

  /** Runs SQL without preparing it: a text with several statements, or a statement that is rarely used. */
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

  /**
   * Rolls back, and rejects all statements that were not sent yet. Later statements are refused, because the connection may
   * serve another transaction after the rollback.
   */
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
    // If a statement has failed, PostgreSQL answers `commit` with the command tag ROLLBACK.
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
    // There is nothing to send. `query` has already sent the waiting statements, or a rollback has dropped them.
    if (this.waiting.length === 0 && (this.hasBegun || this.isOver)) return
    const steps = this.hasBegun ? this.waiting : [...this.beginning, ...this.waiting]
    this.hasBegun = true
    this.waiting = []
    runBatch(this.client, steps)
  }

  private requireOpen(): void {
    if (this.isOver) throw new Error('the transaction has already ended')
  }
}
