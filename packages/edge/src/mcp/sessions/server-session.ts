import { type Client, forgetTools } from '../gateway/client.ts'
import { EventStream } from '../gateway/event-stream.ts'
import type { AskedRequests, CheckedMessages, Exchange } from '../gateway/exchange.ts'
import { callsOf } from '../mediation/calls-of.ts'
import { isDecided } from '../mediation/check-message.ts'
import { inspectClientMessage } from '../mediation/inspect-client-message.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { cancelledId, isObject, isRequest } from '../messages/read-message.ts'
import { mayHaveTakenEffect, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { type EventLimits, EventStore } from './event-store.ts'
import { type RenewalTiming, waitForCalm } from './renew-session.ts'
import { type ChannelOptions, ServerChannel } from './server-channel.ts'
import { SessionOpening } from './session-opening.ts'
import type { SessionStream } from './session-stream.ts'

/**
 * Maximum number of streams that wait for an answer although their client disconnected. Above the limit, the edge drops the
 * oldest of these streams.
 */
const maxAway = 100

interface SessionOptions extends Omit<ChannelOptions, 'onMessage'> {
  readonly keepAliveMs: number
}

/**
 * A session, in MCP revisions that have sessions, with its own connection to the tool server. An answer or a progress
 * notification goes to the stream of its request. Other messages go to the stream on which the client listens. Without such a
 * stream, they go to the stream of an open request, or are kept. A client can resume every stream after the last event that it received.
 */
export class ServerSession {
  readonly client: Client
  lastUsedAt = Date.now()
  /** True while the session is being stopped. It then accepts no more requests. */
  isEnding = false
  private readonly options: SessionOptions
  private readonly opening = new SessionOpening()
  private channel: ServerChannel
  /** Set while a restart of the server is due: requests wait for it. */
  private hold: PromiseWithResolvers<void> | null = null
  private renewing: Promise<void> | null = null
  private mustRenewAgain = false
  private isRestarting = false
  private hasEnded = false
  private readonly events: EventStore
  private readonly listening: SessionStream
  /** Requests of the server that came while no stream was open. The next stream gets them, because a client may never listen. */
  private keptRequests: SessionStream | null = null
  private readonly asked = new Map<JsonValue, SessionStream>()
  /** For each stream, the requests of the POST that it answers. */
  private readonly posts = new WeakMap<SessionStream, AskedRequests>()
  private readonly progress = new Map<JsonValue, SessionStream>()
  private readonly away = new Set<SessionStream>()
  /** The ids of requests that wait to be sent. */
  private readonly unsent = new Set<JsonValue>()
  private readonly tell = () => {
    // They were inspected under rules that are no longer in force.
    this.events.dropKept()
    if (!this.isInitialized) return
    const { client, passage } = this.options
    for (const change of client.lists.changesOf(passage.server)) this.route(change, JSON.stringify(change))
  }
  private isInitialized = false

  constructor(options: SessionOptions & EventLimits) {
    this.client = options.client
    this.events = new EventStore(options, options.client.eventMemory.newReservation())
    this.listening = this.events.open()
    this.options = options
    this.channel = this.openChannel()
    options.client.onListChanged.add(this.tell)
  }

  private openChannel(): ServerChannel {
    const channel: ServerChannel = new ServerChannel({
      ...this.options,
      onMessage: (message, text) => this.route(message, text),
      onExit: (why) => {
        // During a restart of the server, the session goes on with another channel.
        if (this.channel === channel && !this.isRestarting) this.end(why)
      },
    })
    return channel
  }

  /** Whether the client has no open stream. */
  get isIdle(): boolean {
    return !this.listening.isOpen && ![...this.asked.values()].some(({ isOpen }) => isOpen)
  }

  /** Whether no request waits for an answer of the server. */
  get isCalm(): boolean {
    return this.asked.size === 0
  }

  /** Whether the server reads too slowly to take more requests. */
  get isFull(): boolean {
    return this.channel.isFull
  }

  /** Whether a restart of the server is due. Requests wait for it. */
  get isRenewing(): boolean {
    return this.hold !== null
  }

  /** Whether a message is a request with the id of an earlier request without an answer. The edge could mistake the answers. */
  isOpen(message: JsonObject): boolean {
    const id = message.id as JsonValue
    return isRequest(message) && (this.unsent.has(id) || this.channel.isOpen(id))
  }

  /**
   * Sends messages to the server. Returns false if `checked.release` returned false; then nothing was sent. Returns `id_is_open` if nothing was
   * sent because a request has the id of an open request.
   * @throws if the server cannot be reached; then nothing was sent
   */
  async post(checked: CheckedMessages, exchange: Exchange): Promise<boolean | 'id_is_open'> {
    this.lastUsedAt = Date.now()
    if (checked.onward.some((message) => this.isOpen(message))) return 'id_is_open'
    const ids = checked.onward.filter(isRequest).map(({ id }) => id as JsonValue)
    for (const id of ids) this.unsent.add(id)
    this.channel.authorize(exchange.authorization)
    let isBegun = false
    try {
      return await this.channel.send(checked.onward, (sending) => {
        if (!checked.release(sending)) return false
        if (!isBegun) {
          this.opening.note(checked.onward)
          this.beginAnswer(checked, exchange)
          for (const id of checked.onward.map(cancelledId)) if (id !== undefined) this.cancel(id)
        }
        isBegun = true
        return true
      })
    } finally {
      for (const id of ids) this.unsent.delete(id)
    }
  }

  private beginAnswer({ onward, answers }: CheckedMessages, exchange: Exchange): void {
    const requests = onward.filter(isRequest)
    if (onward.some(({ method }) => method === 'notifications/initialized')) this.isInitialized = true
    if (requests.length === 0 && answers.length === 0) {
      exchange.response.writeHead(202).end()
      return
    }
    const stream = this.events.open()
    this.connect(stream, exchange)
    this.passKeptRequests(stream, exchange)
    for (const answer of answers) stream.send(JSON.stringify(answer))
    for (const request of requests) this.expect(request, stream)
    if (requests.length === 0) stream.end()
  }

  /** Sends the kept requests of the server on a stream, unless the edge is closed (denies every call of the agent). */
  private passKeptRequests(stream: SessionStream, { passage }: Exchange): void {
    if (closingOf(passage.guard) !== null || !stream.isOpen) return
    for (const text of this.keptRequests?.takeUnsent() ?? []) stream.send(text)
  }

  /** Ends the wait for a request that the client cancelled, because the server need not answer it. */
  private cancel(id: JsonValue): void {
    const stream = this.asked.get(id)
    this.asked.delete(id)
    if (stream && !this.isAsked(stream)) this.finish(stream)
  }

  /**
   * Opens the stream that the client listens on, or resumes the stream that contains the client's last event. Returns `taken`
   * if the client began to listen just before. An older listener is replaced: its connection may be dead without a sign. Returns `lost` if the stream cannot be resumed, for example because later events were
   * dropped.
   */
  listen(exchange: Exchange): 'open' | 'taken' | 'lost' {
    const lastEventId = exchange.request.headers['last-event-id']
    const isClosed = closingOf(exchange.passage.guard) !== null
    if (!lastEventId) {
      if (this.listening.isOpen && this.listening.connectedMs < this.options.keepAliveMs) return 'taken'
      // Messages of the server are stored while the client does not listen. While the edge is closed (denies every call of the
      // agent), the client does not get these stored messages.
      this.connect(this.listening, exchange, isClosed ? this.listening.last : undefined)
      this.passKeptRequests(this.listening, exchange)
      return 'open'
    }
    if (isClosed) return 'lost'
    const place = this.events.find(String(lastEventId))
    if (!place) return 'lost'
    this.away.delete(place.stream)
    this.connect(place.stream, exchange, place.number)
    this.passKeptRequests(place.stream, exchange)
    return 'open'
  }

  /** Sends a request that the edge itself created. @throws if no answer comes */
  async ask(request: JsonObject): Promise<JsonObject> {
    this.lastUsedAt = Date.now()
    await this.untilRenewed()
    return await this.channel.ask(request)
  }

  /** Answers a request of the server with an error, because the edge refused the client's answer. */
  reply(error: JsonObject): void {
    this.lastUsedAt = Date.now()
    this.channel.tell(error)
  }

  async stop(): Promise<void> {
    this.isEnding = true
    this.hold?.resolve()
    await this.channel.stop()
  }

  /**
   * Restarts the server, because its secrets have changed, when no request is open. The session goes on: the edge opens it again at the
   * restarted server. Ends the session if `lacking` says that the server cannot be started now, or if the restarted server does not answer.
   */
  async renew(lacking: () => Promise<string | null>, timing: RenewalTiming): Promise<void> {
    this.mustRenewAgain = true
    this.renewing ??= this.renewAll(lacking, timing).finally(() => {
      this.renewing = null
      this.hold?.resolve()
      this.hold = null
    })
    await this.renewing
  }

  private async renewAll(lacking: () => Promise<string | null>, timing: RenewalTiming): Promise<void> {
    while (this.mustRenewAgain && !this.isEnding) {
      await waitForCalm(this, () => (this.hold ??= Promise.withResolvers()), timing)
      if (this.isEnding) return
      this.mustRenewAgain = false
      try {
        await this.restart(lacking)
      } catch (error) {
        const { log, server } = this.options.passage
        log.warn({ server, reason: (error as Error).message }, 'a tool server could not be restarted; its session ends')
        await this.stop()
        this.end('The tool server could not be restarted')
      }
    }
  }

  /** @throws if the server cannot be restarted */
  private async restart(lacking: () => Promise<string | null>): Promise<void> {
    const before = this.channel
    const reason = await lacking()
    if (reason !== null) throw new Error(reason)
    if (this.isEnding) return
    this.failAsked(`The tool server was restarted with another credential before it answered. ${mayHaveTakenEffect}`)
    // The server that sent them ends.
    this.keptRequests = null
    this.isRestarting = true
    await before.stop().finally(() => {
      this.isRestarting = false
    })
    if (this.isEnding) {
      this.end('The session has ended')
      return
    }
    const next = this.openChannel()
    this.channel = next
    forgetTools(this.options)
    for (const message of this.opening.messages()) {
      if (!(await this.mayRepeat(message))) continue
      if (isRequest(message)) await next.ask(message)
      else next.tell(message)
    }
  }

  /** Whether a message of the opening may be sent again. The rules may have changed since the client sent it. No person is asked again. */
  private async mayRepeat(message: JsonObject): Promise<boolean> {
    const { passage } = this.options
    if (message.method === 'initialize' || !isRequest(message)) return true
    if ((await inspectClientMessage(passage, message)).denied !== null) return false
    if (!isDecided(message)) return true
    const found = callsOf(passage.server, message)
    return (
      found.ok &&
      found.calls.every(({ tool, args, otherArgs = [] }) => passage.guard.mayShow(tool, [args, ...otherArgs]))
    )
  }

  /** Resolves when no restart of the server is due. Requests wait for it. */
  async untilRenewed(): Promise<void> {
    while (this.hold && !this.isEnding) await this.hold.promise
  }

  private connect(stream: SessionStream, exchange: Exchange, from?: number): void {
    const { asked, request, response } = exchange
    this.posts.set(stream, asked)
    this.lastUsedAt = Date.now()
    const isPrimed = from === undefined && knowsEmptyEvents(request.headers['mcp-protocol-version'])
    stream.connect(new EventStream(exchange), {
      ...(from !== undefined && { from }),
      isPrimed,
    })
    response.once('close', () => {
      this.lastUsedAt = Date.now()
      if (!stream.isOpen && this.isAsked(stream)) this.leave(stream)
    })
  }

  private expect(request: JsonObject, stream: SessionStream): void {
    const id = request.id as JsonValue
    const before = this.asked.get(id)
    this.asked.set(id, stream)
    // The channel forgets the oldest of very many open requests. Then a later request with the same id gets the answer, and the stream of the earlier request no longer waits for it.
    if (before && before !== stream && !this.isAsked(before)) this.finish(before)
    const token = isObject(request.params) && isObject(request.params._meta) && request.params._meta.progressToken
    if (token !== undefined && token !== false) this.progress.set(token as JsonValue, stream)
  }

  private route(message: JsonObject, text: string): void {
    if (message.method === undefined) {
      this.answer(message.id ?? null, text)
      return
    }
    const token = isObject(message.params) ? message.params.progressToken : undefined
    const asking = this.progress.get(token ?? null)
    const open = this.listening.isOpen ? this.listening : [...this.asked.values()].findLast(({ isOpen }) => isOpen)
    const stream = asking ?? open ?? this.keepingStream(message)
    stream.send(text)
  }

  /** Returns the stream that keeps a message while none is open. */
  private keepingStream(message: JsonObject): SessionStream {
    if (!isRequest(message) && message.method !== 'notifications/cancelled') return this.listening
    this.keptRequests ??= this.events.open()
    return this.keptRequests
  }

  private answer(id: JsonValue, text: string): void {
    const stream = this.asked.get(id)
    if (!stream) return
    stream.send(text)
    this.posts.get(stream)?.answered.add(id)
    this.asked.delete(id)
    this.lastUsedAt = Date.now()
    if (!this.isAsked(stream)) this.finish(stream)
  }

  private isAsked(stream: SessionStream): boolean {
    return [...this.asked.values()].includes(stream)
  }

  private leave(stream: SessionStream): void {
    this.away.add(stream)
    const [longest] = this.away
    if (longest && this.away.size > maxAway) this.finish(longest)
  }

  private finish(stream: SessionStream): void {
    this.away.delete(stream)
    for (const owners of [this.asked, this.progress]) {
      for (const [key, owner] of owners) if (owner === stream) owners.delete(key)
    }
    stream.end()
  }

  private failAsked(reason: string): void {
    for (const [id, stream] of this.asked) {
      stream.send(JSON.stringify(rpcError(id, upstreamFailed, reason)))
      stream.end()
    }
    this.asked.clear()
    this.progress.clear()
  }

  /** Closes the streams after the server has stopped for good. */
  private end(why: string): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.isEnding = true
    this.closeStreams(why)
    this.options.onExit(why)
  }

  private closeStreams(why: string): void {
    this.client.onListChanged.delete(this.tell)
    this.failAsked(why)
    this.listening.end()
    this.events.clear()
  }
}

/** Whether the client ignores events without data. Clients of older MCP revisions may try to parse such events as messages. */
function knowsEmptyEvents(version: string | string[] | undefined): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(String(version)) && String(version) >= '2025-11-25'
}
