import { once } from 'node:events'
import type { EdgeConfig } from '../config.ts'
import { startListener } from '../listen/listener.ts'
import { startMcpGateway } from '../mcp/gateway.ts'
import { startEdge } from '../start-edge.ts'
import { edgeLogger } from './edge-logger.ts'
import { readServers } from './read-servers.ts'
import { reloadOnChange } from './reload-on-change.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs an edge that listens for local callers, until it is told to stop. */
export async function runEdge(config: EdgeConfig): Promise<void> {
  const stop = stopSignal(config.mcpServers === undefined ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT'])
  const log = edgeLogger(config.logLevel)
  const servers = config.mcpServers === undefined ? null : await readServers(config.mcpServers)
  const edge = await startEdge(config, log)
  const { guardFor, tokens, health } = edge
  const { host, port, hostNames, allowedHosts, allowedOrigins, maxOpen } = config
  const listener = await startListener({ host, port, hostNames, tokens, guardFor, health, maxOpen, log })
  const clients = edge.agentIds.map((agentId) => ({ token: tokens.tokenOf(agentId), guard: guardFor(agentId) }))
  const gateway =
    servers &&
    (await startMcpGateway({
      host,
      port: config.mcpPort,
      servers,
      clients,
      allowedHosts: [...hostNames, ...allowedHosts],
      allowedOrigins,
      log,
    }))
  const reloading = gateway && config.mcpServers !== undefined ? reloadOnChange(config.mcpServers, gateway, log) : null
  log.info(
    {
      url: listener.url,
      mcp_url: gateway?.url,
      servers: Object.keys(servers ?? {}),
      pid: process.pid,
      agents: edge.agentIds.length,
    },
    'listening',
  )
  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason }, 'stopping')
  reloading?.close()
  await gateway?.close()
  await listener.close()
  await Promise.all(clients.map(({ guard }) => guard.close()))
  await edge.close()
  log.info('stopped')
}
