import { once } from 'node:events'
import type { EdgeConfig } from '../config.ts'
import { startListener } from '../listen/listener.ts'
import { startMcpGateway } from '../mcp/gateway.ts'
import { startEdge } from '../start-edge.ts'
import { edgeLogger } from './edge-logger.ts'
import { readServers } from './read-servers.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs an edge that listens for local callers, until it is told to stop. */
export async function runEdge(config: EdgeConfig): Promise<void> {
  const stop = stopSignal()
  const log = edgeLogger(config.logLevel)
  const servers = config.mcpServers === undefined ? null : await readServers(config.mcpServers)
  const edge = await startEdge(config, log)
  const { guardFor, tokens } = edge
  const { host, port, hostNames, maxOpen } = config
  const listener = await startListener({ host, port, hostNames, tokens, guardFor, maxOpen, log })
  const clients = edge.agentIds.map((agentId) => ({ token: tokens.tokenOf(agentId), guard: guardFor(agentId) }))
  const gateway =
    servers && (await startMcpGateway({ host, port: config.mcpPort, servers, clients, allowedHosts: hostNames, log }))
  log.info({ url: listener.url, mcp_url: gateway?.url, pid: process.pid, agents: edge.agentIds.length }, 'listening')
  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason }, 'stopping')
  await gateway?.close()
  await listener.close()
  await Promise.all(clients.map(({ guard }) => guard.close()))
  await edge.close()
  log.info('stopped')
}
