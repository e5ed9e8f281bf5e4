// Measures an edge's decisions per second, each recorded on disk before the response: `node bench/edge-decide.ts`. The HTTP part needs
// `wrk`.
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { startListener } from '../packages/edge/src/listen/listener.ts'
import { quantile, startEdgeWorld } from './edges/edge-world.ts'
import { sendInTurn } from './measure/load.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const ruleCount = 100

const rules = Array.from({ length: ruleCount }, (_, n) => ({
  name: `rule ${n}`,
  priority: n,
  effect: n % 3 === 0 ? 'deny' : 'allow',
  match: { tools: [`mcp:server-${n}/*`], when: [{ path: 'args.amount', op: n % 3 === 0 ? 'gt' : 'lte', value: 100 }] },
}))
const callAt = (n: number) => ({
  tool: `mcp:server-${n % ruleCount}/read`,
  args: { amount: n % 200, path: `/srv/files/${n}`, text: 'x'.repeat(100) },
})

const world = await startEdgeWorld()
try {
  const { id: policyId } = await world.call('POST', '/policies', { name: 'bench', override_mode: 'enforce', rules })
  console.log(`${ruleCount} rules, ${seconds} s each`)
  console.log('| | decisions/s | p50 | p99 |\n|---|---|---|---|')
  for (const fsync of ['second', 'each']) {
    for (const callers of [1, 64]) await measure(fsync, callers)
  }
  await overHttp()

  async function measure(fsync: string, callers: number): Promise<void> {
    const agent = await world.newAgent(policyId)
    const edge = await world.newEdge(agent, { MANDATE_EDGE_FSYNC: fsync, MANDATE_EDGE_SPOOL_MB: '4000' })
    const guard = edge.guardFor(agent.id)
    const latencies: number[] = []
    const [start, end] = [performance.now(), performance.now() + seconds * 1000]
    let made = 0
    const call = async () => {
      while (performance.now() < end) {
        const at = performance.now()
        await guard.decide(callAt(made++))
        latencies.push(performance.now() - at)
      }
    }
    await Promise.all(Array.from({ length: callers }, call))
    const rate = latencies.length / ((performance.now() - start) / 1000)
    row(`in process, ${callers} at once, fsync ${fsync}`, rate, latencies)
    await edge.close()
  }

  async function overHttp(): Promise<void> {
    const agent = await world.newAgent(policyId)
    const token = randomBytes(32).toString('hex')
    const edge = await world.newEdge(agent, { MANDATE_EDGE_TOKEN: token, MANDATE_EDGE_SPOOL_MB: '4000' })
    const log = pino({ level: 'error' })
    const { guardFor, tokens } = edge
    const listener = await startListener({
      host: '127.0.0.1',
      port: 0,
      hostNames: [],
      tokens,
      guardFor,
      maxOpen: 256,
      log,
    })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const requests = Array.from({ length: 500 }, (_, n) => {
      return { method: 'POST', path: '/edge/v1/decide', headers, body: JSON.stringify(callAt(n)) } as const
    })
    const { perSecond } = await sendInTurn(listener.url, requests, seconds)
    row('over HTTP, 16 connections, fsync second', perSecond)
    await listener.close()
    await edge.close()
  }
} finally {
  await world.stop()
}

function row(name: string, rate: number, latencies?: number[]): void {
  const ms = (part: number) => (latencies ? `${quantile(latencies, part).toFixed(2)} ms` : '')
  console.log(`| ${name} | ${Math.round(rate)} | ${ms(0.5)} | ${ms(0.99)} |`)
}
