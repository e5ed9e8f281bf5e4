import pg from 'pg'
import { connectionConfig } from './connections/connection-config.ts'
import { DatabaseFull, explainDriverError } from './connections/database-away.ts'
import { DeadConnectionDetector } from './connections/dead-connection-detector.ts'
import { keepalives } from './connections/keepalives.ts'
import { wireTypes } from './connections/types-on-the-wire.ts'
import { WatchedClient } from './connections/watched-client.ts'
import { PipelinedTransaction } from './pools/pipelined-transaction.ts'
import { ReadPool } from './pools/read-pool.ts'
import { type NamedStatement, named, type Statement } from './statements/statement.ts'

/** The first argument of every query function. Runs statements as one tenant. */
export interface Sql {
  readonly tenantId: string
  all<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Returns the first row. Throws if there is no row. */
  one<Row>(statement: Statement<Row>): Promise<Row>
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>
}

/** A transaction. `query` has the same signature as in the driver `pg`, so code that expects a `pg` client can use it. */
export interface Tx extends Sql {
  // biome-ignore lint/suspicious/noExplicitAny: each statement has its own columns
  query(text: string, values?: readonly unknown[]): Promise<{ rows: any[] }>
  /**
   * Commits. The commit is sent together with the statements of this turn of the event loop. If one of these statements fails,
   * nothing is committed. No statement may follow the commit.
   */
  commit(): Promise<void>
  /** Says that this transaction writes events of a tenant. After the commit, readers of the tenant's events are told. */
  announce(tenantId: string): void
}

export interface DatabaseOptions {
  /** URL of the database. Every connection switches to the role `mandate_app`, to which row-level security applies. */
  url: string
  /** Connections for transactions. */
  poolSize?: number
  /** Connections that reads share. */
  readConnections?: number
  applicationName?: string
  /** After this many milliseconds without a response a connection is late: the other end may be gone. Default 5 s. */
  lateMs?: number
}

const defaultLateMs = 5_000
const readLockWaitMs = 500
// How long a transaction waits for a lock. No transaction of the server holds a lock for this long. Without this timeout,
// transactions of one tenant that wait for a lock could occupy every connection forever.
const lockWaitMs = 10_000
// How long a caller waits for a connection of the pool. This is longer than `lockWaitMs`, because a transaction that waits for
// a lock frees its connection after `lockWaitMs`. If no connection is free even then, the database probably hangs, and the
// caller gets an error.
const connectWaitMs = 15_000
const statementMs = 60_000
// The server never pauses this long between two statements of a transaction. After a longer pause, the process that opened the
// transaction is gone.
const idleInTransactionMs = 10_000
// A connection that was idle for longer than this time (in milliseconds) may be dead. It must answer a ping before a
// transaction uses it.
const freshMs = 1_000
const pingMs = 2_000
/** If a write failed because the disk was full, the disk counts as full for this many milliseconds. */
const fullMemoryMs = 15_000

/** The tenant id for statements that run without a tenant. They see only the global look-up tables. */
export const noTenant = ''

/**
 * The database with the rights of the application's role. Every statement runs as one tenant. While the database cannot be
 * reached, statements throw `DatabaseAway`. New connections are opened when it can be reached again.
 */
export class Database {
  private readonly pool: pg.Pool
  private readonly readPool: ReadPool
  private readonly detector: DeadConnectionDetector
  /**
   * A connection counts as dead if its last response came before this time (in milliseconds of `performance.now()`). When a
   * dead connection is found, this is set to the time since which it has not responded.
   */
  private deadBefore = 0
  private fullAt: number | undefined
  /** Called after the commit of a transaction that announced events of this tenant. */
  onAnnounced: (tenantId: string) => void = () => {}

  constructor(given: DatabaseOptions) {
    const { url, poolSize = 10, readConnections = 2, applicationName = 'mandate', lateMs = defaultLateMs } = given
    // The statements are short, so just-in-time compilation costs more time than it saves.
    const settings = { ...keepalives, jit: 'off', role: 'mandate_app' }
    const config = { application_name: applicationName, types: wireTypes, connectionTimeoutMillis: connectWaitMs }
    const timeouts = {
      lock_timeout: `${lockWaitMs}`,
      statement_timeout: `${statementMs}`,
      idle_in_transaction_session_timeout: `${idleInTransactionMs}`,
    }
    this.pool = new pg.Pool({
      ...config,
      ...connectionConfig(url, { ...settings, ...timeouts }),
      max: poolSize,
      pipeline: true,
      Client: WatchedClient,
    } as unknown as pg.PoolConfig)
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => {
      // If a connection is lost in a transaction, the transaction's statements fail and report it. Without this listener, the
      // error event would end the process.
      client.on('error', () => {})
    })
    // Reads take no locks. If a read waited for a lock, all reads behind it on the connection would wait too.
    const readTimeouts = { lock_timeout: `${readLockWaitMs}`, statement_timeout: `${2 * lateMs}` }
    const onDead = (since: number) => {
      this.deadBefore = Math.max(this.deadBefore, since)
      this.readPool.replaceSilentSince(since)
    }
    this.detector = new DeadConnectionDetector({ url, lateMs, longestMs: statementMs + lateMs, onDead })
    const readPoolConfig = { ...config, ...connectionConfig(url, { ...settings, ...readTimeouts }) }
    this.readPool = new ReadPool({ config: readPoolConfig, size: readConnections, lateMs, detector: this.detector })
  }

  /**
   * Runs single reads as `tenantId`. Each read sees its own snapshot. Use `transaction` for writes, and for reads that must be
   * consistent with each other.
   */
  reader(tenantId: string): Sql {
    return rows(tenantId, (statement) => {
      refuseWrite(statement)
      return this.readPool.run(tenantId, statement)
    })
  }

  /** Runs `work` in one transaction as `tenantId`. Commits if it resolves, rolls back if it throws. */
  transaction<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.run(tenantId, work, false)
  }

  /**
   * Runs reads as `tenantId` in one snapshot. All of them see the state of the database at the time of the first read.
   */
  readSnapshot<T>(tenantId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.run(tenantId, work, true)
  }

  private async run<T>(tenantId: string, work: (tx: Tx) => Promise<T>, isSnapshot: boolean): Promise<T> {
    const client = await this.checkOut()
    this.detector.add(client)
    const pipelined = new PipelinedTransaction(client, tenantId, isSnapshot)
    const announced = new Set<string>()
    let broken: Error | undefined
    try {
      const result = await work(transactionOf(pipelined, tenantId, announced))
      await pipelined.commit()
      for (const id of announced) this.onAnnounced(id)
      if (pipelined.hasWritten) this.fullAt = undefined
      return result
    } catch (error) {
      if (error instanceof DatabaseFull) this.fullAt = performance.now()
      await pipelined.rollBack(error).catch((failure) => {
        broken = failure
      })
      throw error
    } finally {
      this.detector.remove(client)
      client.release(broken)
    }
  }

  /**
   * Returns a connection for one transaction. The connection has answered recently, because an idle connection must answer a
   * ping first.
   */
  private async checkOut(): Promise<WatchedClient & pg.PoolClient> {
    for (;;) {
      const client = (await orAway(this.pool.connect())) as WatchedClient & pg.PoolClient
      const { lastAnswerAt } = client
      if (performance.now() - lastAnswerAt < freshMs && lastAnswerAt > this.deadBefore) return client
      const askedAt = performance.now()
      if (lastAnswerAt > this.deadBefore) {
        if (await answers(client)) return client
        this.deadBefore = Math.max(this.deadBefore, askedAt)
      }
      this.detector.closeDead(client, 'the connection stopped answering while it was idle')
      client.release(true)
    }
  }

  /** True if a write recently failed because the disk was full, and no write has succeeded since. */
  get isFull(): boolean {
    return this.fullAt !== undefined && performance.now() - this.fullAt < fullMemoryMs
  }

  /** Runs single reads without a tenant. They see only the global look-up tables. */
  get global(): Sql {
    return this.reader(noTenant)
  }

  /** The number of connections for transactions, and the number of callers that wait for a connection. */
  get poolLoad(): { open: number; idle: number; waiting: number } {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.pool
    return { open, idle, waiting }
  }

  /**
   * Closes the database after its running transactions have ended. A transaction fails if its connection does not answer.
   */
  async close(): Promise<void> {
    await Promise.allSettled([this.readPool.close(), this.pool.end()])
    this.detector.close()
  }
}

function transactionOf(pipelined: PipelinedTransaction, tenantId: string, announced: Set<string>): Tx {
  return {
    ...rows(tenantId, (statement) => pipelined.run(statement)),
    query: async (text, values) => ({ rows: await pipelined.query(text, values) }),
    commit: () => pipelined.commit(),
    announce: (id) => void announced.add(id),
  }
}

const reads = new Set<string>()
const writing = /\b(insert\s+into|update\s+(only\s+)?[\w".]+\s+((as\s+)?[\w"]+\s+)?set|delete\s+from|merge\s+into)\b/i

/**
 * Throws if the statement is a write. The read pool sends several reads together as a batch, and runs a read again if another
 * read of its batch failed. A write must not run twice. After a text has passed this check, it is not checked again.
 */
function refuseWrite({ name, text }: NamedStatement): void {
  if (reads.has(name)) return
  if (writing.test(text)) throw new Error('cannot write outside a transaction')
  reads.add(name)
}

/** Pings a connection. Closes it if it does not answer in time. */
async function answers(client: WatchedClient): Promise<boolean> {
  const late = setTimeout(() => client.abandon('the database does not answer on an idle connection'), pingMs)
  try {
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    clearTimeout(late)
  }
}

async function orAway<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw explainDriverError(error)
  }
}

function rows(tenantId: string, run: (statement: NamedStatement) => Promise<unknown[]>): Sql {
  const all = async <Row>(statement: Statement<Row>) => (await run(named(statement))) as Row[]
  return {
    tenantId,
    all,
    maybe: async (statement) => (await all(statement))[0],
    one: async (statement) => {
      const row = (await all(statement))[0]
      if (row === undefined) throw new Error('the statement returned no row')
      return row
    },
  }
}

/** The SQLSTATE of an error, such as `23505` for a unique violation. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The name of the violated unique constraint. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined
}
