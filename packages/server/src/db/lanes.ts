import type { Duplex } from 'node:stream'
import pg from 'pg'
import type { NamedStatement } from './statement.ts'

const setTenant = "select set_config('app.tenant_id', $1, false)"

interface Lane {
  client: pg.Client
  tenantId: string
  inFlight: number
}

/**
 * A few connections that every single-statement read shares. Statements are pipelined, so none waits for a connection
 * or for another's answer; when the tenant changes, the statement that sets it is sent right before, in order.
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
      if (lane.tenantId !== tenantId) {
        lane.tenantId = tenantId
        // Were it to fail, the connection is broken and the statement behind it fails too.
        lane.client.query({ name: 'set_tenant', text: setTenant, values: [tenantId] }).catch(() => {
          lane.tenantId = 'unknown'
        })
      }
      return (await lane.client.query(statement)).rows as Row[]
    } finally {
      lane.inFlight--
    }
  }

  async close(): Promise<void> {
    this.closed = true
    const lanes = await Promise.allSettled(this.lanes)
    await Promise.allSettled(lanes.map((lane) => (lane.status === 'fulfilled' ? lane.value.client.end() : undefined)))
  }

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
      this.drop(opening)
      throw error
    }
  }

  private async connect(): Promise<Lane> {
    const client = new pg.Client({ ...this.config, pipeline: true } as pg.ClientConfig)
    const lane: Lane = { client, tenantId: '', inFlight: 0 }
    // A lost connection leaves the set; the next read opens another.
    client.on('error', () => this.drop(lane))
    client.on('end', () => this.drop(lane))
    await client.connect()
    return lane
  }

  private drop(lane: Lane | Promise<Lane>): void {
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
