// Measures how edges connect again after a restart of the server: `npx node bench/reconnect.ts`. Each edge has one agent, the agent's own key, the
// stream of a real edge, and its waits. After its stream has opened it compares its profile, as a real edge does. BENCH_EDGES, BENCH_ROUNDS
// (restarts) and BENCH_SPREAD_MS (the time within which edges connect again, 5,000 in a real edge) change the load.
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { controlPlaneAt } from '../packages/edge/src/control-plane/control-plane.ts'
import { planeStreamsAt } from '../packages/edge/src/control-plane/plane-stream.ts'
import { PushStream } from '../packages/edge/src/push/push-stream.ts'
import { cpuTimeOf } from './measure/cpu-time.ts'
import { insertEnvironment, insertKey, insertTenant } from './seed-tenant.ts'
import { quantile, startDatabase, startMandate, untilUp } from './servers/real-server.ts'

const edgeCount = Number(process.env.BENCH_EDGES ?? 5_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const spreadMs = Number(process.env.BENCH_SPREAD_MS ?? 5_000)
const startsAtOnce = 20
const limitMs = 300_000
/** A stream that was open for this long counts as a success, so that each round begins like the first one. */
const steadyMs = 5_000
const port = 18_086
const url = `http://127.0.0.1:${port}/api/v1`

interface Waiting {
  /** How long after the start of the restart each edge had its stream, and its profile. */
  streams: number[]
  profiles: number[]
  startedAt: number
}

let round: Waiting = newRound()
/** What failed, and how often. */
const failures = new Map<string, number>()
const database = await startDatabase()
let server = startMandate(database, port)
const streams: PushStream[] = []
try {
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  await startEdges()
  await pause(2 * steadyMs)
  console.log(`${edgeCount} edges, connecting again within ${spreadMs} ms, load average: ${loadavg()[0]?.toFixed(1)}`)
  console.log('Seconds from the stop of the server. CPU seconds until every edge had its profile.')
  console.log(
    '| server ready | streams: p50 | all | profiles compared: all | node | PostgreSQL | failures |\n|---|---|---|---|---|---|---|',
  )
  for (let at = 0; at < rounds; at++) await restart()
  console.log(`load average after: ${loadavg()[0]?.toFixed(1)}`)
} finally {
  const closing = Promise.all(streams.map((stream) => stream.close()))
  server.kill('SIGKILL')
  await closing
  await database.stop()
}

function newRound(): Waiting {
  return { streams: [], profiles: [], startedAt: performance.now() }
}

async function startEdges(): Promise<void> {
  const client = new pg.Client({ connectionString: database.embedded.ownerUrl })
  await client.connect()
  const { tenantId, userId } = await insertTenant(client)
  const environment_id = await insertEnvironment(client, tenantId, 'Usual')
  const key = await insertKey(client, tenantId, userId)
  await client.end()
  const { id: policy_id } = await post('/policies', key, { name: 'reconnect', default_effect: 'allow' })
  let starting = 0
  const startSome = async () => {
    while (starting++ < edgeCount) {
      const made = await post('/agents', key, { name: 'bench', environment_id, policy_id })
      startEdge(made.agent.id, made.agent_key)
    }
  }
  await Promise.all(Array.from({ length: startsAtOnce }, startSome))
  await untilAllHaveProfiles()
}

// biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
async function post(path: string, key: string, body: object): Promise<any> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const said = await answer.json()
  if (!answer.ok) throw new Error(`POST ${path} returned status ${answer.status}: ${JSON.stringify(said)}`)
  return said
}

function startEdge(agentId: string, key: string): void {
  const instanceId = `bench of ${agentId}`
  const plane = controlPlaneAt(url, key)
  const real = planeStreamsAt(url, key)
  let known: string | undefined
  const compare = async () => {
    const asked = round
    for (let tries = 1; asked === round; tries++) {
      const body = {
        agent_ids: [agentId],
        instance_id: instanceId,
        ...(known !== undefined && { known_hashes: [known] }),
      }
      const answer = await plane
        .ask({ method: 'POST', path: '/edge/profiles', body })
        .catch(count('POST /edge/profiles'))
      if (answer) {
        // biome-ignore lint/suspicious/noExplicitAny: benchmarks read any field of a response
        known = (answer.body as any).data[0]?.profile_hash ?? known
        asked.profiles.push(performance.now() - asked.startedAt)
        return
      }
      await pause(1_000 * tries * (0.5 + Math.random()))
    }
  }
  const open: typeof real.open = async (path, signal) => {
    try {
      return await real.open(path, signal)
    } catch (error) {
      if (!signal.aborted) count('GET /edge/stream')(error as Error)
      throw error
    }
  }
  const onOpen = () => {
    round.streams.push(performance.now() - round.startedAt)
    void compare()
  }
  const limits = { spreadMs, steadyMs }
  const log = pino({ level: 'silent' })
  streams.push(new PushStream({ streams: { open }, instanceId, onOpen, onEvent() {}, onKeyRefused() {}, log, limits }))
}

function count(what: string) {
  return (error: Error) => {
    const name = `${what}: ${error.message}`
    failures.set(name, (failures.get(name) ?? 0) + 1)
  }
}

async function restart(): Promise<void> {
  failures.clear()
  round = newRound()
  const postgres = cpuTimeOf(database.embedded.pid, { withChildren: true })
  server.kill('SIGTERM')
  await new Promise((resolve) => server.once('exit', resolve))
  server = startMandate(database, port)
  await untilUp(`http://127.0.0.1:${port}/readyz`)
  const readyMs = performance.now() - round.startedAt
  await untilAllHaveProfiles()
  const node = cpuTimeOf(server.pid as number, { withChildren: false })
  const times = [readyMs, quantile(round.streams, 0.5), Math.max(...round.streams), Math.max(...round.profiles)]
  const cpu = [node, cpuTimeOf(database.embedded.pid, { withChildren: true }) - postgres]
  const cells = [...times.map((ms) => ms / 1_000), ...cpu.map((us) => us / 1_000_000)].map((s) => s.toFixed(1))
  const failed = [...failures].map(([name, times]) => `${times} × ${name}`).join('; ')
  console.log(`| ${[...cells, failed || 'none'].join(' | ')} |`)
  await pause(2 * steadyMs)
}

async function untilAllHaveProfiles(): Promise<void> {
  for (const from = performance.now(); round.profiles.length < edgeCount; await pause(50)) {
    if (performance.now() - from > limitMs)
      throw new Error(`only ${round.profiles.length} edges have their profile: ${JSON.stringify([...failures])}`)
  }
}
