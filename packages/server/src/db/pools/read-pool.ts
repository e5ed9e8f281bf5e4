import type pg from 'pg'
import { isConflict } from '../connections/conflicts.ts'
import { DatabaseAway, explainDriverError } from '../connections/database-away.ts'
import type { DeadConnectionDetector } from '../connections/dead-connection-detector.ts'
import { WatchedClient } from '../connections/watched-client.ts'
import type { NamedStatement } from '../statements/statement.ts'
import { actAs } from './acting-tenant.ts'
import { type Row, runBatch, type Step, withoutCallbacks } from './prepared-batch.ts'

/**
 * Maximum number of reads per batch. The responses of a batch arrive together, so its first read waits for its last one.
 */
const readsInABatch = 8

const conflictRetries = 3
const conflictPauseMs = 20

interface ReadConnection {
  client: WatchedClient
  inFlight: number
  /**
   * Number of reads in flight that were sent a second time, because their first connection did not answer within `lateMs`. Such
   * a read may just be slow, so its second connection gets twice the time.
   */
  repeated: number
  isLate: boolean
}

interface Read {
  tenantId: string
  statement: NamedStatement
  conflicts: number
  isRepeated: boolean
  resolve(rows: Row[]): void
  reject(error: unknown): void
}

interface ReadPoolOptions {
  config: pg.ClientConfig
  size: number
  lateMs: number
  detector: DeadConnectionDetector
}

/**
 * Runs single-statement reads on a few connections. Many reads can be in flight on one connection, so a read never waits for a
 * free connection. All reads of one turn of the event loop are sent together in batches. Each read sees only the rows of its
 * tenant. A long read would delay the other reads on its connection, so run it in a separate transaction.
 * A read runs again in these cases:
 * - Another read of the same batch failed.
 * - The read failed because of a lock conflict.
 * - The connection did not answer within `lateMs` milliseconds. The connection is then closed, and its reads are sent once more
 *   on another connection.
 */
export class ReadPool {
  private connections: (ReadConnection | Promise<ReadConnection>)[] = []
  private next = 0
  private closed = false
  private waiting: Read[] = []
  private readonly config: pg.ClientConfig
  private readonly size: number
  private readonly lateMs: number
  private readonly watch: NodeJS.Timeout
  private readonly detector: DeadConnectionDetector

  constructor({ config, size, lateMs, detector }: ReadPoolOptions) {
    this.detector = detector
    this.config = config
    this.size = size
    this.lateMs = lateMs
    this.watch = setInterval(() => this.dropLate(), Math.max(50, lateMs / 10))
    this.watch.unref()
  }

  /** Runs one statement as `tenantId`. With an empty id, the statement sees no tenant's rows. */
  run(tenantId: string, statement: NamedStatement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.sendWaiting())
      this.waiting.push({ tenantId, statement, conflicts: 0, isRepeated: false, resolve, reject })
    })
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    const connections = await Promise.allSettled(this.connections)
    await Promise.allSettled(
      connections.map((connection) => (connection.status === 'fulfilled' ? this.end(connection.value) : undefined)),
    )
  }

  private dropLate(): void {
    for (const connection of this.connections) {
      if (connection instanceof Promise) continue
      const limitMs = connection.repeated > 0 ? 2 * this.lateMs : this.lateMs
      if (connection.client.waitingMs <= limitMs) continue
      // A late response may come from a slow statement, so it does not prove that the other connections are dead. They are
      // kept.
      this.replace(connection, `the database did not answer within ${limitMs} ms`)
    }
  }

  /** Replaces the connections that have not answered since `since`. Their reads run once more, on other connections. */
  replaceSilentSince(since: number): void {
    for (const connection of this.connections) {
      if (connection instanceof Promise || connection.client.lastAnswerAt > since) continue
      this.replace(connection, 'other connections to the database stopped answering')
    }
  }

  private replace(connection: ReadConnection, reason: string): void {
    this.forget(connection)
    connection.isLate = true
    this.detector.closeDead(connection.client, reason)
  }

  /** Closes a connection after its queries in flight have ended, but at the latest after `lateMs`. */
  private async end({ client }: ReadConnection): Promise<void> {
    const late = setTimeout(
      () => client.abandon('the database did not answer before the connection closed'),
      this.lateMs,
    )
    await client.end()
    clearTimeout(late)
  }

  private sendWaiting(): void {
    const reads = this.waiting
    this.waiting = []
    for (let from = 0; from < reads.length; from += readsInABatch)
      void this.send(reads.slice(from, from + readsInABatch))
  }

  private async send(reads: readonly Read[]): Promise<void> {
    try {
      this.sendOn(this.ready() ?? (await this.open()), reads)
    } catch (error) {
      for (const { reject } of reads) reject(explainDriverError(error))
    }
  }

  private sendOn(connection: ReadConnection, reads: readonly Read[]): void {
    connection.inFlight += reads.length
    for (const { isRepeated } of reads) if (isRepeated) connection.repeated++
    let tenantId: string | undefined
    const steps: Step[] = []
    for (const read of reads) {
      if (read.tenantId !== tenantId) steps.push(withoutCallbacks(actAs(read.tenantId)))
      tenantId = read.tenantId
      steps.push(this.stepOf(read, connection, reads.length === 1))
    }
    runBatch(connection.client, steps)
  }

  private stepOf(read: Read, connection: ReadConnection, isAlone: boolean): Step {
    const { isRepeated } = read
    const answered = () => {
      connection.inFlight--
      if (isRepeated) connection.repeated--
    }
    return {
      statement: read.statement,
      resolve: (rows) => {
        answered()
        read.resolve(rows)
      },
      reject: (error) => {
        answered()
        this.failed(read, connection, explainDriverError(error))
      },
      ...(!isAlone && {
        skip: () => {
          answered()
          void this.send([read])
        },
      }),
    }
  }

  private failed(read: Read, connection: ReadConnection, error: unknown): void {
    if (connection.isLate && !read.isRepeated) {
      void this.send([{ ...read, isRepeated: true }])
    } else if (isConflict(error) && read.conflicts < conflictRetries) {
      const again = () => void this.send([{ ...read, conflicts: read.conflicts + 1 }])
      setTimeout(again, conflictPauseMs * 2 ** read.conflicts * (0.5 + Math.random()))
    } else {
      // PostgreSQL sends this error just before it closes the connection, so the connection is replaced now.
      if (error instanceof DatabaseAway) this.drop(connection)
      read.reject(error)
    }
  }

  /**
   * Returns the open connection with the fewest reads in flight. Returns undefined if fewer than `size` connections are open.
   */
  private ready(): ReadConnection | undefined {
    if (this.connections.length < this.size) return undefined
    let best: ReadConnection | undefined
    for (const connection of this.connections) {
      if (connection instanceof Promise) continue
      if (!best || connection.inFlight < best.inFlight) best = connection
    }
    return best
  }

  private async open(): Promise<ReadConnection> {
    if (this.closed) throw new Error('this process has already closed its database connections')
    if (this.connections.length >= this.size)
      return await (this.connections[this.next++ % this.connections.length] as Promise<ReadConnection>)
    const opening = this.connect()
    this.connections.push(opening)
    try {
      const connection = await opening
      const at = this.connections.indexOf(opening)
      if (at >= 0) this.connections[at] = connection
      return connection
    } catch (error) {
      this.forget(opening)
      throw error
    }
  }

  private async connect(): Promise<ReadConnection> {
    const client = new WatchedClient({ ...this.config, pipeline: true } as pg.ClientConfig)
    const connection: ReadConnection = { client, inFlight: 0, repeated: 0, isLate: false }
    // Removes a lost connection. The next read opens a new one.
    client.on('error', () => this.drop(connection))
    client.on('end', () => this.drop(connection))
    await client.connect()
    this.detector.add(client)
    return connection
  }

  /** Stops using a connection, and closes it when its queries in flight have ended. */
  private drop(connection: ReadConnection): void {
    this.forget(connection)
    this.detector.remove(connection.client)
    void this.end(connection)
  }

  private forget(connection: ReadConnection | Promise<ReadConnection>): void {
    this.connections = this.connections.filter((other) => other !== connection)
  }
}
