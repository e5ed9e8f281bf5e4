import { once } from 'node:events'
import type { Logger } from 'pino'
import type { EdgeConfig } from '../config.ts'
import { startListener } from '../listen/listener.ts'
import { startMcpGateway } from '../mcp/gateway.ts'
import { startEdge } from '../start-edge.ts'
import { edgeLogger } from './edge-logger.ts'
import { readServers } from './read-servers.ts'
import { reloadOnChange } from './reload-on-change.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs an edge for local callers until it is stopped. Closes everything that it opened, also after a failed start. */
export async function runEdge(config: EdgeConfig): Promise<void> {
  const stop = stopSignal(config.mcpServers === undefined ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM', 'SIGINT'])
  const log = edgeLogger(config.logLevel)
  const started: Closable[] = []
  try {
    await start(config, log, started)
    if (!stop.aborted) await once(stop, 'abort')
    log.info({ signal: stop.reason }, 'stopping')
  } finally {
    for (const one of started.reverse()) await one.close()
  }
  log.info('stopped')
}

interface Closable {
  close(): Promise<void> | void
}

/**
 * Starts the parts of the edge. Adds to `started` each part that must be closed later. The caller closes them in reverse order.
 */
async function start(config: EdgeConfig, log: Logger, started: Closable[]): Promise<void> {
  const keep = <T extends Closable>(one: T): T => {
    started.push(one)
    return one
  }
  const servers = config.mcpServers === undefined ? null : await readServers(config.mcpServers)
  const edge = keep(await startEdge(config, log))
  const { guardFor, tokens, approvals, health } = edge
  const { host, port, hostNames, allowedHosts, allowedOrigins, maxOpen } = config
  const clients = edge.agentIds.map((agentId) => ({ token: tokens.tokenOf(agentId), guard: keep(guardFor(agentId)) }))
  const listener = keep(
    await startListener({ host, port, hostNames, tokens, guardFor, approvals, health, maxOpen, log }),
  )
  const gateway =
    servers &&
    keep(
      await startMcpGateway({
        host,
        port: config.mcpPort,
        servers,
        clients,
        allowedHosts: [...hostNames, ...allowedHosts],
        allowedOrigins,
        log,
      }),
    )
  if (gateway && config.mcpServers !== undefined) keep(reloadOnChange(config.mcpServers, gateway, log))
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
}
