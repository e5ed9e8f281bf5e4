import { randomUUID } from 'node:crypto'
import { isStateless } from './answer-stopped-call.ts'
import { bindSession } from './bind-session.ts'
import type { Client } from './client.ts'
import { answerJson, type Exchange, type Judged, type Upstream } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { invalidRequest, rpcError } from './rpc-error.ts'
import type { ServerCommand } from './spawn-server.ts'
import { StatelessServer } from './stateless-server.ts'
import { StdioSession } from './stdio-session.ts'

export interface StdioLimits {
  readonly maxResponseBytes: number
  readonly maxSessionsPerClient: number
  readonly idleSessionMs: number
}

/**
 * A tool server that the gateway starts: one process for each session, and one for each client that asks without sessions.
 * No process serves two clients.
 */
export function stdioUpstream(command: ServerCommand, limits: StdioLimits): Upstream {
  const sessions = new Map<string, StdioSession>()
  const stateless = new Map<Client, StatelessServer>()
  const sweep = setInterval(stopIdle, Math.min(limits.idleSessionMs, 60_000)).unref()

  async function post(exchange: Exchange, judged: Judged): Promise<boolean> {
    if (!judged.release()) return false
    const [first] = judged.onward
    if (exchange.session === null && !judged.isBatch && isStateless(first?.params)) {
      await statelessFor(exchange).post(exchange, first as JsonObject)
    } else {
      const session = exchange.session === null ? openFor(exchange, judged) : sessionOf(exchange)
      await session?.post(judged, exchange.response)
    }
    return true
  }

  async function listen(exchange: Exchange): Promise<void> {
    if (exchange.session === null) return refuse(exchange, 400, 'A session is needed')
    const session = sessionOf(exchange)
    if (session && !session.listen(exchange.response)) refuse(exchange, 409, 'The session has a stream already')
  }

  async function end(exchange: Exchange): Promise<void> {
    if (exchange.session === null) return refuse(exchange, 400, 'A session is needed')
    const session = sessionOf(exchange)
    if (!session) return
    sessions.delete(exchange.session)
    answerJson(exchange.response, 200, null)
    await session.stop()
  }

  async function close(): Promise<void> {
    clearInterval(sweep)
    await Promise.all([...sessions.values(), ...stateless.values()].map((server) => server.stop()))
  }

  function sessionOf(exchange: Exchange): StdioSession | null {
    const session = sessions.get(exchange.session ?? '')
    if (session?.client === exchange.client) return session
    refuse(exchange, 404, 'No such session')
    return null
  }

  function openFor(exchange: Exchange, { onward, isBatch }: Judged): StdioSession | null {
    const { client, passage, response } = exchange
    if (isBatch || onward[0]?.method !== 'initialize') {
      refuse(exchange, 400, 'A session is needed')
      return null
    }
    const ofClient = [...sessions.values()].filter((session) => session.client === client)
    if (ofClient.length >= limits.maxSessionsPerClient) {
      refuse(exchange, 429, 'Too many sessions')
      return null
    }
    const id = randomUUID()
    const session = new StdioSession({ ...channelFor(exchange), onExit: () => sessions.delete(id) })
    sessions.set(id, session)
    response.setHeader('mcp-session-id', bindSession(client.token, passage.server, id) as string)
    return session
  }

  function statelessFor(exchange: Exchange): StatelessServer {
    const { client } = exchange
    const running = stateless.get(client)
    if (running) return running
    const server: StatelessServer = new StatelessServer({
      ...channelFor(exchange),
      onExit: () => stateless.get(client) === server && stateless.delete(client),
    })
    stateless.set(client, server)
    return server
  }

  function channelFor({ client, passage }: Exchange) {
    return { command, client, passage, stderr: process.stderr, maxLineBytes: limits.maxResponseBytes }
  }

  function stopIdle(): void {
    const before = Date.now() - limits.idleSessionMs
    for (const server of [...sessions.values(), ...stateless.values()]) {
      if (server.isIdle && server.lastUsedAt < before) void server.stop()
    }
  }

  return { post, listen, end, close }
}

function refuse({ id, response }: Exchange, status: number, error: string): void {
  answerJson(response, status, rpcError(id, invalidRequest, error))
}
