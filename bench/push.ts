// Measures how fast changes reach edges by their streams: `node bench/push.ts`. The edges consist of sockets only, and the server is real.
import { setTimeout as pause } from 'node:timers/promises'
import { quantile, startEdgeWorld } from './edge-world.ts'
import { SimulatedEdge } from './simulated-edge.ts'

const edgeCount = Number(process.env.BENCH_EDGES ?? 1000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const startsAtOnce = 20
const limitMs = 60_000

// No heartbeat is due during the run.
const world = await startEdgeWorld({ MANDATE_HEARTBEAT_SECONDS: '3600', MANDATE_DEFAULT_PLAN: 'enterprise' })
let starting = 0
const edges: { edge: SimulatedEdge; agentId: string }[] = []
try {
  const policy = { name: 'push', override_mode: 'enforce', default_effect: 'allow' }
  const { id: policyId } = await world.call('POST', '/policies', policy)
  await Promise.all(Array.from({ length: startsAtOnce }, () => startSome(policyId)))
  // The audit trail of the new agents is sealed meanwhile.
  await pause(5_000)
  console.log(`${edges.length} edges with one agent each, rounds: ${rounds}`)
  console.log('| | p50 | p99 | max |\n|---|---|---|---|')
  await report('policy saved → profile fetched by every edge', (round) => savePolicy(policyId, round))
  await report('agent suspended → event at its edge', suspend, 10 * rounds)
  await report('organization frozen → event at every edge', (round) => freeze(round, 'event'))
  await report('organization frozen → confirmation accepted from every edge', (round) => freeze(round, 'confirmation'))
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

async function savePolicy(policyId: string, round: number): Promise<number[]> {
  const effect = round % 2 === 0 ? 'deny' : 'allow'
  const arrived = everyEdge((edge, done) => {
    edge.onProfile = (fetched) => fetched === effect && done()
  })
  const startedAt = performance.now()
  await world.call('PUT', `/policies/${policyId}`, { default_effect: effect })
  return (await arrived).map((at) => at - startedAt)
}

async function suspend(round: number): Promise<number[]> {
  const { edge, agentId } = edges[Math.floor(round / 2) % edges.length] as (typeof edges)[number]
  const event = Promise.withResolvers<number>()
  edge.onEvent = (type) => type === 'profile' && event.resolve(performance.now())
  const startedAt = performance.now()
  await world.call('POST', `/agents/${agentId}/${round % 2 === 0 ? 'suspend' : 'resume'}`)
  return [(await inTime(event.promise)) - startedAt]
}

/** Edges confirm the freeze in both cases. */
async function freeze(_round: number, until: 'event' | 'confirmation'): Promise<number[]> {
  const confirmed = everyEdge((edge, done) => {
    if (until === 'confirmation') edge.onConfirmed = done
    else edge.onEvent = (type) => type === 'freeze' && done()
  })
  const startedAt = performance.now()
  const { id } = await world.call('POST', '/freezes', { scope: 'organization', reason: 'bench' })
  const times = (await confirmed).map((at) => at - startedAt)
  await pause(5_000)
  await world.call('POST', `/freezes/${id}/lift`, { reason: 'bench' })
  await pause(5_000)
  return times
}

/** Resolves to the moment at which `done` was called for each edge. */
function everyEdge(listen: (edge: SimulatedEdge, done: () => void) => void): Promise<number[]> {
  const moments = edges.map(
    ({ edge }) => new Promise<number>((resolve) => listen(edge, () => resolve(performance.now()))),
  )
  return inTime(Promise.all(moments))
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

async function report(name: string, measure: (round: number) => Promise<number[]>, times = rounds): Promise<void> {
  const all: number[] = []
  for (let round = 0; round < times; round++) all.push(...(await measure(round)))
  const cells = [0.5, 0.99, 1].map((part) => `${Math.round(quantile(all, part))} ms`)
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
