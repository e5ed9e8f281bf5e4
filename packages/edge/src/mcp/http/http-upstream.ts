import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { GatheredBytes } from '../../gathered-bytes.ts'
import { answerFailure } from '../gateway/answer-failure.ts'
import { answerKind } from '../gateway/answer-kind.ts'
import { bindSession } from '../gateway/bind-session.ts'
import { answerJson, type CheckedMessages, type Exchange, type Upstream } from '../gateway/exchange.ts'
import { refusalOf, TooSlow } from '../gateway/server-refused.ts'
import { askTimeoutMs } from '../mediation/list-tools.ts'
import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject } from '../messages/json.ts'
import { isRequest } from '../messages/read-message.ts'
import { rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { readOwnAnswer } from './ask-http-server.ts'
import { AnswerRefused, passServerBody } from './pass-server-body.ts'
import { rewriteStream } from './rewrite-stream.ts'
import { type Body, NotReleased, type ServerAddress, ServerRequests } from './server-requests.ts'

export interface HttpUpstreamOptions extends ServerAddress {
  /** How long the server may take to begin its answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of an inspected answer or event, in bytes. */
  readonly maxResponseBytes: number
}

/** Headers of the client's request that are forwarded to the server. */
const sentOn =
  /^(?:accept|accept-language|baggage|last-event-id|mcp-(?:method|name|param-.+|protocol-version)|traceparent|tracestate|user-agent)$/
/**
 * Headers that describe one request of the client. The edge leaves them out when it sends an error to the server, because that
 * error is a separate HTTP request.
 */
const aboutRequest = /^(?:last-event-id|mcp-(?:method|name|param-.+))$/
/**
 * Maximum number of errors that the edge sends to the server at the same time. Each error answers a request of the server that
 * was not forwarded to the client.
 */
const mostReplies = 16
/** Maximum number of errors that the edge sends to the server because of one answer or stream. Further errors are dropped. */
const mostRepliesPerAnswer = 100
const replyTimeoutMs = 10_000
/** Headers of the server's answer that are forwarded to the client. */
const answeredBack = [
  'allow',
  'cache-control',
  'content-type',
  'mcp-protocol-version',
  'retry-after',
  'x-accel-buffering',
]

/**
 * A tool server over Streamable HTTP. Stores nothing about sessions. Does not forward the client's edge token or cookies to the
 * server. Does not forward the server's redirects or cookies to the client.
 */
export class HttpUpstream implements Upstream {
  readonly forwardsAuthorization: boolean | undefined
  private readonly requests: ServerRequests
  private readonly timeoutMs: number | undefined
  private readonly maxResponseBytes: number
  private replying = 0

  constructor({ timeoutMs, maxResponseBytes, ...address }: HttpUpstreamOptions) {
    this.requests = new ServerRequests(address)
    this.timeoutMs = timeoutMs
    this.maxResponseBytes = maxResponseBytes
    this.forwardsAuthorization = address.forwardAuthorization
  }

  async post(exchange: Exchange, checked: CheckedMessages): Promise<boolean> {
    const { onward, isBatch, release } = checked
    try {
      const answer = await this.send(exchange, 'POST', { text: JSON.stringify(isBatch ? onward : onward[0]), release })
      if (answer) await this.relay(exchange, answer, checked)
      return true
    } catch (error) {
      if (error instanceof NotReleased) return false
      throw error
    }
  }

  async listen(exchange: Exchange): Promise<void> {
    const answer = await this.send(exchange, 'GET')
    if (answer) await this.relay(exchange, answer, null)
  }

  async ask(exchange: Exchange, message: JsonObject): Promise<JsonObject | null> {
    const text = JSON.stringify(message)
    const { 'mcp-protocol-version': version } = exchange.request.headers
    const own = {
      accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'mcp-protocol-version': version, 'mcp-method': String(message.method) }),
    }
    const headers = headersFor({ ...exchange, request: { headers: own } })
    const body = { text, release: () => closingOf(exchange.passage.guard) === null }
    const signal = AbortSignal.timeout(Math.min(askTimeoutMs, this.timeoutMs ?? askTimeoutMs))
    const answer = await this.requests.send({ method: 'POST', headers, body, signal })
    return readOwnAnswer(exchange, message, answer, this.maxResponseBytes)
  }

  async end(exchange: Exchange): Promise<void> {
    const answer = await this.send(exchange, 'DELETE')
    if (answer) await this.relay(exchange, answer, null)
  }

  /**
   * Sends a request and returns the server's answer. Returns null if that answer may not be forwarded. In that case the
   * client has already received an error. @throws NotReleased
   */
  private async send(exchange: Exchange, method: string, body?: Body): Promise<IncomingMessage | null> {
    try {
      const answer = await this.requestFor(exchange, method, body)
      // The request was sent and will not be sent again, so its memory is free for the answer.
      exchange.reservation.resize(0)
      const refusal = refusalOf(answer)
      if (refusal === null) return answer
      answer.destroy()
      throw refusal
    } catch (error) {
      if (error instanceof NotReleased) throw error
      answerFailure(exchange, error)
      return null
    }
  }

  private async requestFor(exchange: Exchange, method: string, body: Body | undefined): Promise<IncomingMessage> {
    const { response } = exchange
    const stopping = new AbortController()
    // When the client disconnects, its request to the server ends too.
    response.once(
      'close',
      () => response.writableFinished || stopping.abort(new Error('the client closed the connection')),
    )
    // The stream of a GET may be silent for a long time, so it has no timeout.
    const limitMs = method === 'GET' ? undefined : this.timeoutMs
    const timer = limitMs === undefined ? undefined : setTimeout(() => stopping.abort(new TooSlow()), limitMs)
    try {
      return await this.requests.send({ method, headers: headersFor(exchange), body, signal: stopping.signal })
    } finally {
      clearTimeout(timer)
    }
  }

  private async relay(exchange: Exchange, answer: IncomingMessage, checked: CheckedMessages | null): Promise<void> {
    const { response } = exchange
    // `send` refuses an answer for which `answerKind` returns null, so the default `json` is never used.
    const kind = answerKind(answer.headers['content-type']) ?? 'json'
    if (!copyHeaders(exchange, answer)) {
      answer.destroy()
      fail(exchange, 'The tool server gave no usable session id')
      return
    }
    response.statusCode = answer.statusCode ?? 502
    try {
      if (kind === 'stream')
        await rewriteStream(exchange, answer, checked, this.maxResponseBytes, this.replyTo(exchange, answer))
      else await this.rewriteBody(exchange, answer, checked, kind)
    } catch (error) {
      if (error instanceof AnswerRefused) {
        exchange.passage.log.warn(
          { reason: error.message, server: exchange.passage.server },
          'the edge refused the answer of a tool server and sent an error to the client',
        )
        fail(
          exchange,
          'The edge did not forward the answer of the tool server: it is malformed, ambiguous or too large',
        )
        return
      }
      // Bytes that were already sent cannot be taken back. So the edge closes the connection, and the client sees that the
      // answer is incomplete.
      exchange.passage.log.warn(
        { err: error, server: exchange.passage.server },
        'the edge could not forward the complete answer of a tool server',
      )
      response.destroy()
    }
  }

  private async rewriteBody(
    exchange: Exchange,
    answer: IncomingMessage,
    checked: CheckedMessages | null,
    kind: 'json' | 'other',
  ): Promise<void> {
    const body = new GatheredBytes()
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const length = body.length + chunk.length
      if (length > this.maxResponseBytes)
        throw new Error(`the answer of the tool server has more than ${this.maxResponseBytes} bytes`)
      if (!exchange.reservation.resize(length))
        throw new Error('no memory left for the answer: the client has reached its memory limit')
      body.add(chunk)
    }
    const { client, id, passage, response } = exchange
    const passed = passServerBody(body.take(), kind, passage, checked, (tools) => client.offered.note(tools))
    const reply = this.replyTo(exchange, answer)
    for (const error of passed.replies) reply(error)
    const answers = checked?.answers ?? []
    if (answers.length > 0) return answerJson(response, 200, [...passed.messages, ...answers])
    if (passed.text !== null) return void response.end(passed.text)
    if (checked === null || !checked.onward.some(isRequest)) return void response.end()
    const closing = closingOf(passage.guard)
    if (closing) return answerJson(response, 200, closedError(id, closing))
    fail(exchange, 'The tool server sent no valid answer to the request')
  }

  /**
   * Returns a function that sends an error to the server, as the answer to a server's request that was not forwarded to the
   * client. The function drops the error if `mostReplies` or `mostRepliesPerAnswer` is reached.
   */
  private replyTo(exchange: Exchange, answer: IncomingMessage): (message: JsonObject) => void {
    const session = (answer.headers['mcp-session-id'] ?? exchange.session) as string | null
    const given = Object.entries(exchange.request.headers).filter(([name]) => !aboutRequest.test(name))
    const headers = headersFor({ ...exchange, request: { headers: Object.fromEntries(given) }, session })
    let sent = 0
    return (message) => {
      if (this.replying >= mostReplies || ++sent > mostRepliesPerAnswer) return
      this.replying++
      const body = { text: JSON.stringify(message), release: () => true }
      const signal = AbortSignal.timeout(replyTimeoutMs)
      this.requests
        .send({ method: 'POST', headers, body, signal })
        .then((received) => received.destroy())
        .catch(() => {})
        .finally(() => this.replying--)
    }
  }

  async close(): Promise<void> {
    this.requests.close()
  }
}

/** The fields of an `Exchange` (one HTTP request of a client) that `headersFor` needs. */
interface Sender {
  readonly authorization: string | null
  readonly request: Pick<IncomingMessage, 'headers'>
  readonly session: string | null
}

function headersFor({ request: { headers: given }, session, authorization }: Sender): OutgoingHttpHeaders {
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => sentOn.test(name)))
  return { ...kept, ...(session !== null && { 'mcp-session-id': session }), ...(authorization && { authorization }) }
}

function copyHeaders({ client, passage, response }: Exchange, answer: IncomingMessage): boolean {
  for (const name of answeredBack) {
    const value = answer.headers[name]
    if (value !== undefined) response.setHeader(name, value)
  }
  const session = answer.headers['mcp-session-id']
  if (session === undefined) return true
  const bound = bindSession(client.token, passage.server, String(session))
  if (bound !== null) response.setHeader('mcp-session-id', bound)
  return bound !== null
}

function fail({ id, response }: Exchange, reason: string): void {
  answerJson(response, 502, rpcError(id, upstreamFailed, reason))
}
