import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { ServerSecrets } from '../../credentials/server-secrets.ts'
import { GatheredBytes } from '../../gathered-bytes.ts'
import { writeJson } from '../../json/written-numbers.ts'
import { answerFailure } from '../gateway/answer-failure.ts'
import { answerKind } from '../gateway/answer-kind.ts'
import { bindSession } from '../gateway/bind-session.ts'
import { noteOffered } from '../gateway/client.ts'
import {
  answerError,
  answerJson,
  answerText,
  type CheckedMessages,
  type Exchange,
  errorsFor,
  type Upstream,
} from '../gateway/exchange.ts'
import { mayShowOf } from '../gateway/may-show.ts'
import { refusalOf, TooSlow } from '../gateway/server-refused.ts'
import type { OfferedTool } from '../mediation/filter-tools.ts'
import { inspectServerText } from '../mediation/inspect-server-text.ts'
import { askTimeoutMs } from '../mediation/list-tools.ts'
import { noteSent, OpenCalls } from '../mediation/open-calls.ts'
import type { ServerText } from '../mediation/pass-server-text.ts'
import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject } from '../messages/json.ts'
import { isObject, isRequest } from '../messages/read-message.ts'
import { mayHaveTakenEffect, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { answeredHeaders } from './answered-headers.ts'
import { readOwnAnswer } from './ask-http-server.ts'
import { headersFor, inspectHeaders, ownHeaders } from './client-headers.ts'
import { inspectBody } from './inspect-body.ts'
import { AnswerRefused, passServerBody } from './pass-server-body.ts'
import { rewriteStream } from './rewrite-stream.ts'
import { type Body, NotReleased, type ServerAddress, ServerRequests } from './server-requests.ts'

export interface HttpUpstreamOptions extends ServerAddress {
  /** How long the server may take to begin its answer, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of an inspected answer or event, in bytes. */
  readonly maxResponseBytes: number
}

/**
 * Maximum number of errors that the edge sends to the server at the same time. Each error answers a request of the server that
 * was not forwarded to the client.
 */
const mostReplies = 16
/** Maximum number of errors that the edge sends to the server because of one answer or stream. Further errors are dropped. */
const mostRepliesPerAnswer = 100
const replyTimeoutMs = 10_000
const mostOpened = 10_000

/**
 * A tool server over Streamable HTTP. Stores nothing about sessions. Does not forward the client's edge token or cookies to the
 * server. Does not forward the server's redirects or cookies to the client.
 */
export class HttpUpstream implements Upstream {
  readonly forwardsAuthorization: boolean | undefined
  readonly secrets: ServerSecrets | undefined
  private readonly requests: ServerRequests
  private readonly timeoutMs: number | undefined
  private readonly maxResponseBytes: number
  private replying = 0
  /** The ids of sessions that began through this edge. */
  private readonly opened = new Set<string>()

  constructor({ timeoutMs, maxResponseBytes, ...address }: HttpUpstreamOptions) {
    this.requests = new ServerRequests(address)
    this.timeoutMs = timeoutMs
    this.maxResponseBytes = maxResponseBytes
    this.forwardsAuthorization = address.forwardAuthorization
    this.secrets = address.secrets
  }

  async post(exchange: Exchange, checked: CheckedMessages): Promise<boolean> {
    const { onward, isBatch } = checked
    const release = () => {
      const isReleased = checked.release(onward)
      if (isReleased) noteSent(exchange.passage, onward)
      return isReleased
    }
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
    const common = ownHeaders(exchange.request)
    const isNamed = common['mcp-protocol-version'] !== undefined
    const own = { ...common, ...(isNamed && { 'mcp-method': String(message.method) }) }
    const headers = headersFor({ ...exchange, request: { headers: own } })
    const body = { text, release: () => closingOf(exchange.passage.guard) === null }
    const signal = AbortSignal.timeout(Math.min(askTimeoutMs, this.timeoutMs ?? askTimeoutMs))
    const answer = await this.requests.send({ method: 'POST', headers, body, signal })
    return readOwnAnswer(exchange, message, answer, this.maxResponseBytes, this.replyTo(exchange, answer))
  }

  async end(exchange: Exchange): Promise<void> {
    const answer = await this.send(exchange, 'DELETE')
    if (answer) await this.relay(exchange, answer, null)
  }

  /**
   * Sends a request and returns the server's answer. Returns null if that answer may not be forwarded. In that case the
   * client has already received an error. @throws NotReleased
   */
  private async send(given: Exchange, method: string, body?: Body): Promise<IncomingMessage | null> {
    const { headers, holds } = await inspectHeaders(given)
    const exchange = { ...given, sentHeaders: headers }
    try {
      const release = () => holds() && body?.release() === true
      const answer = await this.requestFor(exchange, method, body && { ...body, release })
      // The request was sent and will not be sent again, so its memory is free for the answer.
      exchange.reservation.resize(0)
      const refusal = refusalOf(answer, mayShowOf(exchange.passage.guard))
      if (refusal === null) return answer
      answer.destroy()
      throw refusal
    } catch (error) {
      if (error instanceof NotReleased) throw error
      answerFailure(exchange, error)
      return null
    }
  }

  private async requestFor(
    exchange: Exchange & { sentHeaders: IncomingHttpHeaders },
    method: string,
    body: Body | undefined,
  ): Promise<IncomingMessage> {
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
      const headers = headersFor({ ...exchange, request: { headers: exchange.sentHeaders } })
      return await this.requests.send({ method, headers, body, signal: stopping.signal })
    } finally {
      clearTimeout(timer)
    }
  }

  private async relay(exchange: Exchange, answer: IncomingMessage, checked: CheckedMessages | null): Promise<void> {
    const { response } = exchange
    // `send` refuses an answer for which `answerKind` returns null, so the default `json` is never used.
    const kind = answerKind(answer.headers['content-type']) ?? 'json'
    this.noteSession(exchange, answer)
    if (!copyHeaders(exchange, answer)) {
      answer.destroy()
      fail(exchange, `The tool server gave no usable session id. ${mayHaveTakenEffect}`)
      return
    }
    if (kind === 'other') nameUtf8(response)
    response.statusCode = answer.statusCode ?? 502
    try {
      if (kind === 'stream')
        await rewriteStream(
          { ...exchange, mayBeEarlier: checked === null && this.mayBeOfOthers(exchange) },
          answer,
          checked,
          this.maxResponseBytes,
          this.replyTo(exchange, answer),
        )
      else await this.rewriteBody(exchange, answer, checked, kind)
    } catch (error) {
      if (error instanceof AnswerRefused) {
        exchange.passage.log.warn(
          { reason: error.message, server: exchange.passage.server },
          'the edge refused the answer of a tool server and sent an error to the client',
        )
        fail(
          exchange,
          `The edge did not forward the answer of the tool server, and the request may have taken effect: ${error.message}`,
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

  /**
   * Whether a GET stream may bring answers to calls that this edge did not send. A resumed stream always may, because another edge of the state
   * folder may have sent the call.
   */
  private mayBeOfOthers({ session, request }: Exchange): boolean {
    return request.headers['last-event-id'] !== undefined || !this.opened.has(session ?? '')
  }

  private noteSession({ session }: Exchange, { headers }: IncomingMessage): void {
    const given = headers['mcp-session-id']
    if (session !== null || given === undefined) return
    this.opened.add(String(given))
    const [oldest] = this.opened
    if (oldest !== undefined && this.opened.size > mostOpened) this.opened.delete(oldest)
  }

  private async rewriteBody(
    exchange: Exchange,
    answer: IncomingMessage,
    checked: CheckedMessages | null,
    kind: 'json' | 'other',
  ): Promise<void> {
    const { asked, client, passage, response } = exchange
    const body = new GatheredBytes()
    let isWhole = true
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        const length = body.length + chunk.length
        if (length > this.maxResponseBytes)
          throw new AnswerRefused(`The answer has more than ${this.maxResponseBytes} bytes`)
        if (!exchange.reservation.resize(length))
          throw new AnswerRefused('No memory is left for the answer: the client has reached its memory limit')
        body.add(chunk)
      }
    } catch (error) {
      if (error instanceof AnswerRefused || response.destroyed || !checked?.onward.some(isRequest)) throw error
      // Nothing was sent to the client yet, so it can get an error for its request.
      passage.log.warn({ err: error, server: passage.server }, 'a tool server broke off its answer')
      isWhole = false
    }
    // An error with an HTTP status of its own may have an id that no request has. A client reads its text all the same.
    const takesUnknown = ({ error }: JsonObject) =>
      checked === null || (error !== undefined && response.statusCode >= 400)
    const calls = new OpenCalls(passage, { takesUnknown })
    calls.note(checked?.onward ?? [])
    const onOffer = (tools: readonly OfferedTool[]) => noteOffered(client, passage, tools)
    const mayPass = passServerBody(isWhole ? body.take() : Buffer.alloc(0), kind, passage, { checked, calls }, onOffer)
    const passed = await inspectServerText(mayPass, passage, calls)
    const reply = this.replyTo(exchange, answer)
    for (const error of passed.replies) reply(error)
    const answers = checked?.answers ?? []
    const claimsSuccess = response.statusCode < 300 || !isWhole
    const closing = closingOf(passage.guard)
    if (calls.ids.length > 0 && closing === null && (claimsSuccess || answers.length > 0)) {
      const messages = passed.messages.filter(({ method }) => method === undefined)
      const isOther = passed.messages.length === 0 && !/^[\s[\]]*$/.test(passed.text ?? '')
      const other = kind === 'json' ? 'JSON without a JSON-RPC message' : 'other content than JSON, such as a web page'
      if (isOther)
        passage.log.warn({ server: passage.server }, `a tool server answered a request with ${other}: check its url`)
      const what = isOther ? `, but ${other}` : ''
      const why = isWhole
        ? `The tool server sent no valid answer to the request (status ${response.statusCode})${what}`
        : 'The tool server broke off its answer'
      const texts = errorTextsOf(messages)
      const text = texts.length > 0 ? [why, ...texts].join(': ') : `${why}. ${mayHaveTakenEffect}`
      if (!checked?.isBatch) return answerJson(response, 502, rpcError(calls.ids[0], upstreamFailed, text))
      const lost = calls.ids.map((id) => rpcError(id, upstreamFailed, `${why}. ${mayHaveTakenEffect}`))
      if (messages.length + answers.length + lost.length === 1) return answerJson(response, 502, lost[0]!)
      const status = claimsSuccess ? 200 : response.statusCode
      return answerBatch(response, { ...passed, messages }, [...answers, ...lost], status)
    }
    if (answers.length > 0) {
      const closed = closing === null ? [] : calls.ids.map((id) => closedError(id, closing))
      return answerBatch(response, passed, [...answers, ...closed])
    }
    if (mayPass.isLost && passed.messages.length === 1)
      return answerJson(response, 502, passed.messages[0] as JsonObject)
    if (passed.text !== null && passed.messages.length === 0) {
      const inspected = await inspectBody(passed.text, passage, calls)
      if (inspected.errorFor) return answerJson(response, response.statusCode, errorsFor(asked, inspected.errorFor))
      return void response.end(inspected.text)
    }
    if (passed.text !== null) return void response.end(passed.text)
    if (checked === null || !checked.onward.some(isRequest)) return void response.end()
    if (closing) {
      const closed = errorsFor(asked, (id) => closedError(id, closing))
      return answerJson(response, 200, closed)
    }
    fail(exchange, `The tool server sent no valid answer to the request. ${mayHaveTakenEffect}`)
  }

  /**
   * Returns a function that sends an error to the server, as the answer to a server's request that was not forwarded to the
   * client. The function drops the error if `mostReplies` or `mostRepliesPerAnswer` is reached.
   */
  private replyTo(exchange: Exchange, answer: IncomingMessage): (message: JsonObject) => void {
    const session = (answer.headers['mcp-session-id'] ?? exchange.session) as string | null
    let sent = 0
    return (message) => {
      if (++sent <= mostRepliesPerAnswer) this.reply({ ...exchange, session }, message)
    }
  }

  reply(exchange: Exchange, error: JsonObject): void {
    if (this.replying >= mostReplies) return
    this.replying++
    const headers = headersFor({ ...exchange, request: { headers: ownHeaders(exchange.request) } })
    const body = { text: JSON.stringify(error), release: () => true }
    const signal = AbortSignal.timeout(replyTimeoutMs)
    this.requests
      .send({ method: 'POST', headers, body, signal })
      .then((received) => received.destroy())
      .catch(() => {})
      .finally(() => this.replying--)
  }

  async close(): Promise<void> {
    this.requests.close()
  }
}

function copyHeaders({ client, passage, response }: Exchange, answer: IncomingMessage): boolean {
  for (const [name, value] of answeredHeaders(answer.headers, mayShowOf(passage.guard))) response.setHeader(name, value)
  const session = answer.headers['mcp-session-id']
  if (session === undefined) return true
  const bound = bindSession(client.sessionKey, passage.server, String(session))
  if (bound !== null) response.setHeader('mcp-session-id', bound)
  return bound !== null
}

const charset = /;\s*charset\s*=[^;]*/gi

/** The edge reads and writes other content as UTF-8. A client that decodes it in another way would read another text than the edge inspected. */
function nameUtf8(response: ServerResponse): void {
  const type = String(response.getHeader('content-type') ?? '')
  if (/charset/i.test(type)) response.setHeader('content-type', `${type.replace(charset, '')}; charset=utf-8`)
}

/** The texts of errors without an id, which a server sends if it cannot read a request. */
function errorTextsOf(messages: readonly JsonObject[]): string[] {
  return messages.flatMap(({ id, error }) =>
    id == null && isObject(error) && typeof error.message === 'string' ? [error.message] : [],
  )
}

/** Sends the messages of the tool server, then those of the edge. Numbers in the messages of the server keep their digits. */
function answerBatch(
  response: ServerResponse,
  { messages, numbers }: Pick<ServerText, 'messages' | 'numbers'>,
  own: readonly JsonObject[],
  status = 200,
): void {
  const texts = [
    ...messages.map((message) => writeJson(message, numbers)),
    ...own.map((message) => JSON.stringify(message)),
  ]
  answerText(response, status, `[${texts.join()}]`)
}

function fail(exchange: Exchange, reason: string): void {
  answerError(exchange, 502, [upstreamFailed, reason])
}
