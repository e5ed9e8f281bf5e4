import pg from 'pg'
import { actAs } from './acting-tenant.ts'
import { DatabaseAway, explainDriverError } from './database-away.ts'
import { type Row, runBatch, type Step, unheard } from './prepared-batch.ts'
import type { NamedStatement } from './statement.ts'

/** So many reads of one turn of the event loop share an answer: those before wait for the last. */
const readsInABatch = 8

interface Lane {
  client: pg.Client
  inFlight: number
}

interface Read {
  tenantId: string
  statement: NamedStatement
  resolve(rows: Row[]): void
  reject(error: unknown): void
}

/**
 * A few connections that every single-statement read shares. Reads are pipelined, so none waits for a connection; those of one
 * turn of the event loop are sent together, and each brings the tenant it runs as.
 * Long reads belong in a transaction of their own, for on a lane they hold up those behind them. A read may be run twice: when
 * one that it was sent with fails.
 */
export class Lanes {
  private lanes: (Lane | Promise<Lane>)[] = []
  private next = 0
  private closed = false
  private waiting: Read[] = []
  private readonly config: pg.ClientConfig
  private readonly size: number

  constructor(config: pg.ClientConfig, size: number) {
    this.config = config
    this.size = size
  }

  /** Runs one statement as `tenantId`; an empty id sees no tenant's rows. */
  run(tenantId: string, statement: NamedStatement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.sendWaiting())
      this.waiting.push({ tenantId, statement, resolve, reject })
    })
  }

  async close(): Promise<void> {
    this.closed = true
    const lanes = await Promise.allSettled(this.lanes)
    await Promise.allSettled(lanes.map((lane) => (lane.status === 'fulfilled' ? lane.value.client.end() : undefined)))
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
    return {
      statement: read.statement,
      resolve: (rows) => {
        lane.inFlight--
        read.resolve(rows)
      },
      reject: (error) => {
        lane.inFlight--
        const explained = explainDriverError(error)
        // The database says that it ends a connection before the connection ends.
        if (explained instanceof DatabaseAway) this.drop(lane)
        read.reject(explained)
      },
      ...(!isAlone && {
        skip: () => {
          lane.inFlight--
          void this.send([read])
        },
      }),
    }
  }

  /** The lane with the least to do. */
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
    const client = new pg.Client({ ...this.config, pipeline: true } as pg.ClientConfig)
    const lane: Lane = { client, inFlight: 0 }
    // A lost connection leaves the set; the next read opens another.
    client.on('error', () => this.drop(lane))
    client.on('end', () => this.drop(lane))
    await client.connect()
    return lane
  }

  /** Takes a lane out of use and ends its connection, after what is under way on it. */
  private drop(lane: Lane): void {
    this.forget(lane)
    void lane.client.end()
  }

  private forget(lane: Lane | Promise<Lane>): void {
    this.lanes = this.lanes.filter((other) => other !== lane)
  }
}
