import type { ServerResponse } from 'node:http'
import type { Client } from './client.ts'
import { EventStream } from './event-stream.ts'
import type { Judged } from './exchange.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { listChanged } from './pass-server-text.ts'
import { isObject } from './read-message.ts'
import { rpcError, upstreamFailed } from './rpc-error.ts'
import { type ChannelOptions, StdioChannel } from './stdio-channel.ts'

/** What a server may say while no stream of its client is open; older messages are dropped first. */
const maxKept = 256
const maxKeptBytes = 1 << 20

/**
 * A session of the revisions that have sessions, over a tool server of its own. Answers go to the request they answer and
 * progress to the request it belongs to; all else to the client's listening stream, or to an open request where there is none.
 */
export class StdioSession {
  readonly client: Client
  lastUsedAt = Date.now()
  private readonly channel: StdioChannel
  private readonly asked = new Map<JsonValue, EventStream>()
  private readonly progress = new Map<JsonValue, EventStream>()
  private readonly tell = () => this.isInitialized && this.route(listChanged, JSON.stringify(listChanged))
  private listening: EventStream | null = null
  private kept: string[] = []
  private keptBytes = 0
  private isInitialized = false

  constructor(options: Omit<ChannelOptions, 'onMessage'>) {
    this.client = options.client
    this.channel = new StdioChannel({
      ...options,
      onMessage: (message, text) => this.route(message, text),
      onExit: () => {
        this.closeStreams()
        options.onExit()
      },
    })
    options.client.onListChanged.add(this.tell)
  }

  /** Whether nothing is asked and no one listens. */
  get isIdle(): boolean {
    return this.asked.size === 0 && this.listening === null
  }

  async post({ onward, answers, isBatch }: Judged, response: ServerResponse): Promise<void> {
    this.lastUsedAt = Date.now()
    const stream = new EventStream(response)
    const requests = onward.filter((message) => typeof message.method === 'string' && message.id !== undefined)
    if (requests.length === 0 && answers.length === 0) response.writeHead(202).end()
    else stream.open()
    for (const answer of answers) stream.send(JSON.stringify(answer))
    for (const request of requests) this.expect(request, stream)
    // What is answered after the client hung up has nowhere to go, and must not keep the session from lying idle.
    response.once('close', () => this.forget(stream))
    if (onward.some(({ method }) => method === 'notifications/initialized')) this.isInitialized = true
    await this.channel.send(isBatch ? onward : (onward[0] as JsonObject))
    if (requests.length === 0) stream.end()
  }

  /** Takes the stream the client listens on; false where it has one already. */
  listen(response: ServerResponse): boolean {
    if (this.listening !== null) return false
    const stream = new EventStream(response)
    this.listening = stream
    this.lastUsedAt = Date.now()
    response.once('close', () => {
      this.listening = null
      this.lastUsedAt = Date.now()
    })
    stream.open()
    for (const text of this.kept) stream.send(text)
    this.kept = []
    this.keptBytes = 0
    return true
  }

  async stop(): Promise<void> {
    await this.channel.stop()
  }

  private expect(request: JsonObject, stream: EventStream): void {
    this.asked.set(request.id as JsonValue, stream)
    const token = isObject(request.params) && isObject(request.params._meta) && request.params._meta.progressToken
    if (token !== undefined && token !== false) this.progress.set(token as JsonValue, stream)
  }

  private route(message: JsonObject, text: string): void {
    if (message.method === undefined) {
      this.answer(message.id ?? null, text)
      return
    }
    const token = isObject(message.params) ? message.params.progressToken : undefined
    const open =
      this.progress.get(token ?? null) ?? this.listening ?? [...this.asked.values()].findLast(({ isOpen }) => isOpen)
    if (open?.isOpen) open.send(text)
    else this.keep(text)
  }

  private answer(id: JsonValue, text: string): void {
    const stream = this.asked.get(id)
    if (!stream) return
    stream.send(text)
    this.asked.delete(id)
    this.lastUsedAt = Date.now()
    if (![...this.asked.values()].includes(stream)) stream.end()
  }

  private forget(stream: EventStream): void {
    for (const owners of [this.asked, this.progress]) {
      for (const [key, owner] of owners) if (owner === stream) owners.delete(key)
    }
  }

  private keep(text: string): void {
    this.kept.push(text)
    this.keptBytes += text.length
    while (this.kept.length > maxKept || this.keptBytes > maxKeptBytes) this.keptBytes -= this.kept.shift()?.length ?? 0
  }

  private closeStreams(): void {
    this.client.onListChanged.delete(this.tell)
    for (const [id, stream] of this.asked) {
      stream.send(JSON.stringify(rpcError(id, upstreamFailed, 'The tool server ended before it answered')))
      stream.end()
    }
    this.asked.clear()
    this.listening?.end()
  }
}
