import { randomUUID } from 'node:crypto'
import { type WrittenNumbers, writeJson } from '../../json/written-numbers.ts'
import type { Client } from '../gateway/client.ts'
import { EventStream } from '../gateway/event-stream.ts'
import { answerJson, answerText, type Exchange } from '../gateway/exchange.ts'
import { keepDecision } from '../mediation/open-calls.ts'
import { protocolVersionKey } from '../messages/answer-stopped-call.ts'
import { firstStatelessRevision, ownMeta, type RequestFault } from '../messages/check-stateless-request.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { FilteredList } from '../messages/list-changes.ts'
import { isObject } from '../messages/read-message.ts'
import {
  answerForClient,
  mayHaveTakenEffect,
  rpcError,
  statusOf,
  unsupportedVersion,
  upstreamFailed,
} from '../messages/rpc-error.ts'
import { acknowledgedSubscription, changesFor, subscriptionOf, withSubscription } from '../messages/subscriptions.ts'
import { type RenewalTiming, waitForCalm } from './renew-session.ts'
import { type ChannelOptions, ServerChannel } from './server-channel.ts'
import type { Release } from './server-connection.ts'

interface Asked {
  readonly exchange: Exchange
  readonly stream: EventStream
  /** The id and the progress token that the client chose. Other connections of the client may use the same values. */
  readonly id: JsonValue
  readonly token: JsonValue | undefined
  /** If the request opened a subscription: the lists whose changes it covers. */
  subscribed: readonly FilteredList[] | null
}

interface Options extends Omit<ChannelOptions, 'onMessage'> {
  readonly keepAliveMs: number
}

/**
 * A tool server that is started once for each client, for MCP revisions without sessions. Several HTTP connections of the
 * client share the server. Their requests may have equal ids. So the gateway replaces the id of each request, and restores
 * the id in the answer.
 */
export class StatelessServer {
  readonly client: Client
  lastUsedAt = Date.now()
  /** True while the tool server is being stopped. It then gets no more requests. */
  isEnding = false
  /** True if the server has older secrets. It answers what it was asked, and gets no more requests. */
  isRetired = false
  private readonly channel: ServerChannel
  private readonly options: Options
  private readonly asked = new Map<JsonValue, Asked>()
  private readonly tell = () => this.tellSubscriptions()
  private lastId = 0
  private supported: Promise<readonly string[] | null> | null = null

  constructor(options: Options) {
    this.client = options.client
    this.options = options
    this.channel = new ServerChannel({
      ...options,
      onMessage: (message, text, numbers) => this.route(message, text, numbers),
      onExit: (why) => {
        this.failAll(why)
        options.onExit(why)
      },
    })
    this.client.onListChanged.add(this.tell)
  }

  get isIdle(): boolean {
    return this.asked.size === 0
  }

  /** Whether no request waits for an answer of the server. Streams that tell of changed lists stay open, so they do not count. */
  get isCalm(): boolean {
    return [...this.asked.values()].every(({ subscribed }) => subscribed !== null)
  }

  /** Whether the server reads too slowly to take more requests. */
  get isFull(): boolean {
    return this.channel.isFull
  }

  /** Sends a message to the server. Returns false if `release` returned false; then nothing was sent. */
  async post(exchange: Exchange, message: JsonObject, release: Release): Promise<boolean> {
    this.lastUsedAt = Date.now()
    if (message.id === undefined || typeof message.method !== 'string') {
      // A cancellation is not forwarded. It names the request by the client's id for it, but the gateway gave the request
      // another id for the server. In this MCP revision a client cancels a request by disconnecting.
      if (message.method !== 'notifications/cancelled' && !(await this.channel.send([message], release))) return false
      answerJson(exchange.response, 202, null)
      return true
    }
    if (!release([message])) return false
    const id = `mandate-${++this.lastId}`
    const params = isObject(message.params) ? message.params : {}
    const meta = isObject(params._meta) ? params._meta : {}
    const token = meta.progressToken
    const stream = new EventStream(exchange)
    this.asked.set(id, { exchange, stream, id: message.id, token, subscribed: null })
    // A client gives up an answer whose headers do not come.
    const opening = setTimeout(() => stream.open(), this.options.keepAliveMs).unref()
    exchange.response.once('close', () => {
      clearTimeout(opening)
      this.hangUp(id)
    })
    const own = { ...params, _meta: { ...meta, ...(token !== undefined && { progressToken: id }) } }
    const request = { ...message, id, params: own }
    keepDecision(message, request)
    return await this.channel.send([request], () => true)
  }

  /** Sends a request that the edge itself created. @throws if no answer comes */
  ask(request: JsonObject): Promise<JsonObject> {
    this.lastUsedAt = Date.now()
    return this.channel.ask(request)
  }

  /**
   * Returns why a request is refused, if the server says that it does not support the MCP revision of the request. Otherwise
   * returns null.
   */
  async checkVersion(message: JsonObject): Promise<RequestFault | null> {
    const requested = requestedVersion(message)
    if (requested === firstStatelessRevision) return null
    this.supported ??= this.askVersions()
    const supported = await this.supported
    if (supported === null || supported.includes(requested)) return null
    const data = { supported: [...supported], requested }
    return { code: unsupportedVersion, message: `Unsupported protocol version: ${requested}`, data }
  }

  async stop(): Promise<void> {
    this.isEnding = true
    await this.channel.stop()
  }

  /** Takes no further requests, and stops the server when no request is open. Another server is started for further requests. */
  async retire(timing: RenewalTiming): Promise<void> {
    this.isRetired = true
    await waitForCalm(this, () => {}, timing)
    await this.stop()
  }

  private async askVersions(): Promise<readonly string[] | null> {
    const _meta = ownMeta(firstStatelessRevision)
    const id = `mandate-versions-${randomUUID()}`
    const request = { jsonrpc: '2.0', id, method: 'server/discover', params: { _meta } }
    const answer = await this.channel.ask(request).catch(() => null)
    return versionsIn(answer)
  }

  private route(message: JsonObject, text: string, numbers: WrittenNumbers): void {
    const params = isObject(message.params) ? message.params : {}
    const subscription = subscriptionOf(message)
    if (message.method === undefined) {
      this.answer(message, numbers)
    } else if (message.id !== undefined) {
      this.drop('a request')
      this.channel.tell(answerForClient(message))
    } else if (subscription !== null) {
      this.notify(subscription, (asked) => withSubscription(message, asked.id), numbers)
    } else if (params.progressToken !== undefined) {
      const restore = ({ token }: Asked) => ({ ...message, params: { ...params, progressToken: token as JsonValue } })
      this.notify(params.progressToken, restore, numbers)
    } else {
      // The notification does not say which request it belongs to. So it is forwarded only if exactly one request is open.
      const [only, ...others] = [...this.asked.values()].filter(({ subscribed }) => subscribed === null)
      if (only && others.length === 0) only.stream.send(text)
      else this.drop('a notification that names no request')
    }
  }

  private notify(id: JsonValue, restore: (asked: Asked) => JsonObject, numbers: WrittenNumbers): void {
    const asked = this.asked.get(id)
    if (!asked) return
    const message = restore(asked)
    asked.subscribed = acknowledgedSubscription(message)?.lists ?? asked.subscribed
    asked.stream.send(writeJson(message, withoutId(numbers, asked.token)))
  }

  private answer(message: JsonObject, numbers: WrittenNumbers): void {
    const asked = this.asked.get(message.id ?? null)
    if (!asked) return
    this.asked.delete(message.id ?? null)
    this.lastUsedAt = Date.now()
    const { exchange, stream, id } = asked
    const answer = { ...(subscriptionOf(message) === null ? message : withSubscription(message, id)), id }
    const text = writeJson(answer, withoutId(numbers, id))
    if (!exchange.response.headersSent) {
      this.answerWhole(exchange, answer, text)
    } else {
      stream.send(text)
      stream.end()
    }
  }

  private answerWhole({ reservation, response }: Exchange, answer: JsonObject, text: string): void {
    if (reservation.resize(Buffer.byteLength(text))) answerText(response, statusOf(answer), text)
    else {
      const noRoom = `The answer is too large for the memory of this client. ${mayHaveTakenEffect}`
      answerJson(response, 502, rpcError(answer.id, upstreamFailed, noRoom))
    }
  }

  private hangUp(id: string): void {
    if (!this.asked.delete(id)) return
    this.lastUsedAt = Date.now()
    this.channel.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
  }

  private tellSubscriptions(): void {
    for (const { subscribed, stream, id } of this.asked.values()) {
      const changes = changesFor(id as string | number, subscribed ?? [])
      for (const change of changes) stream.send(JSON.stringify(change))
    }
  }

  private failAll(why: string): void {
    this.client.onListChanged.delete(this.tell)
    for (const { exchange, stream, id } of this.asked.values()) {
      const error = rpcError(id, upstreamFailed, why)
      if (!exchange.response.headersSent) answerJson(exchange.response, 502, error)
      stream.send(JSON.stringify(error))
      stream.end()
    }
    this.asked.clear()
  }

  private drop(what: string): void {
    const { passage } = this.options
    passage.log.warn({ server: passage.server }, `dropped ${what} of a tool server: no client waits for it`)
  }
}

/** Returns the MCP revision that a request without a session names. */
export function requestedVersion(message: JsonObject): string {
  return ((message.params as JsonObject)._meta as JsonObject)[protocolVersionKey] as string
}

/** Returns the MCP revisions that a server supports, from its answer to `server/discover` or from its refusal. */
function versionsIn(answer: JsonObject | null): readonly string[] | null {
  const found = isObject(answer?.result)
    ? answer.result.supportedVersions
    : isObject(answer?.error) && isObject(answer.error.data) && answer.error.data.supported
  const isList = Array.isArray(found) && found.every((version) => typeof version === 'string')
  return isList ? (found as string[]) : null
}

/** A large id or token of the client must not get the digits of a number of the server that is the same double. */
function withoutId(numbers: WrittenNumbers, id: JsonValue | undefined): WrittenNumbers {
  if (typeof id !== 'number' || !numbers.has(id)) return numbers
  return new Map([...numbers].filter(([number]) => number !== id))
}
