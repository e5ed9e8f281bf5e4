// Measures how fast changes reach edges by their streams: `node bench/push.ts`. The edges consist of sockets only, and the server is real.
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile, startEdgeWorld } from './edges/edge-world.ts'
import { SimulatedEdge } from './edges/simulated-edge.ts'

const edgeCount = Number(process.env.BENCH_EDGES ?? 1000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
/** Runs only the rows whose name contains this text. */
const only = process.env.BENCH_ONLY ?? ''
const startsAtOnce = 20
const limitMs = 60_000
/** The pause between two changes, so that the heartbeats that report the first change do not delay the second one. */
const reportsMs = 3_000

// No heartbeat is due during the run.
const world = await startEdgeWorld({ MANDATE_HEARTBEAT_SECONDS: '3600', MANDATE_DEFAULT_PLAN: 'enterprise' })
let starting = 0
let savedEffect = 'allow'
const edges: { edge: SimulatedEdge; agentId: string }[] = []
try {
  const policy = { name: 'push', override_mode: 'enforce', default_effect: 'allow' }
  const { id: policyId } = await world.call('POST', '/policies', policy)
  await Promise.all(Array.from({ length: startsAtOnce }, () => startSome(policyId)))
  // The audit trail of the new agents is sealed meanwhile.
  await pause(5_000)
  console.log(`${edges.length} edges with one agent each, rounds: ${rounds}, load average before: ${loadavg()[0]}`)
  console.log('CPU time of the node process of the server and of PostgreSQL, for one change')
  console.log('| | p50 | p99 | max | node | PostgreSQL |\n|---|---|---|---|---|---|')
  const saved = 'policy saved → '
  await report(`${saved}profile fetched by every edge`, () => savePolicy(policyId, 'onProfile'))
  await report(`${saved}signed confirmation of every edge accepted`, () => savePolicy(policyId, 'onConfirmed'))
  await report('agent suspended → event at its edge', (round) => suspend(round, 'onEvent'), 10 * rounds)
  await report('agent suspended → signed confirmation accepted', (n) => suspend(n, 'onConfirmed'), 10 * rounds)
  const frozen = 'organization frozen → '
  await report(`${frozen}event at every edge`, () => freeze('onEvent'))
  await report(`${frozen}signed confirmation of every edge accepted`, () => freeze('onConfirmed'))
  console.log(`load average after: ${loadavg()[0]}`)
} finally {
  for (const { edge } of edges) edge.close()
  await world.stop()
}

async function startSome(policyId: string): Promise<void> {
  while (starting < edgeCount) {
    starting++
    const agent = await world.newAgent(policyId)
    const edge = new SimulatedEdge(world.url, agent)
    edges.push({ edge, agentId: agent.id })
    await edge.start()
  }
}

async function savePolicy(policyId: string, on: 'onProfile' | 'onConfirmed'): Promise<Measured> {
  await pause(reportsMs)
  const effect = savedEffect === 'allow' ? 'deny' : 'allow'
  savedEffect = effect
  return await measure(on, effect, () => world.call('PUT', `/policies/${policyId}`, { default_effect: effect }))
}

/** Suspends an agent, and resumes it later without measuring that. Each round suspends another agent. */
async function suspend(round: number, on: 'onEvent' | 'onConfirmed'): Promise<Measured> {
  const one = edges[round % edges.length] as (typeof edges)[number]
  const path = `/agents/${one.agentId}`
  const what = on === 'onEvent' ? 'profile' : 'suspended'
  const measured = await measure(on, what, () => world.call('POST', `${path}/suspend`), [one])
  await pause(500)
  await world.call('POST', `${path}/resume`)
  await pause(500)
  return measured
}

/** Edges confirm the freeze in both cases. */
async function freeze(on: 'onEvent' | 'onConfirmed'): Promise<Measured> {
  let id = ''
  const measured = await measure(on, 'freeze', async () => {
    id = (await world.call('POST', '/freezes', { scope: 'organization', reason: 'bench' })).id
  })
  await pause(5_000)
  await world.call('POST', `/freezes/${id}/lift`, { reason: 'bench' })
  await pause(2_000 + reportsMs)
  return measured
}

interface Measured {
  /** The time until each edge was reached. */
  times: number[]
  cpuMs: { node: number; postgres: number }
}

/** Makes a change. Measures the time until the listener of each edge is called with `what`. */
async function measure(
  on: 'onEvent' | 'onProfile' | 'onConfirmed',
  what: string,
  change: () => Promise<unknown>,
  some = edges,
): Promise<Measured> {
  const before = world.cpuMs()
  const reached = some.map(({ edge }) => {
    const { promise, resolve } = Promise.withResolvers<number>()
    edge[on] = (said) => said === what && resolve(performance.now())
    return promise
  })
  const startedAt = performance.now()
  const [moments] = await inTime(Promise.all([Promise.all(reached), change()]))
  const after = world.cpuMs()
  const cpuMs = { node: after.node - before.node, postgres: after.postgres - before.postgres }
  return { times: moments.map((at) => at - startedAt), cpuMs }
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = new AbortController()
  const limit = pause(limitMs, undefined, { signal: late.signal }).then(() => {
    throw new Error(`a change did not reach every edge within ${limitMs} ms`)
  })
  limit.catch(() => {})
  try {
    return await Promise.race([promise, limit])
  } finally {
    late.abort()
  }
}

async function report(name: string, change: (round: number) => Promise<Measured>, times = rounds): Promise<void> {
  if (!name.includes(only)) return
  const all: Measured[] = []
  for (let round = 0; round < times; round++) all.push(await change(round))
  const delays = all.flatMap((one) => one.times)
  const cells = [
    ...[0.5, 0.99, 1].map((part) => quantile(delays, part)),
    quantile(
      all.map(({ cpuMs }) => cpuMs.node),
      0.5,
    ),
    quantile(
      all.map(({ cpuMs }) => cpuMs.postgres),
      0.5,
    ),
  ]
  console.log(`| ${[name, ...cells.map((ms) => `${Math.round(ms)} ms`)].join(' | ')} |`)
}
