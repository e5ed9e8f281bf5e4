import type { Duplex } from 'node:stream'
import pg from 'pg'
import { actAs, prepareActing } from './acting-tenant.ts'
import { DatabaseAway, explainDriverError } from './database-away.ts'
import { runPrepared } from './prepared-query.ts'
import type { NamedStatement } from './statement.ts'

/** In statements: what it saves to send along with others in one write, and not to wake another connection. */
const worthOfOneWrite = 3

interface Lane {
  client: pg.Client
  inFlight: number
}

/**
 * A few connections that every single-statement read shares. Statements are pipelined, so none waits for a connection
 * or for another's answer; each brings the tenant it runs as.
 * Long reads belong in a transaction of their own, for on a lane they hold up those behind them.
 */
export class Lanes {
  private lanes: (Lane | Promise<Lane>)[] = []
  private next = 0
  private closed = false
  private readonly config: pg.ClientConfig
  private readonly size: number

  constructor(config: pg.ClientConfig, size: number) {
    this.config = config
    this.size = size
  }

  /** Runs one statement as `tenantId`; an empty id sees no tenant's rows. */
  async run<Row>(tenantId: string, statement: NamedStatement): Promise<Row[]> {
    const lane = this.ready() ?? (await this.open())
    lane.inFlight++
    gatherWrites(lane.client)
    try {
      return (await runPrepared(lane.client, statement, actAs(tenantId))) as Row[]
    } catch (error) {
      const explained = explainDriverError(error)
      // The database says that it ends a connection before the connection ends.
      if (explained instanceof DatabaseAway) this.drop(lane)
      throw explained
    } finally {
      lane.inFlight--
    }
  }

  async close(): Promise<void> {
    this.closed = true
    const lanes = await Promise.allSettled(this.lanes)
    await Promise.allSettled(lanes.map((lane) => (lane.status === 'fulfilled' ? lane.value.client.end() : undefined)))
  }

  /** The lane with the least to do; one that is about to be written to counts as less busy than it is. */
  private ready(): Lane | undefined {
    if (this.lanes.length < this.size) return undefined
    let best: Lane | undefined
    let least = Number.POSITIVE_INFINITY
    for (const lane of this.lanes) {
      if (lane instanceof Promise) continue
      const load = lane.inFlight - (gathering.has(lane.client) ? worthOfOneWrite : 0)
      if (load < least) {
        best = lane
        least = load
      }
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
    try {
      await client.connect()
      await prepareActing(client)
    } catch (error) {
      this.drop(lane)
      throw error
    }
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

const gathering = new WeakSet<pg.Client>()

/** Holds what is written to a connection until the end of this turn of the event loop: one system call for all of it. */
export function gatherWrites(client: pg.Client): void {
  if (gathering.has(client)) return
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  gathering.add(client)
  stream.cork()
  setImmediate(() => {
    gathering.delete(client)
    stream.uncork()
  })
}
