import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { answerKind } from '../gateway/answer-kind.ts'
import type { MayShow } from '../gateway/may-show.ts'
import { EffectUnknown, refusalOf, ServerRefused, statusRefusalOf, TooSlow } from '../gateway/server-refused.ts'
import type { JsonObject } from '../messages/json.ts'
import type { LostText } from '../messages/lost-text.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import type { OnUnsent, Release, ServerConnection } from '../sessions/server-connection.ts'
import { readEvents } from './read-events.ts'
import { NotReleased, type ServerRequests } from './server-requests.ts'

export interface SseOptions {
  readonly requests: ServerRequests
  /** The client's `Authorization` header. Null if the edge does not forward it to the tool server. */
  readonly authorization: string | null
  /** How long the server may take to open its stream, and to accept a message, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of an event, in bytes. */
  readonly maxEventBytes: number
  /** Maximum number of bytes in messages that were sent and that the server has not accepted yet. */
  readonly maxUnreadBytes: number
  /** Whether a text of the server may stand in an error. */
  readonly mayShow: MayShow
  readonly onUnsent: OnUnsent
}

/** Maximum number of messages that were sent and that the server has not accepted yet. */
const mostUntaken = 100
const longestConnectMs = 30_000
/** How long the stream may be silent before TCP checks whether the server is still there. */
const keepAliveMs = 60_000
/** Maximum number of bytes that are read of the response to a POST. */
const longestReceipt = 64 * 1024
const longestEndpoint = 8192
/** HTTP statuses which mean that the session or the credential is no longer valid. */
const ended: ReadonlySet<number> = new Set([401, 404, 410])

/**
 * A connection to a tool server over HTTP+SSE, the transport of MCP revision 2024-11-05. A GET opens an event stream with the
 * server's messages. The first event of the stream, `endpoint`, names the address for the client's messages. Such a stream
 * cannot be resumed, so the connection ends when the stream ends.
 */
export class SseConnection implements ServerConnection {
  private readonly options: SseOptions
  private readonly ending = new AbortController()
  private readonly endpoint = Promise.withResolvers<URL>()
  private readonly exit = Promise.withResolvers<null>()
  private authorization: string | null
  private isStopped = false
  private untaken = 0
  private untakenBytes = 0

  constructor(options: SseOptions) {
    this.options = options
    this.authorization = options.authorization
    // The reader of `texts` gets the same error. Without this handler the unhandled rejection would end the edge's process.
    this.endpoint.promise.catch(() => {})
  }

  get exited(): Promise<null> {
    return this.exit.promise
  }

  get isFull(): boolean {
    return this.untaken >= mostUntaken || this.untakenBytes >= this.options.maxUnreadBytes
  }

  authorize(authorization: string | null): void {
    this.authorization = authorization
  }

  async send([first, ...rest]: readonly JsonObject[], release: Release): Promise<boolean> {
    if (!first) return true
    const url = await this.endpoint.promise
    if (!(await this.post(url, first, release))) return false
    for (const message of rest) {
      const failure = await this.post(url, message, release).then(
        (isPosted) => (isPosted ? null : new ServerRefused('The rules changed before the edge sent the request')),
        (error: Error) => error,
      )
      if (failure) this.options.onUnsent(message, failure)
    }
    return true
  }

  async *texts(reservation: MemoryReservation): AsyncGenerator<string | LostText> {
    const { requests, maxEventBytes, timeoutMs = longestConnectMs } = this.options
    const timer = setTimeout(() => this.ending.abort(new TooSlow()), Math.min(timeoutMs, longestConnectMs))
    let endpoint: URL | null = null
    try {
      for await (const { type, data, lost } of readEvents(await this.open(), maxEventBytes, reservation)) {
        if (type === 'endpoint') {
          if (endpoint) throw new ServerRefused('The tool server named a second address to send to')
          endpoint = readEndpoint(data ?? '', requests.target)
          clearTimeout(timer)
          this.endpoint.resolve(endpoint)
        } else if (endpoint === null) throw new ServerRefused('The tool server did not begin with an endpoint event')
        else if (type === 'message') yield lost ?? data ?? ''
      }
      if (endpoint === null) throw new ServerRefused('The tool server ended its stream before an endpoint event')
    } catch (error) {
      if (this.isStopped) return
      const { signal } = this.ending
      const failure = signal.aborted ? signal.reason : error
      this.endpoint.reject(failure)
      throw failure
    } finally {
      clearTimeout(timer)
      this.endpoint.reject(new ServerRefused('The connection to the tool server has ended'))
      this.ending.abort()
      this.exit.resolve(null)
    }
  }

  stop(): Promise<null> {
    this.isStopped = true
    this.ending.abort(new ServerRefused('The connection to the tool server has ended'))
    return this.exited
  }

  private async open(): Promise<IncomingMessage> {
    const headers = { accept: 'text/event-stream', 'cache-control': 'no-cache', ...this.authorizationHeader() }
    const answer = await this.options.requests.send({ method: 'GET', headers, signal: this.ending.signal })
    const refusal = refusalOf(answer, this.options.mayShow) ?? noStream(answer)
    if (refusal) {
      answer.destroy()
      throw refusal
    }
    answer.socket.setKeepAlive(true, keepAliveMs)
    return answer
  }

  /** Resolves with true when the message was sent. Resolves with false if `release` returned false; then nothing was sent. */
  private post(url: URL, message: JsonObject, release: Release): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let isReleased = false
      const onConnected = () => {
        if (!release([message])) return false
        isReleased = true
        resolve(true)
        return true
      }
      const fail = (error: Error) => {
        if (isReleased) this.options.onUnsent(message, error)
        else if (error instanceof NotReleased) resolve(false)
        else reject(error)
      }
      this.deliver(url, JSON.stringify(message), onConnected).then((refusal) => {
        if (!refusal) return
        fail(refusal.error)
        if (refusal.isLast) void this.stop()
      }, fail)
    })
  }

  /** Resolves with null when the server has accepted the message, or with why not, and whether the server accepts no more messages. */
  private async deliver(
    url: URL,
    text: string,
    release: () => boolean,
  ): Promise<{ error: ServerRefused; isLast: boolean } | null> {
    const { requests, timeoutMs, mayShow } = this.options
    const bytes = Buffer.byteLength(text)
    const late = new AbortController()
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => late.abort(new TooSlow()), timeoutMs)
    this.untaken++
    this.untakenBytes += bytes
    try {
      const signal = AbortSignal.any([this.ending.signal, late.signal])
      const headers = this.authorizationHeader()
      const answer = await requests.send({ method: 'POST', url, headers, body: { text, release }, signal })
      discard(answer)
      const { statusCode = 502 } = answer
      if (statusCode >= 200 && statusCode <= 299) return null
      const isLast = ended.has(statusCode)
      const why = `The tool server answered with HTTP status ${statusCode}${isLast ? ', so the session ends' : ''}`
      const refusal = statusRefusalOf(answer, mayShow)
      return { error: refusal ?? (statusCode >= 500 ? new EffectUnknown(why) : new ServerRefused(why)), isLast }
    } finally {
      clearTimeout(timer)
      this.untaken--
      this.untakenBytes -= bytes
    }
  }

  private authorizationHeader(): OutgoingHttpHeaders {
    return this.authorization === null ? {} : { authorization: this.authorization }
  }
}

function noStream({ statusCode, headers }: IncomingMessage): ServerRefused | null {
  if (statusCode !== 200)
    return new ServerRefused(`The tool server answered with HTTP status ${statusCode} and opened no stream of events`)
  return answerKind(headers['content-type']) === 'stream'
    ? null
    : new ServerRefused('The tool server opened no stream of events')
}

/**
 * Reads the address for the client's messages from the server's `endpoint` event. This address must have the same origin as the
 * configured address of the server, because each message carries the credential for the configured address.
 */
function readEndpoint(text: string, target: URL): URL {
  if (text.length > longestEndpoint || !URL.canParse(text, target.href))
    throw new ServerRefused('The tool server sent no address for messages')
  const url = new URL(text, target)
  if (url.protocol !== target.protocol || url.origin !== target.origin)
    throw new ServerRefused('The tool server sent an address for messages that has another origin')
  url.username = target.username
  url.password = target.password
  url.hash = ''
  return url
}

/** Reads a short answer to its end, so that the socket can be used again. Closes the connection if the answer is long. */
function discard(answer: IncomingMessage): void {
  let length = 0
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > longestReceipt) answer.destroy()
  })
  answer.on('error', () => {})
}
