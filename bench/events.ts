// Measures event streams: `npx node bench/events.ts`. Opens streams in tenants of 200, makes changes at a steady rate, and measures memory per
// stream, CPU time per event, and the time from a request to its event at each stream. Then restarts the instance twice while changes go on, and
// counts events that a stream lost. BENCH_STREAMS, BENCH_RATE (changes a second) and BENCH_SECONDS change the load.
import { readFileSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EventParser } from '../packages/sdk/src/event-parser.ts'
import { cpuTimeOf } from './cpu-time.ts'
import { quantile, startDatabase, startMandate, untilUp } from './real-server.ts'
import { insertKey, insertTenant } from './seed-tenant.ts'

const streamCount = Number(process.env.BENCH_STREAMS ?? 2_000)
const rate = Number(process.env.BENCH_RATE ?? 10)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const ofTenant = 200
const ofKey = 20
const restarts = 2
const [watched, changing] = [18_084, 18_085]

/** A stream that connects again with its last id, as clients do. */
class Watcher {
  readonly seen = new Map<string, number>()
  lastEventId: string | undefined
  resets = 0
  private isClosed = false
  private current: ClientRequest | undefined
  private readonly key: string

  constructor(key: string) {
    this.key = key
  }

  /** Resolves when the first bytes have arrived. */
  async open(): Promise<void> {
    while (!this.isClosed) {
      if (await this.connect()) return
      await sleep(50 + Math.random() * 200)
    }
  }

  close(): void {
    this.isClosed = true
    this.current?.destroy()
  }

  private connect(): Promise<boolean> {
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${this.key}`,
        ...(this.lastEventId !== undefined && { 'last-event-id': this.lastEventId }),
      }
      const path = '/api/v1/events/stream?types=audit.recorded'
      this.current = request({ port: watched, host: '127.0.0.1', path, headers, agent: false })
      this.current.on('error', () => resolve(false))
      this.current.on('response', (response) => {
        if (response.statusCode !== 200) {
          response.resume()
          resolve(false)
          return
        }
        const parser = new EventParser()
        response.setEncoding('utf8')
        response.on('data', (text: string) => {
          this.read(parser, text)
          resolve(true)
        })
        response.on('error', () => {})
        response.on('close', () => {
          resolve(false)
          if (!this.isClosed) void this.open()
        })
      })
      this.current.end()
    })
  }

  private read(parser: EventParser, text: string): void {
    const now = performance.now()
    for (const { id, event, data } of parser.feed(text)) {
      if (id !== undefined) this.lastEventId = id
      if (event === 'reset') this.resets++
      if (event === 'audit.recorded' && data !== undefined && !this.seen.has(id ?? '')) this.seen.set(id ?? '', now)
    }
  }
}

interface Tenant {
  id: string
  key: string
  watchers: Watcher[]
  /** When each change was requested, in the order of the changes. */
  changes: number[]
}

const database = await startDatabase()
const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
await client.connect()
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const writer = startMandate(database, changing)
let server = startMandate(database, watched)
try {
  await Promise.all([untilUp(`http://127.0.0.1:${changing}/readyz`), untilUp(`http://127.0.0.1:${watched}/readyz`)])
  const tenants = await Promise.all(
    Array.from({ length: Math.ceil(streamCount / ofTenant) }, (_, at) =>
      addTenant(Math.min(ofTenant, streamCount - at * ofTenant)),
    ),
  )
  const watchers = tenants.flatMap((tenant) => tenant.watchers)
  const before = memoryOf(server.pid as number)
  for (let at = 0; at < watchers.length; at += 100)
    await Promise.all(watchers.slice(at, at + 100).map((watcher) => watcher.open()))
  const after = memoryOf(server.pid as number)
  console.log(`${watchers.length} streams: ${((after - before) / watchers.length / 1024).toFixed(1)} KB of memory each`)
  const cpu = cpuTimeOf(server.pid as number, { withChildren: false })
  await change(tenants, seconds)
  await untilDelivered(tenants)
  const used = cpuTimeOf(server.pid as number, { withChildren: false }) - cpu
  const times = tenants.flatMap((tenant) => timesOf(tenant))
  console.log(
    `${times.length} events delivered: ${(used / times.length).toFixed(1)} µs of CPU time each; from the request to the event: median ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  )
  const going = change(tenants, seconds)
  for (let at = 0; at < restarts; at++) {
    await sleep((seconds * 1000) / (restarts + 1))
    server.kill('SIGTERM')
    await new Promise((resolve) => server.once('exit', resolve))
    server = startMandate(database, watched)
  }
  await going
  await untilDelivered(tenants)
  const lost = watchers.reduce((sum, watcher, at) => {
    const { changes } = tenants[Math.floor(at / ofTenant)] as Tenant
    return sum + changes.length - watcher.seen.size
  }, 0)
  const resets = watchers.reduce((sum, watcher) => sum + watcher.resets, 0)
  console.log(`${restarts} restarts of the instance: ${lost} events lost, ${resets} resets`)
  for (const watcher of watchers) watcher.close()
} finally {
  server.kill('SIGKILL')
  writer.kill('SIGKILL')
  agent.destroy()
  await client.end()
  await database.stop()
}

async function addTenant(count: number): Promise<Tenant> {
  const { tenantId, userId } = await insertTenant(client)
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(count / ofKey) }, () => insertKey(client, tenantId, userId)),
  )
  const watchers = Array.from({ length: count }, (_, at) => new Watcher(keys[Math.floor(at / ofKey)] as string))
  return { id: tenantId, key: keys[0] as string, watchers, changes: [] }
}

/** Makes changes over the other instance, in the tenants in turns. */
async function change(tenants: readonly Tenant[], duringSeconds: number): Promise<void> {
  const sent: Promise<void>[] = []
  const started = performance.now()
  for (let at = 0; at < duringSeconds * rate; at++) {
    await sleep(Math.max(0, started + (at * 1000) / rate - performance.now()))
    const tenant = tenants[at % tenants.length] as Tenant
    tenant.changes.push(performance.now())
    sent.push(post(tenant, { name: `agent ${at}` }))
  }
  await Promise.all(sent)
}

function post({ key }: Tenant, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request({
      port: changing,
      host: '127.0.0.1',
      path: '/api/v1/environments',
      method: 'POST',
      headers,
      agent,
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === 201 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    const name = `${Object.values(body)[0]}-${performance.now()}`
    sent.end(JSON.stringify({ name, slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') }))
  })
}

/** Waits until every stream has every change, at most a minute. */
async function untilDelivered(tenants: readonly Tenant[]): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isWhole = tenants.every(({ watchers, changes }) => watchers.every(({ seen }) => seen.size >= changes.length))
    if (isWhole) return
    await sleep(100)
  }
}

/** The changes of a tenant are made one after the other, so events are in the order of the changes. */
function timesOf({ watchers, changes }: Tenant): number[] {
  return watchers.flatMap(({ seen }) => [...seen.values()].map((at, number) => at - (changes[number] as number)))
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
