import { once } from 'node:events'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { EdgeConfig } from '../config.ts'
import { demoServers } from '../demo/demo-command.ts'
import { openListenerPort, startListener } from '../listen/listener.ts'
import { type McpGateway, openMcpPort, type ServerConfig, startMcpGateway } from '../mcp/gateway.ts'
import { startEdge } from '../start-edge.ts'
import { readOrMakeSecret } from '../state/private-files.ts'
import { edgeLogger } from './edge-logger.ts'
import { readServers } from './read-servers.ts'
import { reloadOnChange } from './reload-on-change.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs an edge for local callers until it is stopped. */
export async function runEdge(config: EdgeConfig): Promise<void> {
  const stop = stopSignal(config.mcpServers === undefined ? undefined : ['SIGTERM', 'SIGINT', 'SIGQUIT'])
  const log = edgeLogger(config.logLevel)
  // Without a listener, SIGHUP ends the process. `reloadOnChange` listens only after the start, and reads the file then.
  if (config.mcpServers !== undefined) process.on('SIGHUP', () => {})
  const served = await serveEdge(config, log, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error
    return null
  })
  if (served === null) return
  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason }, 'stopping')
  await served.close()
  log.info('stopped')
}

/** Starts an edge for local callers. Closes everything that it opened if the start fails. If `stopping` aborts, the start does not wait for the control plane. */
export async function serveEdge(
  config: EdgeConfig,
  log: Logger,
  stopping?: AbortSignal,
): Promise<{ url: string; close(): Promise<void> }> {
  const started: Closable[] = []
  const close = async () => {
    // A second call finds nothing to close.
    for (const one of started.splice(0).reverse()) await one.close()
  }
  try {
    return { url: await start(config, log, started, stopping), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Closable {
  close(): Promise<void> | void
}

/**
 * Starts the parts of the edge, and returns the address that it listens at. Adds to `started` each part that must be closed later.
 * The caller closes them in reverse order.
 */
async function start(
  config: EdgeConfig,
  log: Logger,
  started: Closable[],
  stopping: AbortSignal | undefined,
): Promise<string> {
  const keep = <T extends Closable>(one: T): T => {
    started.push(one)
    return one
  }
  const { mcpServers } = config
  const read = mcpServers === undefined ? null : () => readUsableServers(mcpServers, config.key, log)
  const servers = read ? await read() : config.demoServer ? demoServers : null
  const { host, port, hostNames, allowedHosts, allowedOrigins, maxOpen } = config
  // Before the first heartbeat, so that the control plane hears nothing from an edge that cannot listen.
  const open = keep(await openListenerPort({ host, port }))
  const mcpOpen = servers && keep(await openMcpPort({ host, port: config.mcpPort }))
  const edge = keep(await startEdge(config, log, { stopping }))
  const { guardFor, tokens, approvals, health, credentials, delegateOn } = edge
  const clients = edge.agentIds.map((agentId) => ({ token: tokens.tokenOf(agentId), guard: keep(guardFor(agentId)) }))
  let gateway: McpGateway | null = null
  const toolServers = () => gateway && { port: Number(new URL(gateway.url).port), names: gateway.serverNames }
  const callers = { tokens, guardFor, delegateOn, approvals, health, toolServers }
  const maxRequestBytes = config.mcpLimits?.maxRequestBytes
  const listener = keep(await startListener({ host, port, open, hostNames, ...callers, maxOpen, maxRequestBytes, log }))
  gateway =
    servers &&
    mcpOpen &&
    keep(
      await startMcpGateway({
        host,
        port: config.mcpPort,
        open: mcpOpen,
        servers,
        clients,
        sessionSecret: await readOrMakeSecret(join(config.stateDir, 'session-secret')),
        allowedHosts: [...hostNames, ...allowedHosts],
        allowedOrigins,
        limits: config.mcpLimits ?? {},
        credentials,
        log,
      }),
    )
  if (gateway && servers && read && mcpServers !== undefined)
    keep(reloadOnChange(mcpServers, servers, read, gateway, log))
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
  return listener.url
}

/** @throws an error that names a server which needs credentials, if the edge runs with the own key of an agent */
async function readUsableServers(file: string, key: string, log: Logger): Promise<Record<string, ServerConfig>> {
  const servers = await readServers(file, undefined, (text) => log.warn({ file }, `MANDATE_EDGE_MCP: ${text}`))
  const using = Object.keys(servers).find((name) => servers[name]?.credentials)
  if (using === undefined || key.startsWith('ek_')) return servers
  throw new Error(
    `MANDATE_EDGE_MCP: ${file}: the server ${using} uses a credential, so the edge needs an edge key (ek_…) in MANDATE_EDGE_KEY; an agent's own key cannot read credentials`,
  )
}
