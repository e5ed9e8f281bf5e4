import { join } from 'node:path'
import { startWorld } from '../../packages/edge/test/mcp/testing/gateway-world.ts'
import { policyGuard, rulesFor } from '../../packages/edge/test/mcp/testing/policy-guard.ts'
import { behindEdge } from '../../packages/edge/test/mcp/testing/servers.ts'
import { startBridge } from './bridge.ts'
import { startHttp } from './server/http.ts'

/**
 * Ways to reach the same server; the first of each list has no edge. A server on standard input and output cannot close a call's
 * stream, so it is compared with an HTTP server that does not close streams.
 */
export const comparisons = [
  ['HTTP', 'HTTP, edge'],
  ['no closing', 'started by the edge', 'stdio edge'],
] as const
export type Way = (typeof comparisons)[number][number]

/** A policy that allows the tools, resources and prompts of every server. */
const everythingAllowed = rulesFor({ 'mcp:*/*': 'allow', 'resource:*/*': 'allow', 'prompt:*/*': 'allow' }, 'deny')

/**
 * Starts the suite's server behind an edge in three ways: over HTTP; started by the gateway; and started by a stdio edge, which
 * the gateway of another edge serves over HTTP.
 */
export async function startWays(): Promise<{ urls: Record<Way, string>; stop(): Promise<void> }> {
  const direct = await startHttp({ closesStreams: true })
  const noClosing = await startHttp()
  const program = join(import.meta.dirname, 'server/stdio.ts')
  const command = process.execPath
  const env = { PATH: process.env.PATH ?? '' }
  const wrapped = behindEdge('stdio', everythingAllowed, [command, program])
  const guard = policyGuard(everythingAllowed)
  const { url, token, close } = await startWorld(
    { http: { url: direct.url }, started: { command, args: [program], env }, stdio: { command, args: wrapped, env } },
    { guard },
  )
  const names = ['http', 'started', 'stdio']
  const bridges = await Promise.all(names.map((name) => startBridge(`${url}/mcp/${name}`, token)))
  const [http, started, stdio] = bridges.map((bridge) => bridge.url) as [string, string, string]
  return {
    urls: {
      HTTP: direct.url,
      'HTTP, edge': http,
      'no closing': noClosing.url,
      'started by the edge': started,
      'stdio edge': stdio,
    },
    async stop() {
      await Promise.all(bridges.map((bridge) => bridge.stop()))
      await close()
      await direct.stop()
      await noClosing.stop()
    },
  }
}
