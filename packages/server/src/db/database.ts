import pg from 'pg'
import { Conversation } from './conversation.ts'
import { DatabaseFull, explainDriverError } from './database-away.ts'
import { keepalives } from './keepalives.ts'
import { Lanes } from './lanes.ts'
import { SilentConnections } from './silent-connections.ts'
import { type NamedStatement, named, type Statement } from './statement.ts'
import { wireTypes } from './types-on-the-wire.ts'
import { WatchedClient } from './watched-client.ts'

/** What every query function takes first: runs statements as one tenant. */
export interface Sql {
  readonly tenantId: string
  all<Row>(statement: Statement<Row>): Promise<Row[]>
  /** The first row; throws when there is none. */
  one<Row>(statement: Statement<Row>): Promise<Row>
  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>
}

/** A transaction: all or nothing, and the plain `query` that libraries expect. */
export interface Tx extends Sql {
  // biome-ignore lint/suspicious/noExplicitAny: rows are as wide as the statement that asked for them
  query(text: string, values?: readonly unknown[]): Promise<{ rows: any[] }>
  /** Commits, sent along with the statements of this turn of the event loop: none may follow. When one of them fails, nothing is committed. */
  commit(): Promise<void>
}

export interface DatabaseOptions {
  /** URL of the application's role, which is bound by row-level security. */
  url: string
  /** Connections for transactions. */
  poolSize?: number
  /** Connections that reads share. */
  laneCount?: number
  applicationName?: string
  /** After so many milliseconds without an answer a connection is late: it may have lost its peer. Default 5 s. */
  lateMs?: number
}

const defaultLateMs = 5_000
const laneLockWaitMs = 500
// Long past any transaction of ours: waiters of one tenant may not keep every connection for good.
const lockWaitMs = 10_000
// Longer than a waiter for a lock keeps a connection: past it the database hangs, and so must no caller.
const connectWaitMs = 15_000
const statementMs = 60_000
// Between two statements of a transaction nothing takes this long: past it the process that opened the transaction is gone.
const idleInTransactionMs = 10_000
// An idle connection may have lost its peer: before a transaction relies on one, it must answer.
const freshMs = 1_000
const pingMs = 2_000
/** A full disk is remembered for so long after the last write that met it. */
const fullMemoryMs = 15_000

/** No tenant: only global look-ups are visible. */
export const noTenant = ''

/**
 * The database as the application's role sees it: every statement runs as one tenant. Whatever runs while the database is
 * away throws `DatabaseAway`; connections are opened anew when it is back.
 */
export class Database {
  private readonly pool: pg.Pool
  private readonly lanes: Lanes
  private readonly silent: SilentConnections
  /** Idle connections that last answered before this time may have lost their peer too. */
  private deadBefore = 0
  private fullAt: number | undefined

  constructor(given: DatabaseOptions) {
    const { url, poolSize = 10, laneCount = 2, applicationName = 'mandate', lateMs = defaultLateMs } = given
    const config: pg.ClientConfig = {
      connectionString: url,
      application_name: applicationName,
      types: wireTypes,
      connectionTimeoutMillis: connectWaitMs,
      // Statements are short: compiling one costs more than it saves.
      options: `-c TimeZone=UTC -c role=mandate_app -c jit=off ${keepalives}`,
    }
    const timeouts = `-c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=${idleInTransactionMs}`
    const options = `${config.options} -c lock_timeout=${lockWaitMs} ${timeouts}`
    const pooled = { ...config, options, max: poolSize, pipeline: true, Client: WatchedClient }
    this.pool = new pg.Pool(pooled as unknown as pg.PoolConfig)
    this.pool.on('error', () => {})
    this.pool.on('connect', (client) => {
      // One lost in the middle of a transaction tells its statements; unheard, the event would end the process.
      client.on('error', () => {})
    })
    // A read takes no lock; one that waited for it would hold up every read behind it.
    const laneTimeouts = `-c lock_timeout=${laneLockWaitMs} -c statement_timeout=${2 * lateMs}`
    const onSilent = (since: number) => {
      this.deadBefore = Math.max(this.deadBefore, since)
      this.lanes.distrust(since)
    }
    this.silent = new SilentConnections({ url, lateMs, longestMs: statementMs + lateMs, onSilent })
    const laneConfig = { ...config, options: `${config.options} ${laneTimeouts}` }
    this.lanes = new Lanes({ config: laneConfig, size: laneCount, lateMs, silent: this.silent })
  }

  /** Runs single reads as `tenantId`, each on its own; for more than one that must agree, and for writes, use `transaction`. */
  reader(tenantId: string): Sql {
    return rows(tenantId, (statement) => {
      refuseWrite(statement)
      return this.lanes.run(tenantId, statement)
    })
  }

  /** Runs `work` in one transaction as `tenantId`; commits when it resolves, rolls back when it throws. */
  transaction<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.run(tenantId, work, false)
  }

  /** Runs reads as `tenantId` that all see the database as of the first of them. */
  readMoment<T>(tenantId: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.run(tenantId, work, true)
  }

  private async run<T>(tenantId: string, work: (tx: Tx) => Promise<T>, readsMoment: boolean): Promise<T> {
    const client = await this.checkOut()
    this.silent.add(client)
    const conversation = new Conversation(client, tenantId, readsMoment)
    let broken: Error | undefined
    try {
      const result = await work(transactionOf(conversation, tenantId))
      await conversation.commit()
      if (conversation.hasWritten) this.fullAt = undefined
      return result
    } catch (error) {
      if (error instanceof DatabaseFull) this.fullAt = performance.now()
      await conversation.rollBack(error).catch((failure) => {
        broken = failure
      })
      throw error
    } finally {
      this.silent.remove(client)
      client.release(broken)
    }
  }

  /** A connection for one transaction, which has just answered. */
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
      this.silent.bury(client, 'the connection fell silent while it was idle')
      client.release(true)
    }
  }

  /** Whether a write met a full disk, and none has succeeded since. */
  get isFull(): boolean {
    return this.fullAt !== undefined && performance.now() - this.fullAt < fullMemoryMs
  }

  /** For libraries and look-ups that need no tenant. */
  get global(): Sql {
    return this.reader(noTenant)
  }

  /** Connections for transactions: open, idle, and callers waiting for one. */
  get poolLoad(): { open: number; idle: number; waiting: number } {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.pool
    return { open, idle, waiting }
  }

  /** Lets the transactions in hand end. Those whose connection is silent fail. */
  async close(): Promise<void> {
    await Promise.allSettled([this.lanes.close(), this.pool.end()])
    this.silent.close()
  }
}

function transactionOf(conversation: Conversation, tenantId: string): Tx {
  return {
    ...rows(tenantId, (statement) => conversation.run(statement)),
    query: async (text, values) => ({ rows: await conversation.query(text, values) }),
    commit: () => conversation.commit(),
  }
}

const reads = new Set<string>()
const writing = /\b(insert\s+into|update\s+(only\s+)?[\w".]+\s+((as\s+)?[\w"]+\s+)?set|delete\s+from|merge\s+into)\b/i

/** A read that was sent with one that failed runs again, which no write may. Each text is looked at once. */
function refuseWrite({ name, text }: NamedStatement): void {
  if (reads.has(name)) return
  if (writing.test(text)) throw new Error('a write needs a transaction')
  reads.add(name)
}

/** A connection that does not answer in time is closed. */
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
      if (row === undefined) throw new Error('a statement that answers one row answered none')
      return row
    },
  }
}

/** PostgreSQL's code for an error, such as `23505` for a broken unique constraint. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The constraint an error names. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined
}
