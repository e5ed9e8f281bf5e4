import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Guard } from '../guard/guard.ts'
import { MemoryBudget } from '../mcp/messages/memory-budget.ts'
import { ApprovalNews } from '../push/approval-news.ts'
import { delegationHeader } from '../request-headers.ts'
import { callerOf, hostNamesOf, RequestRefused, refuseForeign } from './caller.ts'
import { AskedTools, decideRoute } from './decide-route.ts'
import { type DelegateOn, delegateRoute } from './delegate-route.ts'
import { type AgentHealth, healthOf } from './health.ts'
import type { LocalTokens } from './local-tokens.ts'
import { type OpenPort, openPort } from './open-port.ts'
import { readJson } from './read-json.ts'
import { skipBody } from './skip-body.ts'

export interface ListenerPort {
  host: string
  port: number
  /** Maximum number of connections of all callers together. Further connections are closed when they arrive. */
  maxConnections?: number
  /** How long a caller may take to send a request, in milliseconds. After this time the caller gets 408. */
  requestTimeoutMs?: number
}

export interface ListenerParts extends ListenerPort {
  /** The port, if it is open already. */
  open?: OpenPort
  hostNames: readonly string[]
  tokens: LocalTokens
  guardFor(agentId: string): Guard
  /** Maximum number of open requests with one token. */
  maxOpen: number
  /** Maximum size of a request, in bytes. */
  maxRequestBytes?: number | undefined
  /** Passes a delegation on. Absent if the edge cannot. */
  delegateOn?: DelegateOn
  /** News of approvals, for callers that wait for one. */
  approvals?: ApprovalNews
  /** The state of each agent, for `GET /healthz`. */
  health?(): readonly AgentHealth[]
  /** The port of the MCP gateway at this host and the names of its servers, for `GET /edge/v1/servers`. Null without a gateway. */
  toolServers?(): { port: number; names: readonly string[] } | null
  log: Logger
}

export interface Listener {
  /** For example `http://127.0.0.1:8089`. */
  url: string
  close(): Promise<void>
}

/** Opens the port of the local callers. @throws the error of `openPort` */
export function openListenerPort(port: ListenerPort): Promise<OpenPort> {
  const { maxConnections = 16_384, requestTimeoutMs = 30_000 } = port
  return openPort({
    host: port.host,
    port: port.port,
    setting: '--port or MANDATE_EDGE_PORT',
    maxConnections,
    server: {
      maxHeaderSize,
      headersTimeout: Math.min(requestTimeoutMs, 10_000),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
    },
  })
}

/** Serves the local callers. Every error gets a status other than 2xx. Callers treat such a status as a denial. */
export async function startListener(parts: ListenerParts): Promise<Listener> {
  const { host, log } = parts
  const callers = new Callers(parts)
  const { server, answerWith } = parts.open ?? (await openListenerPort(parts))
  answerWith((request, response) => {
    const endsConnection = () => {
      // A caller that keeps asking would keep its connection open, and the listener would never close.
      if (!server.listening) response.shouldKeepAlive = false
    }
    callers
      .answer(request, response)
      .finally(endsConnection)
      .then(
        (body) => send(response, 200, body),
        (error: unknown) => refuse(request, response, error, log),
      )
  })
  const bound = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await ended
      await callers.close()
    },
  }
}

/** The most bytes that the bodies of the open requests of one agent have together. */
const mostOpenBytes = 256 << 20

interface Caller {
  guard: Guard
  asked: AskedTools
  open: number
  bodies: MemoryBudget
}

/** The callers of a listener, by agent. */
class Callers {
  private readonly parts: ListenerParts
  private readonly names: ReadonlySet<string>
  private readonly served = new Map<string, Caller>()
  private readonly approvals: ApprovalNews

  constructor(parts: ListenerParts) {
    this.parts = parts
    this.names = hostNamesOf(parts.host, parts.hostNames)
    this.approvals = parts.approvals ?? new ApprovalNews()
  }

  /** @throws RequestRefused */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    refuseForeign(request, this.names)
    const path = (request.url ?? '').split('?')[0]
    if (path === '/healthz') return allowOnly(request, 'GET') ?? healthOf(this.parts.health?.() ?? [])
    const { delegateOn, maxRequestBytes, tokens } = this.parts
    if (path === '/edge/v1/servers') {
      allowOnly(request, 'GET')
      callerOf(request, tokens)
      const { port = null, names = [] } = this.parts.toolServers?.() ?? {}
      return { mcp_port: port, servers: names }
    }
    const delegates = path === '/edge/v1/delegations' && delegateOn !== undefined
    if (path !== '/edge/v1/decide' && !delegates) throw new RequestRefused(404, 'not found')
    allowOnly(request, 'POST')
    const agentId = callerOf(request, tokens)
    const caller = this.forAgent(agentId)
    // Counted before the body is read, so that requests with slow bodies count as open requests too.
    if (caller.open >= this.parts.maxOpen)
      throw new RequestRefused(429, 'too many requests are open; wait for some to be answered')
    caller.open++
    const body = caller.bodies.newReservation()
    const gone = new AbortController()
    response.once('close', () => {
      caller.open--
      body.resize(0)
      gone.abort()
    })
    if (delegates)
      return await delegateRoute(await readJson(request, body, maxRequestBytes), agentId, delegateOn, gone.signal)
    const delegation = delegationHeader(request.headers)
    const asking = { agentId, guard: caller.guard, asked: caller.asked, approvals: this.approvals, delegation }
    return await decideRoute(await readJson(request, body, maxRequestBytes), asking, gone.signal)
  }

  async close(): Promise<void> {
    for (const { guard } of this.served.values()) await guard.close()
  }

  private forAgent(agentId: string): Caller {
    const before = this.served.get(agentId)
    if (before) return before
    const guard = this.parts.guardFor(agentId)
    const made = { guard, asked: new AskedTools(guard), open: 0, bodies: new MemoryBudget(mostOpenBytes) }
    this.served.set(agentId, made)
    return made
  }
}

const maxHeaderSize = 16 * 1024

function allowOnly(request: IncomingMessage, method: string): undefined {
  if (request.method !== method) throw new RequestRefused(405, method)
}

async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, log: Logger): Promise<void> {
  const known = error instanceof RequestRefused
  if (!known && !response.destroyed)
    log.error({ reason: (error as Error).message }, 'cannot decide a call; the request is answered with status 503')
  await skipBody(request)
  if (known && error.status === 405) response.setHeader('allow', error.message)
  if (known && error.status === 429) response.setHeader('retry-after', '1')
  // Without this, the server would parse the unread rest of the body as the next request.
  if (!request.complete) response.setHeader('connection', 'close')
  send(response, known ? error.status : 503, { error: known ? textOf(error) : 'no decision could be taken' })
}

function textOf({ status, message }: RequestRefused): string {
  return status === 405 ? 'method not allowed' : message
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}
