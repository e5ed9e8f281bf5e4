// Measures event streams: `npx node bench/events.ts`. Opens streams in tenants of 200, makes changes at a steady rate, and measures memory per
// stream, CPU time per event, and the time from a request to its event at each stream. Then restarts the instance, and after that PostgreSQL, while
// changes go on, and counts events that a stream lost. BENCH_STREAMS, BENCH_RATE (changes a second), BENCH_SECONDS, BENCH_RESTARTS and
// BENCH_DATABASE_RESTARTS change the load.
import { readFileSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EventParser } from '../packages/sdk/src/stream/event-parser.ts'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { insertKey, insertTenant } from './seed-tenant.ts'
import { quantile, startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const streamCount = Number(process.env.BENCH_STREAMS ?? 2_000)
const rate = Number(process.env.BENCH_RATE ?? 10)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const ofTenant = 200
const ofKey = 20
const restarts = Number(process.env.BENCH_RESTARTS ?? 2)
const databaseRestarts = Number(process.env.BENCH_DATABASE_RESTARTS ?? 2)
const betweenRestartsMs = 5_000
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
        let isOpen = false
        response.setEncoding('utf8')
        response.on('data', (text: string) => {
          isOpen = true
          this.read(parser, text)
          resolve(true)
        })
        response.on('error', () => {})
        response.on('close', () => {
          resolve(false)
          // Before the first bytes, `open` connects again. A second stream would take the place of another one of the key.
          if (isOpen && !this.isClosed) void this.open()
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
// PostgreSQL closes this connection when it restarts. It is not needed any more then.
client.on('error', () => {})
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
  const endsAt = performance.now() + seconds * 1000
  await change(tenants, () => performance.now() >= endsAt)
  await untilDelivered(tenants)
  const used = cpuTimeOf(server.pid as number, { withChildren: false }) - cpu
  const times = tenants.flatMap((tenant) => timesOf(tenant))
  console.log(
    `${times.length} events delivered: ${(used / times.length).toFixed(1)} µs of CPU time each; from the request to the event: median ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  )
  await whileChanging(tenants, `${restarts} restarts of the instance`, restarts, async () => {
    server.kill('SIGTERM')
    await new Promise((resolve) => server.once('exit', resolve))
    server = startMandate(database, watched)
  })
  await whileChanging(tenants, `${databaseRestarts} restarts of PostgreSQL`, databaseRestarts, async () => {
    const { exited, pid } = database.embedded
    process.kill(pid, 'SIGINT')
    await exited
    await database.embedded.restart()
  })
  for (const watcher of watchers) watcher.close()
} finally {
  server.kill('SIGKILL')
  writer.kill('SIGKILL')
  agent.destroy()
  await client.end().catch(() => {})
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

/** Makes changes while `restart` runs `times` times. Prints how many events the streams lost, and how many streams were reset. */
async function whileChanging(
  tenants: readonly Tenant[],
  name: string,
  times: number,
  restart: () => Promise<void>,
): Promise<void> {
  if (times === 0) return
  const resetsBefore = resetsOf(tenants)
  let isOver = false
  const going = change(tenants, () => isOver)
  for (let at = 0; at < times; at++) {
    await sleep(betweenRestartsMs)
    await restart()
  }
  await sleep(betweenRestartsMs)
  isOver = true
  await going
  const startedMs = performance.now()
  await untilDelivered(tenants)
  const waitedMs = performance.now() - startedMs
  const missing = tenants.flatMap(({ watchers, changes }) => watchers.map(({ seen }) => changes.length - seen.size))
  const lost = missing.reduce((sum, count) => sum + count, 0)
  const losers = missing.filter((count) => count > 0).length
  const made = tenants.reduce((sum, { changes }) => sum + changes.length, 0)
  console.log(
    `${name}, ${made} changes so far: ${lost} events lost on ${losers} streams, ${resetsOf(tenants) - resetsBefore} resets, everything delivered ${waitedMs.toFixed(0)} ms after the last change`,
  )
}

function resetsOf(tenants: readonly Tenant[]): number {
  return tenants.flatMap(({ watchers }) => watchers).reduce((sum, { resets }) => sum + resets, 0)
}

/** Makes changes over the other instance, in the tenants in turns. */
async function change(tenants: readonly Tenant[], isOver: () => boolean): Promise<void> {
  const sent: Promise<void>[] = []
  const started = performance.now()
  for (let at = 0; !isOver(); at++) {
    await sleep(Math.max(0, started + (at * 1000) / rate - performance.now()))
    const tenant = tenants[at % tenants.length] as Tenant
    tenant.changes.push(performance.now())
    sent.push(post(tenant, { name: `agent ${at}` }))
  }
  await Promise.all(sent)
}

/** Creates an environment. While the database is away, asks again. The answer may have been lost, so a taken name counts as created. */
async function post(tenant: Tenant, { name: prefix }: { name: string }): Promise<void> {
  const name = `${prefix}-${performance.now()}`
  for (let tries = 0; tries < 300; tries++) {
    const status = await statusOfPost(tenant, { name, slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') })
    if (status === 201 || (status === 409 && tries > 0)) return
    if (status !== 503) throw new Error(`status ${status}`)
    await sleep(100)
  }
  throw new Error('the database did not come back in time')
}

function statusOfPost({ key }: Tenant, body: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const path = '/api/v1/environments'
    const sent = request({ port: changing, host: '127.0.0.1', path, method: 'POST', headers, agent })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.end(JSON.stringify(body))
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
