// The edge of `edge-drain.ts`, as a process of its own. Runs until its standard input ends. `FILL` is the number of decisions that it makes.
import { once } from 'node:events'
import { pino } from 'pino'
import { readEdgeConfig } from '../../packages/edge/src/config.ts'
import { startEdge } from '../../packages/edge/src/start-edge.ts'

const atOnce = 2_000
const count = Number(process.env.FILL ?? 0)
const config = readEdgeConfig(process.env, {})
const edge = await startEdge(config, pino({ level: process.env.LOG ?? 'fatal' }))
process.stdout.write('started\n')
process.stdin.resume()
if (count > 0) {
  await once(process.stdin, 'data')
  const guard = edge.guardFor(config.agentIds[0] as string)
  for (let made = 0; made < count; made += atOnce) {
    const size = Math.min(atOnce, count - made)
    const calls = Array.from({ length: size }, (_, n) => ({
      tool: `mcp:files/tool-${n % 20}`,
      args: { path: `/srv/${made + n}` },
    }))
    await Promise.all(calls.map((call) => guard.decide(call)))
  }
  process.stdout.write('filled\n')
}
await once(process.stdin, 'end')
await edge.close()
process.exit()
