import type { Client } from '../gateway/client.ts'
import { EventStream } from '../gateway/event-stream.ts'
import type { Exchange, Judged } from '../gateway/exchange.ts'
import { listChanged } from '../mediation/pass-server-text.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject, isRequest } from '../messages/read-message.ts'
import { rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { type EventLimits, EventStore } from './event-store.ts'
import { type ChannelOptions, ServerChannel } from './server-channel.ts'
import type { SessionStream } from './session-stream.ts'

/** Streams with an answer to come whose client hung up; of more, those that it left first are given up. */
const maxAway = 100

/**
 * A session of the revisions that have sessions, over a connection of its own to a tool server. Answers go to the request they answer and
 * progress to the request it belongs to; all else to the client's listening stream, or to an open request where there is none.
 * Each stream can be resumed after the last event that its client got.
 */
export class ServerSession {
  readonly client: Client
  lastUsedAt = Date.now()
  /** Takes no more requests: its server is being ended. */
  isEnding = false
  private readonly channel: ServerChannel
  private readonly events: EventStore
  private readonly listening: SessionStream
  private readonly asked = new Map<JsonValue, SessionStream>()
  private readonly progress = new Map<JsonValue, SessionStream>()
  private readonly away = new Set<SessionStream>()
  private readonly tell = () => this.isInitialized && this.route(listChanged, JSON.stringify(listChanged))
  private isInitialized = false

  constructor(options: Omit<ChannelOptions, 'onMessage'> & EventLimits) {
    this.client = options.client
    this.events = new EventStore(options, options.client.kept.hold())
    this.listening = this.events.open()
    this.channel = new ServerChannel({
      ...options,
      onMessage: (message, text) => this.route(message, text),
      onExit: () => {
        this.closeStreams()
        options.onExit()
      },
    })
    options.client.onListChanged.add(this.tell)
  }

  /** Whether the client has no stream open. */
  get isIdle(): boolean {
    return !this.listening.isOpen && ![...this.asked.values()].some(({ isOpen }) => isOpen)
  }

  /** Whether its server reads less than it is sent. */
  get isFull(): boolean {
    return this.channel.isFull
  }

  /** Returns false if the messages were not released; then nothing was sent. @throws if the server cannot be reached; then nothing was sent */
  post(judged: Judged, exchange: Exchange): Promise<boolean> {
    this.lastUsedAt = Date.now()
    this.channel.authorize(exchange.authorization)
    let isBegun = false
    return this.channel.send(judged.onward, () => {
      if (!judged.release()) return false
      if (!isBegun) this.beginAnswer(judged, exchange)
      isBegun = true
      return true
    })
  }

  private beginAnswer({ onward, answers }: Judged, exchange: Exchange): void {
    const requests = onward.filter(isRequest)
    if (onward.some(({ method }) => method === 'notifications/initialized')) this.isInitialized = true
    if (requests.length === 0 && answers.length === 0) {
      exchange.response.writeHead(202).end()
      return
    }
    const stream = this.events.open()
    this.connect(stream, exchange)
    for (const answer of answers) stream.send(JSON.stringify(answer))
    for (const request of requests) this.expect(request, stream)
    if (requests.length === 0) stream.end()
  }

  /**
   * Opens the stream the client listens on, or goes on with the one that its last event came on.
   * `taken`: it has that one already. `lost`: not all that came after that event is kept.
   */
  listen(exchange: Exchange): 'open' | 'taken' | 'lost' {
    const lastEventId = exchange.request.headers['last-event-id']
    const isClosed = closingOf(exchange.passage.guard) !== null
    if (!lastEventId) {
      if (this.listening.isOpen) return 'taken'
      // What the server said before does not pass while the edge is closed.
      this.connect(this.listening, exchange, isClosed ? this.listening.last : undefined)
      return 'open'
    }
    if (isClosed) return 'lost'
    const place = this.events.find(String(lastEventId))
    if (!place) return 'lost'
    this.away.delete(place.stream)
    this.connect(place.stream, exchange, place.number)
    return 'open'
  }

  /** Sends a request of the edge's own. @throws where no answer comes */
  ask(request: JsonObject): Promise<JsonObject> {
    this.lastUsedAt = Date.now()
    return this.channel.ask(request)
  }

  async stop(): Promise<void> {
    this.isEnding = true
    await this.channel.stop()
  }

  private connect(stream: SessionStream, exchange: Exchange, from?: number): void {
    const { request, response } = exchange
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
    // The answer under this id goes to the later request: the earlier one has none to come.
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
    const stream = asking ?? open ?? this.listening
    stream.send(text)
  }

  private answer(id: JsonValue, text: string): void {
    const stream = this.asked.get(id)
    if (!stream) return
    stream.send(text)
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

  private closeStreams(): void {
    this.client.onListChanged.delete(this.tell)
    for (const [id, stream] of this.asked) {
      stream.send(JSON.stringify(rpcError(id, upstreamFailed, 'The tool server ended before it answered')))
      stream.end()
    }
    this.asked.clear()
    this.listening.end()
    this.events.clear()
  }
}

/** Whether a client takes an event without data for no message. Those of older revisions may try to read one in it. */
function knowsEmptyEvents(version: string | string[] | undefined): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(String(version)) && String(version) >= '2025-11-25'
}
