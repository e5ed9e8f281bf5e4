// Measures the time from saving a policy until every edge enforces it: `node bench/policy-spread.ts [interval in seconds]`.
import { setTimeout as pause } from 'node:timers/promises'
import type { Edge } from '../packages/edge/src/start-edge.ts'
import { quantile, startEdgeWorld } from './edges/edge-world.ts'

const intervalSeconds = Number(process.argv[2] ?? 30)
const edgeCount = Number(process.env.BENCH_EDGES ?? 1000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const startsAtOnce = 20

const world = await startEdgeWorld({ MANDATE_HEARTBEAT_SECONDS: String(intervalSeconds) })
try {
  const policy = { name: 'spread', override_mode: 'enforce', default_effect: 'allow' }
  const { id: policyId } = await world.call('POST', '/policies', policy)
  const edges: Edge[] = []
  const starting = Array.from({ length: startsAtOnce }, async () => {
    while (edges.length + startsAtOnce <= edgeCount) edges.push(await world.newEdge(await world.newAgent(policyId)))
  })
  await Promise.all(starting)
  // All edges start together. This wait spreads their heartbeats, as in a real fleet.
  await pause(intervalSeconds * 2000)
  console.log(`${edges.length} edges with one agent each, heartbeats every ${intervalSeconds} s`)
  console.log('| | p50 | p99 | max |\n|---|---|---|---|')
  for (let round = 1; round <= rounds; round++) await measure(round, policyId, edges)
  for (const edge of edges) await edge.close()
} finally {
  await world.stop()
}

async function measure(round: number, policyId: string, edges: Edge[]): Promise<void> {
  const call = { tool: 'fn:bench/pay', args: {} }
  const guards = edges.map((edge) => edge.guardFor(edge.agentIds[0] as string))
  const effect = round % 2 === 1 ? 'deny' : 'allow'
  let startedAt = 0
  const times = guards.map(
    (guard) =>
      new Promise<number>((resolve) => {
        const end = guard.onPolicyChange(() => {
          if (guard.mayShowPrompt(call.tool, null) !== (effect === 'allow')) return
          end()
          resolve(performance.now() - startedAt)
        })
      }),
  )
  startedAt = performance.now()
  await world.call('PUT', `/policies/${policyId}`, { default_effect: effect })
  const all = await Promise.all(times)
  const verdicts = await Promise.all(guards.map((guard) => guard.decide(call)))
  if (verdicts.some(({ verdict }) => verdict !== effect)) throw new Error('an edge does not enforce the saved policy')
  await Promise.all(guards.map((guard) => guard.close()))
  const seconds = (part: number) => `${(quantile(all, part) / 1000).toFixed(2)} s`
  console.log(`| save ${round} | ${seconds(0.5)} | ${seconds(0.99)} | ${seconds(1)} |`)
  await pause(intervalSeconds * 1000)
}
