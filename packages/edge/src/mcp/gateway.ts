import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isServerName } from '@mandate/contract/fields/mcp-tool-name'
import type { CredentialSource, ServerSecrets } from '../credentials/server-secrets.ts'
import type { Guard } from '../guard/guard.ts'
import { type OpenPort, openPort } from '../listen/open-port.ts'
import { skipBody } from '../listen/skip-body.ts'
import type { ClientCredentials } from '../outgoing/token-source.ts'
import { delegationHeader } from '../request-headers.ts'
import { openSession, recordedSession } from './gateway/bind-session.ts'
import { type AccessList, checkAccess, isHostOurs, newAccessList } from './gateway/check-access.ts'
import { type Client, Clients } from './gateway/client.ts'
import { allowOrigin, answerPreflight } from './gateway/cors.ts'
import { answerJson, type Exchange, errorsFor, type Upstream, waitingIds } from './gateway/exchange.ts'
import { postMessages } from './gateway/post-messages.ts'
import { HttpUpstream } from './http/http-upstream.ts'
import { SseUpstream } from './http/sse-upstream.ts'
import type { Passage } from './mediation/check-message.ts'
import { type AskServer, listTools } from './mediation/list-tools.ts'
import { sharedSource } from './mediation/tool-schemas.ts'
import type { JsonObject, JsonValue } from './messages/json.ts'
import type { Log } from './messages/log.ts'
import { internalError, invalidRequest, mayHaveTakenEffect, rpcError, upstreamFailed } from './messages/rpc-error.ts'
import type { RenewalTiming } from './sessions/renew-session.ts'
import { type SessionServer, SessionUpstream } from './sessions/session-upstream.ts'
import type { ServerCommand } from './stdio/spawn-server.ts'
import { stdioConnection } from './stdio/stdio-connection.ts'

/** A tool server behind the gateway: an address, or a command that starts the server. */
export type ServerConfig = ByAddress | ByCommand

interface ByCommand extends ServerCommand {
  /** The names of credentials, by the environment variables that they are for. */
  readonly credentials?: Readonly<Record<string, string>> | undefined
}

interface ByAddress {
  readonly url: string
  /** The transport. Streamable HTTP if absent. `sse` is HTTP+SSE, the transport of MCP revision 2024-11-05. */
  readonly transport?: 'http' | 'sse' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The names of credentials, by the headers that they are for. */
  readonly credentials?: Readonly<Record<string, string>> | undefined
  /** How the edge gets a token for the server. */
  readonly oauth?: ClientCredentials | undefined
  /**
   * If true, the edge forwards the client's `Authorization` header to the tool server. The client then sends its edge token in
   * `Mandate-Edge-Token` instead.
   */
  readonly forwardAuthorization?: boolean | undefined
  /**
   * How long the tool server may take to begin its answer, in milliseconds. If absent, the edge waits as long as the client
   * does.
   */
  readonly timeoutMs?: number | undefined
}

export interface GatewayLimits {
  /** Maximum size of a request, in bytes. */
  maxRequestBytes: number
  /**
   * Maximum size in bytes of an answer or event that the gateway inspects. Also the maximum size of a line from a tool server
   * that the edge starts, and of the data that waits to be sent on one stream.
   */
  maxResponseBytes: number
  /** Maximum number of open requests and streams of one client. */
  maxOpenPerClient: number
  /**
   * Maximum memory for one client, in bytes. One quarter is for stored events, which the edge can send to the client again
   * after a reconnect. Three quarters are for data that the client sends, and for data that waits to be sent to the client.
   */
  maxMemoryBytes: number
  /** Maximum number of connections of all clients together. Further connections are closed when they arrive. */
  maxConnections: number
  /**
   * Maximum number of sessions that one client may have with one tool server. Each session has its own server process, or its
   * own stream to a tool server over HTTP+SSE.
   */
  maxSessionsPerClient: number
  /** Maximum number of bytes that may wait to be read by a tool server process. Above this limit, requests get 503. */
  maxUnreadBytes: number
  /**
   * Maximum number of events that one session keeps, and their maximum total size in bytes. When a client resumes a stream, the
   * edge sends the kept events again. The limits apply to tool servers that the edge starts as processes, and to tool servers
   * over HTTP+SSE.
   */
  maxKeptEvents: number
  maxKeptBytes: number
  /**
   * How long a session may be idle before the edge ends it, in milliseconds. Applies to tool servers that the edge starts as
   * processes, and to tool servers over HTTP+SSE.
   */
  idleSessionMs: number
  /**
   * Each stream to a client gets a comment at this interval, in milliseconds, so that proxies and clients do not give it up. A stream on which a
   * client has listened for longer is replaced when the client opens another one.
   */
  keepAliveMs: number
  /** How long open requests may take to finish when the gateway closes, in milliseconds. */
  drainMs: number
  /** When a started server is restarted after a credential has changed. */
  renewal?: RenewalTiming | undefined
  /** How long a client may take to send a request, in milliseconds. After this time the client gets 408. */
  requestTimeoutMs: number
}

const defaultLimits: GatewayLimits = {
  maxRequestBytes: 4 << 20,
  maxResponseBytes: 64 << 20,
  maxOpenPerClient: 4096,
  maxMemoryBytes: 256 << 20,
  maxConnections: 16_384,
  maxSessionsPerClient: 64,
  maxUnreadBytes: 16 << 20,
  maxKeptEvents: 1000,
  maxKeptBytes: 4 << 20,
  idleSessionMs: 30 * 60_000,
  keepAliveMs: 15_000,
  drainMs: 5000,
  requestTimeoutMs: 30_000,
}

const lookMs = 10
/** How long the last answers may take to be sent when the gateway closes. */
const longestFlushMs = 500
const stopping = 'The edge is stopping. The request did not reach the tool server'

interface McpPort {
  readonly host?: string
  readonly port: number
  readonly limits?: Partial<GatewayLimits>
}

export interface McpGatewayOptions extends McpPort {
  /** The port, if it is open already. */
  readonly open?: OpenPort
  /**
   * The tool servers, keyed by the names that policies use: `mcp:<name>/<tool>`. The gateway serves each one at `/mcp/<name>`.
   */
  readonly servers: Readonly<Record<string, ServerConfig>>
  /** Local tokens of at least 32 characters. Each token maps to the guard of the agent that uses the token. */
  readonly clients: readonly { token: string; guard: Guard }[]
  /** The secret with which session ids are sealed. Gateways with the same secret accept each other's ids. */
  readonly sessionSecret: string
  /** Additional host names that clients may use in the `Host` header. Loopback names are always allowed. */
  readonly allowedHosts?: readonly string[]
  /** Web origins whose pages may call the gateway. The default is no origin. */
  readonly allowedOrigins?: readonly string[]
  /** Where servers get the credentials that they name. */
  readonly credentials?: CredentialSource
  readonly log: Log
}

export interface McpGateway {
  readonly url: string
  /** The names of the servers that the gateway serves now. */
  readonly serverNames: readonly string[]
  /**
   * Replaces the servers. Unchanged servers keep their sessions. Sessions of changed and removed servers end. `left` resolves when these servers
   * have ended: their open requests may finish within `drainMs`.
   * @throws TypeError if a name or an address is invalid; then nothing changes
   */
  replaceServers(servers: Readonly<Record<string, ServerConfig>>): { readonly left: Promise<void> }
  /** Closes every stream and ends the servers that the gateway started. Does not close the guards. */
  close(): Promise<void>
}

interface Gateway {
  readonly accessList: AccessList
  upstreams: ReadonlyMap<string, Upstream>
  /** The exchanges that are not complete yet, keyed by tool server. */
  readonly open: Map<Upstream, Set<Exchange>>
  /** Promises that resolve when the servers that were replaced have ended. */
  readonly leaving: Set<Promise<void>>
  /** True while the gateway closes. It then refuses requests, and still takes answers and notifications of clients. */
  isClosing: boolean
  readonly limits: GatewayLimits
  readonly log: Log
}

/** Opens the port of the MCP clients. @throws the error of `openPort` */
export function openMcpPort({ host = '127.0.0.1', port, limits: given }: McpPort): Promise<OpenPort> {
  const { maxConnections, requestTimeoutMs } = { ...defaultLimits, ...given }
  return openPort({
    host,
    port,
    setting: 'MANDATE_EDGE_MCP_PORT',
    maxConnections,
    server: {
      keepAliveTimeout: 65_000,
      headersTimeout: Math.min(requestTimeoutMs, 10_000),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
      maxHeaderSize: 16 * 1024,
    },
  })
}

/** Starts the gateway. @throws TypeError if a name, an address or a token is invalid */
export async function startMcpGateway(options: McpGatewayOptions): Promise<McpGateway> {
  const { host = '127.0.0.1', servers, log } = options
  const limits = { ...defaultLimits, ...options.limits }
  let configured = servers
  const parts = { limits, credentials: options.credentials, log }
  const upstreams = upstreamsOf(servers, parts)
  const names = Object.keys(servers)
  const clients = new Clients(options.clients, names, { ...limits, sessionSecret: options.sessionSecret })
  const accessList = newAccessList(clients, [host, ...(options.allowedHosts ?? [])], options.allowedOrigins ?? [])
  const gateway: Gateway = { accessList, upstreams, open: new Map(), leaving: new Set(), isClosing: false, limits, log }
  const { server, answerWith } = options.open ?? (await openMcpPort(options))
  answerWith((request, response) => void serve(gateway, request, response))
  const replaceServers = (next: typeof servers) => {
    const before = gateway.upstreams
    const stays = (name: string) => isDeepStrictEqual(configured[name], next[name])
    const fresh = upstreamsOf(Object.fromEntries(Object.entries(next).filter(([name]) => !stays(name))), parts)
    const kept = [...before].filter(([name]) => Object.hasOwn(next, name) && stays(name))
    gateway.upstreams = new Map([...kept, ...fresh])
    configured = next
    clients.replaceServers(Object.keys(next), [...fresh.keys()])
    const gone = [...before].filter(([name, upstream]) => gateway.upstreams.get(name) !== upstream)
    const ending = gone.map(([, upstream]) => upstream)
    const leaving = leave(gateway, ending).finally(() => gateway.leaving.delete(leaving))
    gateway.leaving.add(leaving)
    return { left: leaving }
  }
  const keepAlive = setInterval(() => keepStreamsAlive(gateway), limits.keepAliveMs).unref()
  const close = async () => {
    clearInterval(keepAlive)
    gateway.isClosing = true
    // The port stays open, because calls in flight may need answers of their clients.
    await drain(gateway, () => [...gateway.open.values()].flatMap((one) => [...one]), 'The edge stops')
    server.close()
    clients.close()
    await Promise.all([...[...gateway.upstreams.values()].map((upstream) => upstream.close()), ...gateway.leaving])
    server.closeAllConnections()
  }
  return {
    url: addressOf(server),
    get serverNames() {
      return [...gateway.upstreams.keys()]
    },
    replaceServers,
    close,
  }
}

interface UpstreamParts {
  readonly limits: GatewayLimits
  readonly credentials: CredentialSource | undefined
  readonly log: Log
}

/** @throws TypeError */
function upstreamsOf(servers: Readonly<Record<string, ServerConfig>>, parts: UpstreamParts): Map<string, Upstream> {
  const wrong = Object.keys(servers).find((name) => !isServerName(name))
  if (wrong !== undefined)
    throw new TypeError(
      `${JSON.stringify(wrong)} is not a valid server name: use 1 to 64 of A-Z a-z 0-9 _ - ., and not only dots`,
    )
  const lacking = Object.entries(servers).find(([, { credentials }]) => credentials && !parts.credentials)
  if (lacking)
    throw new TypeError(`the server ${lacking[0]} names credentials, and the edge has no source of credentials`)
  return new Map(Object.entries(servers).map(([name, config]) => [name, newUpstream(name, config, parts)]))
}

function newUpstream(name: string, config: ServerConfig, { limits, credentials: source }: UpstreamParts): Upstream {
  const { credentials: names } = config
  const secretsOf = (place: 'headers' | 'env'): ServerSecrets | undefined =>
    names && source?.secretsFor(name, { [place]: names })
  if ('url' in config) {
    const options = { ...config, ...limits, secrets: secretsOf('headers') }
    return config.transport === 'sse' ? new SseUpstream(options) : new HttpUpstream(options)
  }
  const secrets = secretsOf('env')
  const { maxResponseBytes: maxLineBytes, maxUnreadBytes } = limits
  const connect: SessionServer['connect'] = (_onUnsent, _authorization, guard) => {
    const stderr = { to: process.stderr, mask: guard.maskLine }
    return stdioConnection({ ...config, secrets: secrets?.env() }, name, stderr, { maxLineBytes, maxUnreadBytes })
  }
  return new SessionUpstream({ connect, secrets, timeoutMs: config.timeoutMs, statelessFault: null }, limits)
}

/** Writes a comment to each stream. Skips streams with unread data. Streams are written event by event, so a comment never splits an event. */
function keepStreamsAlive({ open }: Gateway): void {
  for (const exchanges of open.values())
    for (const { response } of exchanges) if (isStream(response)) writeComment(response)
}

/** Ends servers that were replaced. */
async function leave(gateway: Gateway, gone: readonly Upstream[]): Promise<void> {
  const exchanges = () => gone.flatMap((upstream) => [...(gateway.open.get(upstream) ?? [])])
  await drain(gateway, exchanges, 'The servers file of the edge changed')
  await Promise.all(gone.map((upstream) => upstream.close()))
}

/** Waits for the answers to open requests, at most for the drain time. Then answers the rest with an error that says why, and ends all streams. */
async function drain(gateway: Gateway, exchanges: () => readonly Exchange[], why: string): Promise<void> {
  const isWaiting = ({ asked, request }: Exchange) =>
    request.method !== 'GET' && !(asked.ids.length > 0 && asked.isSubscription)
  const untilMs = performance.now() + gateway.limits.drainMs
  while (exchanges().some(isWaiting) && performance.now() < untilMs) await wait(lookMs)
  for (const exchange of exchanges()) endExchange(exchange, why)
  const flushMs = performance.now() + longestFlushMs
  while (exchanges().length > 0 && performance.now() < flushMs) await wait(lookMs)
}

function endExchange({ asked, response }: Exchange, why: string): void {
  if (response.writableEnded) return
  const effect = asked.isSent ? mayHaveTakenEffect : 'The request did not reach the tool server'
  const text = `${why} before the tool server answered. ${effect}`
  const errorFor = (id: JsonValue) => rpcError(id, upstreamFailed, text)
  // A client may repeat a request by itself after this header. So a request that may have taken effect has no such header.
  const headers = { connection: 'close', ...(!asked.isSent && { 'retry-after': '1' }) }
  if (!response.headersSent) answerJson(response, 503, errorsFor(asked, errorFor), headers)
  else if (!isStream(response)) response.destroy()
  else {
    const events = waitingIds(asked).map((id) => `event: message\ndata: ${JSON.stringify(errorFor(id))}\n\n`)
    response.end(events.join(''))
  }
}

function isStream(response: ServerResponse): boolean {
  const type = String(response.getHeader('content-type') ?? '')
  return response.headersSent && /^text\/event-stream\b/i.test(type.trim())
}

function writeComment(response: ServerResponse): void {
  if (response.writable && !response.writableEnded && response.writableLength === 0) response.write(':\n\n')
}

async function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await answer(gateway, request, response)
  } catch (error) {
    gateway.log.warn({ err: error }, 'the gateway failed to handle a request of a client')
    answerJson(
      response,
      500,
      rpcError(null, internalError, 'The edge failed to handle the request. The log of the edge has the reason'),
    )
  }
}

async function answer(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refuse = async (status: number, error: string, headers?: Record<string, string>) => {
    await skipBody(request)
    answerJson(response, status, rpcError(null, invalidRequest, error), { connection: 'close', ...headers })
  }
  // Without a listener, an error of one connection would end the edge.
  response.on('error', (error) => gateway.log.warn({ err: error }, 'the gateway could not write to a client'))
  const { origins } = gateway.accessList
  allowOrigin(request, response, origins)
  if (isHostOurs(gateway.accessList, request)) {
    if (answerPreflight(request, response, origins)) return
    // Clients search here for an authorization server before they send a token. 401 would make them begin to sign in.
    if (/^(?:\/mcp\/[^/?#]+)?\/\.well-known\//.test(request.url ?? ''))
      return refuse(404, 'The edge has no authorization server: send the local token of the agent')
  }
  const access = checkAccess(gateway.accessList, request)
  if (!access.ok)
    return refuse(access.status, access.error, access.status === 401 ? { 'www-authenticate': 'Bearer' } : {})
  const { client } = access
  const name = /^\/mcp\/([^/?#]+)\/?(?:\?.*)?$/s.exec(request.url ?? '')?.[1] ?? ''
  const upstream = gateway.upstreams.get(name)
  if (!upstream)
    return refuse(404, 'Unknown tool server: the path must be /mcp/<name>, with the name of a configured server')
  if (!['POST', 'GET', 'DELETE'].includes(request.method ?? ''))
    return refuse(405, 'Method not allowed: use GET, POST or DELETE', { allow: 'GET, POST, DELETE' })
  if (gateway.isClosing && request.method !== 'POST') return refuse(503, stopping, { 'retry-after': '1' })
  if (client.open >= gateway.limits.maxOpenPerClient)
    return refuse(429, 'Too many open requests', { 'retry-after': '1' })
  const session = sessionOf(request, client, name)
  if (session === undefined) return refuse(404, 'Unknown session: send initialize to open another session')
  const ask: AskServer = (message) => upstream.ask(exchange, message)
  const source = session ?? sharedSource
  const { schemas } = client.offered.of(name)
  const listFor = (call: JsonObject) => () => listTools(client.guard, ask, call)
  const sessionId = session === null ? undefined : recordedSession(name, session)
  const passage: Passage = {
    guard: client.guard,
    server: name,
    source,
    log: gateway.log,
    pages: client.pages,
    lists: client.lists,
    isReplaced: () => gateway.upstreams.get(name) !== upstream,
    declaredArgs: (tool, call) => schemas.declaredOf(tool, source, listFor(call)),
    definition: (tool) => schemas.definitionOf(tool, source),
    learn: (tool, call, isNeeded) => schemas.learn(tool, source, listFor(call), isNeeded),
    sessionId,
    delegation: delegationHeader(request.headers),
    lacking: upstream.secrets && (() => (upstream.secrets as ServerSecrets).lacking()),
  }
  const reservation = client.memory.newReservation(gateway.limits.maxResponseBytes)
  const { forwardsAuthorization = false } = upstream
  const authorization = forwardsAuthorization ? access.authorization : null
  const exchange: Exchange = {
    client,
    passage,
    request,
    response,
    reservation,
    session,
    authorization,
    forwardsAuthorization,
    asked: { ids: [], isBatch: false, answers: [], answered: new Set(), isSent: false, isSubscription: false },
  }
  client.open++
  const open = gateway.open.get(upstream) ?? new Set()
  gateway.open.set(upstream, open.add(exchange))
  response.once('close', () => {
    open.delete(exchange)
    if (open.size === 0) gateway.open.delete(upstream)
    client.open--
    reservation.resize(0)
  })
  const { maxRequestBytes: maxBytes } = gateway.limits
  const refusal = () => (gateway.isClosing ? stopping : null)
  if (request.method === 'POST') await postMessages(exchange, upstream, { maxBytes, refusal })
  else if (request.method === 'GET') await upstream.listen(exchange)
  else await upstream.end(exchange)
}

/**
 * Reads the `Mcp-Session-Id` header and returns the session id that the tool server issued. Returns null if the request has no
 * such header. Returns undefined if this client did not open the session with this server.
 */
function sessionOf({ headers }: IncomingMessage, { sessionKey }: Client, server: string): string | null | undefined {
  const bound = headers['mcp-session-id']
  if (bound === undefined) return null
  return openSession(sessionKey, server, String(bound)) ?? undefined
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
