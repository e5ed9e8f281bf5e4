import type pg from 'pg'
import { actAs } from './acting-tenant.ts'
import { isConflict } from './conflicts.ts'
import { DatabaseAway, explainDriverError } from './database-away.ts'
import { type Row, runBatch, type Step, unheard } from './prepared-batch.ts'
import type { SilentConnections } from './silent-connections.ts'
import type { NamedStatement } from './statement.ts'
import { WatchedClient } from './watched-client.ts'

/** Reads per batch. The responses of a batch arrive together, so the first reads wait for the last. */
const readsInABatch = 8

const conflictRetries = 3
const conflictPauseMs = 20

interface Lane {
  client: WatchedClient
  inFlight: number
  /** Reads in flight that were late on another connection. The reads themselves may be slow, so they get twice the time. */
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

interface LanesOptions {
  config: pg.ClientConfig
  size: number
  lateMs: number
  silent: SilentConnections
}

/**
 * A few connections for all single-statement reads. Reads are pipelined, so none waits for a connection. Reads of one turn of the event
 * loop are sent together, each with its tenant.
 * A long read belongs in a transaction of its own, because here it delays the reads behind it.
 * A read may run more than once: after a read of its batch failed, after a lock conflict, or after its connection became late. A late
 * connection has not answered for `lateMs` milliseconds. It is closed, and its reads are sent once more on another connection.
 */
export class Lanes {
  private lanes: (Lane | Promise<Lane>)[] = []
  private next = 0
  private closed = false
  private waiting: Read[] = []
  private readonly config: pg.ClientConfig
  private readonly size: number
  private readonly lateMs: number
  private readonly watch: NodeJS.Timeout
  private readonly silent: SilentConnections

  constructor({ config, size, lateMs, silent }: LanesOptions) {
    this.silent = silent
    this.config = config
    this.size = size
    this.lateMs = lateMs
    this.watch = setInterval(() => this.dropLate(), Math.max(50, lateMs / 10))
    this.watch.unref()
  }

  /** Runs one statement as `tenantId`. With an empty id it sees no tenant's rows. */
  run(tenantId: string, statement: NamedStatement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.sendWaiting())
      this.waiting.push({ tenantId, statement, conflicts: 0, isRepeated: false, resolve, reject })
    })
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.watch)
    const lanes = await Promise.allSettled(this.lanes)
    await Promise.allSettled(lanes.map((lane) => (lane.status === 'fulfilled' ? this.end(lane.value) : undefined)))
  }

  private dropLate(): void {
    for (const lane of this.lanes) {
      if (lane instanceof Promise) continue
      const patienceMs = lane.repeated > 0 ? 2 * this.lateMs : this.lateMs
      if (lane.client.waitingMs <= patienceMs) continue
      // The cause may be a slow statement or a dead connection, so the other connections are kept.
      this.replace(lane, `the database did not answer within ${patienceMs} ms`)
    }
  }

  /** Replaces the connections that have not answered since `since`. Their reads run once more on other connections. */
  distrust(since: number): void {
    for (const lane of this.lanes) {
      if (lane instanceof Promise || lane.client.lastAnswerAt > since) continue
      this.replace(lane, 'other connections to the database fell silent')
    }
  }

  private replace(lane: Lane, reason: string): void {
    this.forget(lane)
    lane.isLate = true
    this.silent.bury(lane.client, reason)
  }

  /** Waits for the queries in flight, unless the connection becomes late. */
  private async end({ client }: Lane): Promise<void> {
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

  private sendOn(lane: Lane, reads: readonly Read[]): void {
    lane.inFlight += reads.length
    for (const { isRepeated } of reads) if (isRepeated) lane.repeated++
    let tenantId: string | undefined
    const steps: Step[] = []
    for (const read of reads) {
      if (read.tenantId !== tenantId) steps.push(unheard(actAs(read.tenantId)))
      tenantId = read.tenantId
      steps.push(this.stepOf(read, lane, reads.length === 1))
    }
    runBatch(lane.client, steps)
  }

  private stepOf(read: Read, lane: Lane, isAlone: boolean): Step {
    const { isRepeated } = read
    const answered = () => {
      lane.inFlight--
      if (isRepeated) lane.repeated--
    }
    return {
      statement: read.statement,
      resolve: (rows) => {
        answered()
        read.resolve(rows)
      },
      reject: (error) => {
        answered()
        this.failed(read, lane, explainDriverError(error))
      },
      ...(!isAlone && {
        skip: () => {
          answered()
          void this.send([read])
        },
      }),
    }
  }

  private failed(read: Read, lane: Lane, error: unknown): void {
    if (lane.isLate && !read.isRepeated) {
      void this.send([{ ...read, isRepeated: true }])
    } else if (isConflict(error) && read.conflicts < conflictRetries) {
      const again = () => void this.send([{ ...read, conflicts: read.conflicts + 1 }])
      setTimeout(again, conflictPauseMs * 2 ** read.conflicts * (0.5 + Math.random()))
    } else {
      // PostgreSQL sends this error before it ends the connection, so the connection is replaced now.
      if (error instanceof DatabaseAway) this.drop(lane)
      read.reject(error)
    }
  }

  /** The open connection with the fewest reads in flight. Undefined while fewer than `size` are open. */
  private ready(): Lane | undefined {
    if (this.lanes.length < this.size) return undefined
    let best: Lane | undefined
    for (const lane of this.lanes) {
      if (lane instanceof Promise) continue
      if (!best || lane.inFlight < best.inFlight) best = lane
    }
    return best
  }

  private async open(): Promise<Lane> {
    if (this.closed) throw new Error('the database is closed')
    if (this.lanes.length >= this.size) return await (this.lanes[this.next++ % this.lanes.length] as Promise<Lane>)
    const opening = this.connect()
    this.lanes.push(opening)
    try {
      const lane = await opening
      const at = this.lanes.indexOf(opening)
      if (at >= 0) this.lanes[at] = lane
      return lane
    } catch (error) {
      this.forget(opening)
      throw error
    }
  }

  private async connect(): Promise<Lane> {
    const client = new WatchedClient({ ...this.config, pipeline: true } as pg.ClientConfig)
    const lane: Lane = { client, inFlight: 0, repeated: 0, isLate: false }
    // A lost connection is removed, and the next read opens another one.
    client.on('error', () => this.drop(lane))
    client.on('end', () => this.drop(lane))
    await client.connect()
    this.silent.add(client)
    return lane
  }

  /** Takes a connection out of use, and closes it after its queries in flight. */
  private drop(lane: Lane): void {
    this.forget(lane)
    this.silent.remove(lane.client)
    void this.end(lane)
  }

  private forget(lane: Lane | Promise<Lane>): void {
    this.lanes = this.lanes.filter((other) => other !== lane)
  }
}
