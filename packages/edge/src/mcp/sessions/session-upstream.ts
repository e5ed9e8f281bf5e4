import { randomUUID } from 'node:crypto'
import type { ServerSecrets } from '../../credentials/server-secrets.ts'
import type { Guard } from '../../guard/guard.ts'
import { answerFailure } from '../gateway/answer-failure.ts'
import { bindSession } from '../gateway/bind-session.ts'
import { type Client, forgetTools } from '../gateway/client.ts'
import { answerError, answerJson, type CheckedMessages, type Exchange, type Upstream } from '../gateway/exchange.ts'
import { isStateless } from '../messages/answer-stopped-call.ts'
import { checkStatelessRequest, type RequestFault } from '../messages/check-stateless-request.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject } from '../messages/json.ts'
import { isRequest } from '../messages/read-message.ts'
import { idIsOpen, invalidRequest, upstreamFailed } from '../messages/rpc-error.ts'
import type { EventLimits } from './event-store.ts'
import { type RenewalTiming, usualRenewal } from './renew-session.ts'
import type { ChannelOptions } from './server-channel.ts'
import type { OnUnsent, ServerConnection } from './server-connection.ts'
import { ServerSession } from './server-session.ts'
import { StatelessServer } from './stateless-server.ts'

export interface SessionLimits extends EventLimits {
  readonly maxSessionsPerClient: number
  readonly idleSessionMs: number
  readonly keepAliveMs: number
  /** When a started server is restarted after its secrets have changed. */
  readonly renewal?: RenewalTiming | undefined
}

/** When a client should try again whose sessions are all in use. In seconds. */
const busySeconds = 30

/** The settings of a tool server that needs one connection for each session. */
export interface SessionServer extends Pick<ChannelOptions, 'timeoutMs'> {
  /** Whether the edge forwards the `Authorization` headers of clients to the tool server. */
  readonly forwardsAuthorization?: boolean | undefined
  /** The secrets that the control plane has for the server. */
  readonly secrets?: ServerSecrets | undefined
  /** True if each request carries the current secrets, so that a connection can stay when they change. */
  readonly sendsSecretsWithEachRequest?: boolean
  /**
   * Connects to the server. `authorization` is the client's `Authorization` header, or null if the edge does not forward it.
   * `guard` decides the calls of the client.
   */
  connect(onUnsent: OnUnsent, authorization: string | null, guard: Guard): ServerConnection
  /** Builds the error for a request of the MCP revision without sessions. Null if the server supports that revision. */
  readonly statelessFault: ((message: JsonObject) => RequestFault) | null
}

/**
 * A tool server with one connection for each session, and one connection for each client that sends requests without a session.
 * Clients never share a connection. The gateway itself is the HTTP server for the client: it checks the request headers and
 * chooses the response status.
 */
export class SessionUpstream implements Upstream {
  readonly forwardsAuthorization: boolean | undefined
  readonly secrets: ServerSecrets | undefined
  private readonly server: SessionServer
  private readonly limits: SessionLimits
  private readonly sessions = new Map<string, ServerSession>()
  private readonly stateless = new Set<StatelessServer>()
  private readonly sweep: NodeJS.Timeout

  constructor(server: SessionServer, limits: SessionLimits) {
    this.server = server
    this.limits = limits
    this.forwardsAuthorization = server.forwardsAuthorization
    this.secrets = server.secrets
    if (!server.sendsSecretsWithEachRequest) server.secrets?.onChange(() => this.renewAll())
    this.sweep = setInterval(() => this.stopIdle(), Math.min(limits.idleSessionMs, 60_000)).unref()
  }

  async check(exchange: Exchange, message: JsonObject): Promise<RequestFault | null> {
    if (exchange.session !== null) {
      const session = this.sessions.get(exchange.session)
      const isOpen = session?.client === exchange.client && session.isOpen(message)
      return isOpen ? { code: invalidRequest, message: idIsOpen } : null
    }
    const fault = checkStatelessRequest(exchange.request.headers, message)
    if (fault || !isRequest(message) || !isStateless(message.params)) return fault
    if (this.server.statelessFault) return this.server.statelessFault(message)
    // While the edge is closed (denies every call of the agent), it sends no requests of its own to the server.
    if (closingOf(exchange.passage.guard) !== null) return null
    // `post` answers with the reason.
    if ((await this.secrets?.lacking()) != null) return null
    return await this.statelessFor(exchange).checkVersion(message)
  }

  async post(exchange: Exchange, checked: CheckedMessages): Promise<boolean> {
    const { onward, isBatch } = checked
    if (onward.some(isRequest) && (await this.refusesLacking(exchange))) return true
    if (exchange.session !== null && onward.some(isRequest)) await this.sessions.get(exchange.session)?.untilRenewed()
    if (this.refuses(exchange, onward, isBatch)) return true
    if (this.isForShared(exchange, onward, isBatch))
      return await this.statelessFor(exchange).post(exchange, onward[0] as JsonObject, checked.release)
    if (exchange.session === null && !(await this.makeRoom(exchange.client))) {
      const isEnding = this.sessionsOf(exchange.client).some(([, session]) => session.isEnding)
      const seconds = String(isEnding ? 1 : busySeconds)
      refuse(exchange, 429, 'Too many sessions with this tool server: end one of them first', {
        'retry-after': seconds,
      })
      return true
    }
    const session = exchange.session === null ? this.openFor(exchange) : this.sessionOf(exchange)
    return session === null || (await this.postIn(session, exchange, checked))
  }

  refuses(exchange: Exchange, messages: readonly JsonObject[], isBatch: boolean): boolean {
    if (exchange.session !== null) {
      const session = this.sessionOf(exchange)
      if (session === null) return true
      const waits = session.isRenewing && messages.some(isRequest)
      return session.isFull && !waits && refuseUnread(exchange)
    }
    if (this.isForShared(exchange, messages, isBatch))
      return this.sharedOf(exchange.client)?.isFull === true && refuseUnread(exchange)
    if (!isBatch && messages[0]?.method === 'initialize') return false
    refuse(exchange, 400, 'The Mcp-Session-Id header is missing')
    return true
  }

  /** Whether messages go to the shared connection of the client, which serves its requests without a session. */
  private isForShared({ session }: Exchange, [first]: readonly JsonObject[], isBatch: boolean): boolean {
    return session === null && !isBatch && this.servesStateless && isStateless(first?.params)
  }

  /** Answers a request if the edge lacks a credential for the server. Returns whether it did. */
  private async refusesLacking(exchange: Exchange): Promise<boolean> {
    const lacking = await this.secrets?.lacking()
    if (lacking == null) return false
    answerError(exchange, 502, [upstreamFailed, lacking])
    return true
  }

  private async postIn(session: ServerSession, exchange: Exchange, checked: CheckedMessages): Promise<boolean> {
    try {
      const isPosted = await session.post(checked, exchange)
      if (isPosted === 'id_is_open') {
        refuse(exchange, 400, idIsOpen)
        return true
      }
      // Nothing was sent, because the rules changed. The caller checks the message again and sends it in a new session, so this
      // session is not needed.
      if (!isPosted && exchange.session === null) void session.stop()
      return isPosted
    } catch (error) {
      if (exchange.session === null) {
        exchange.response.removeHeader('mcp-session-id')
        void session.stop()
      }
      answerFailure(exchange, error)
      return true
    }
  }

  async listen(exchange: Exchange): Promise<void> {
    if (exchange.session === null) return refuse(exchange, 400, 'The Mcp-Session-Id header is missing')
    const session = this.sessionOf(exchange)
    const outcome = session?.listen(exchange)
    if (outcome === 'taken') refuse(exchange, 409, 'The session already has an open stream')
    if (outcome === 'lost') refuse(exchange, 400, 'Cannot resume: events after Last-Event-ID were dropped')
  }

  async ask(exchange: Exchange, request: JsonObject): Promise<JsonObject | null> {
    const lacking = await this.secrets?.lacking()
    if (lacking != null) throw new Error(lacking)
    if (exchange.session === null)
      return this.servesStateless && isStateless(request.params) ? this.statelessFor(exchange).ask(request) : null
    const session = this.sessions.get(exchange.session)
    return session?.client === exchange.client && !session.isEnding ? session.ask(request) : null
  }

  // A server without sessions cannot ask the client.
  reply({ client, session }: Exchange, error: JsonObject): void {
    const asking = session === null ? undefined : this.sessions.get(session)
    if (asking?.client === client && !asking.isEnding) asking.reply(error)
  }

  async end(exchange: Exchange): Promise<void> {
    if (exchange.session === null) return refuse(exchange, 400, 'The Mcp-Session-Id header is missing')
    const session = this.sessionOf(exchange)
    if (!session) return
    answerJson(exchange.response, 200, null)
    await session.stop()
  }

  async close(): Promise<void> {
    clearInterval(this.sweep)
    this.secrets?.close()
    await Promise.all([...this.sessions.values(), ...this.stateless].map((one) => one.stop()))
  }

  private sessionOf(exchange: Exchange): ServerSession | null {
    const session = this.sessions.get(exchange.session ?? '')
    if (session?.client === exchange.client && !session.isEnding) return session
    refuse(exchange, 404, 'Unknown or ended session: send initialize to open another session')
    return null
  }

  private openFor(exchange: Exchange): ServerSession {
    const { client, passage, response } = exchange
    const id = randomUUID()
    const { maxKeptEvents, maxKeptBytes } = this.limits
    const channel = this.channelFor(exchange, id)
    const onExit = () => {
      this.sessions.delete(id)
      forgetTools(channel)
    }
    const session = new ServerSession({ ...channel, maxKeptEvents, maxKeptBytes, onExit })
    this.sessions.set(id, session)
    response.setHeader('mcp-session-id', bindSession(client.sessionKey, passage.server, id) as string)
    return session
  }

  /** Ends the client's session that was idle longest, if the client has too many sessions. Returns false if no session is idle. */
  private async makeRoom(client: Client): Promise<boolean> {
    const isFull = () => this.sessionsOf(client).length >= this.limits.maxSessionsPerClient
    if (!isFull()) return true
    const idle = this.sessionsOf(client).filter(([, { isIdle, isEnding }]) => isIdle && !isEnding)
    // Ends a session with an unanswered request only if there is no other.
    const [oldest] = idle.sort(([, a], [, b]) => Number(b.isCalm) - Number(a.isCalm) || a.lastUsedAt - b.lastUsedAt)
    if (!oldest) return false
    const [id, session] = oldest
    await session.stop()
    this.sessions.delete(id)
    return !isFull()
  }

  private sessionsOf(client: Client): [string, ServerSession][] {
    return [...this.sessions].filter(([, session]) => session.client === client)
  }

  private statelessFor(exchange: Exchange): StatelessServer {
    const running = this.sharedOf(exchange.client)
    if (running) return running
    const onExit = () => this.stateless.delete(started)
    const channel = this.channelFor(exchange, undefined)
    // What an earlier process declared says nothing of this one.
    forgetTools(channel)
    const started: StatelessServer = new StatelessServer({ ...channel, onExit })
    this.stateless.add(started)
    return started
  }

  private sharedOf(of: Client): StatelessServer | undefined {
    return [...this.stateless].find(({ client, isEnding, isRetired }) => client === of && !isEnding && !isRetired)
  }

  private channelFor({ authorization, client, passage: given }: Exchange, source: string | undefined) {
    const connect = (onUnsent: OnUnsent) => this.server.connect(onUnsent, authorization, client.guard)
    const passage = { ...given, source }
    const { forwardsAuthorization = false, timeoutMs } = this.server
    return { client, passage, forwardsAuthorization, timeoutMs, keepAliveMs: this.limits.keepAliveMs, connect }
  }

  /** Restarts the servers that were started with older secrets. */
  private renewAll(): void {
    const { renewal = usualRenewal } = this.limits
    const lacking = async () => (await this.secrets?.lacking()) ?? null
    for (const session of this.sessions.values()) void session.renew(lacking, renewal)
    for (const server of this.stateless) void server.retire(renewal)
  }

  /** Whether the server supports the MCP revision without sessions. */
  private get servesStateless(): boolean {
    return this.server.statelessFault === null
  }

  private stopIdle(): void {
    const before = Date.now() - this.limits.idleSessionMs
    for (const one of [...this.sessions.values(), ...this.stateless])
      if (one.isIdle && one.lastUsedAt < before) void one.stop()
  }
}

function refuse(exchange: Exchange, status: number, error: string, headers?: Record<string, string>): void {
  answerError(exchange, status, [invalidRequest, error], { headers })
}

function refuseUnread(exchange: Exchange): true {
  const why = 'The tool server is too slow: earlier messages still wait for it'
  answerError(exchange, 503, [upstreamFailed, why], { headers: { 'retry-after': '1' } })
  return true
}
