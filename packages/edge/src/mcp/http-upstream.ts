import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { GatheredBytes } from '../gathered-bytes.ts'
import { answerKind } from './answer-kind.ts'
import { readOwnAnswer } from './ask-http-server.ts'
import { bindSession } from './bind-session.ts'
import { type ClientCredentials, TokenSource } from './client-credentials.ts'
import { closedError, closingOf } from './closed-answer.ts'
import { answerJson, type Exchange, type Judged, type Upstream } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { askTimeoutMs } from './list-tools.ts'
import { AnswerRefused, passServerBody } from './pass-server-body.ts'
import { isRequest } from './read-message.ts'
import { rewriteStream } from './rewrite-stream.ts'
import { rpcError, upstreamFailed } from './rpc-error.ts'

export interface HttpUpstreamOptions {
  readonly url: string
  /** Sent with each request, for instance the credential the tool server asks for. */
  readonly headers?: Readonly<Record<string, string>>
  /** How the edge gets a token for the server, instead of an `Authorization` header. */
  readonly oauth?: ClientCredentials | undefined
  /** How long the server may take until it begins to answer. */
  readonly timeoutMs?: number | undefined
  /** The longest answer, or event of a stream, that is looked into, in bytes. */
  readonly maxResponseBytes: number
}

const sentOn =
  /^(?:accept|accept-language|baggage|last-event-id|mcp-(?:method|name|param-.+|protocol-version)|traceparent|tracestate|user-agent)$/
/** Headers that speak of one request, and not of an error that is sent to the server. */
const aboutRequest = /^(?:last-event-id|mcp-(?:method|name|param-.+))$/
/** Errors that wait for the server to take them. */
const mostReplies = 16
/** Errors that are sent to the server for one of its answers or streams; further requests of it are dropped unanswered. */
const mostRepliesPerAnswer = 100
const replyTimeoutMs = 10_000
/** The longest header of an answer, in bytes. */
const maxHeaderSize = 16 * 1024
const answeredBack = [
  'allow',
  'cache-control',
  'content-type',
  'mcp-protocol-version',
  'retry-after',
  'x-accel-buffering',
]

/**
 * A tool server reached over Streamable HTTP. Nothing is kept of a session. The client's credential and cookies stay here; the
 * server's redirects, cookies and challenges stay there.
 */
export function httpUpstream({ url, headers = {}, oauth, timeoutMs, maxResponseBytes }: HttpUpstreamOptions): Upstream {
  const tokens = oauth && new TokenSource(oauth)
  const target = new URL(url)
  const isTls = target.protocol === 'https:'
  let replying = 0
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })

  async function post(exchange: Exchange, judged: Judged): Promise<boolean> {
    const { onward, isBatch, release } = judged
    try {
      const answer = await send(exchange, 'POST', { text: JSON.stringify(isBatch ? onward : onward[0]), release })
      if (answer) await relay(exchange, answer, judged)
      return true
    } catch (error) {
      if (error instanceof NotReleased) return false
      throw error
    }
  }

  async function listen(exchange: Exchange): Promise<void> {
    const answer = await send(exchange, 'GET')
    if (answer) await relay(exchange, answer, null)
  }

  async function ask(exchange: Exchange, message: JsonObject): Promise<JsonObject | null> {
    const text = JSON.stringify(message)
    const { 'mcp-protocol-version': version } = exchange.request.headers
    const own = {
      accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'mcp-protocol-version': version, 'mcp-method': String(message.method) }),
    }
    const sent = headersFor({ request: { headers: own }, session: exchange.session }, text)
    const body = { text, release: () => closingOf(exchange.passage.guard) === null }
    const signal = AbortSignal.timeout(Math.min(askTimeoutMs, timeoutMs ?? askTimeoutMs))
    const answer = await authorized((token) => request({ method: 'POST', headers: sent, body, token, signal }))
    return readOwnAnswer(exchange, message, answer, maxResponseBytes)
  }

  async function end(exchange: Exchange): Promise<void> {
    const answer = await send(exchange, 'DELETE')
    if (answer) await relay(exchange, answer, null)
  }

  /** The server's answer; null where there is none that may be sent on, and the client has been told. @throws NotReleased */
  async function send(exchange: Exchange, method: string, body?: Body): Promise<IncomingMessage | null> {
    try {
      const answer = await authorized((token) => requestFor(exchange, method, body, token))
      // The server has what it was sent; what it answers is counted from here on.
      exchange.hold.resize(0)
      const refusal = refusalOf(answer)
      if (refusal === null) return answer
      answer.destroy()
      return fail(exchange, refusal)
    } catch (error) {
      if (error instanceof NotReleased) throw error
      exchange.passage.log.warn({ err: error, server: exchange.passage.server }, 'a tool server cannot be reached')
      if (error instanceof TooSlow) return fail(exchange, 'The tool server took too long to answer', 504)
      return fail(exchange, 'The tool server cannot be reached')
    }
  }

  /** Sends a request with a token, and once more with a new one where the server refuses the first. */
  async function authorized(start: (token: string | undefined) => Promise<IncomingMessage>): Promise<IncomingMessage> {
    const token = await tokens?.token()
    const answer = await start(token)
    if (answer.statusCode !== 401 || !tokens || token === undefined) return answer
    // The token may have been withdrawn before its end.
    answer.destroy()
    tokens.refuse(token)
    return start(await tokens.token())
  }

  async function requestFor(
    exchange: Exchange,
    method: string,
    body: Body | undefined,
    token: string | undefined,
  ): Promise<IncomingMessage> {
    const { response } = exchange
    const stopping = new AbortController()
    // The client is gone: so is its request.
    response.once('close', () => response.writableFinished || stopping.abort(new Error('the client hung up')))
    // The stream of what the server says on its own account may stay silent for long.
    const limitMs = method === 'GET' ? undefined : timeoutMs
    const timer = limitMs === undefined ? undefined : setTimeout(() => stopping.abort(new TooSlow()), limitMs)
    try {
      const headers = headersFor(exchange, body?.text)
      return await request({ method, headers, body, token, signal: stopping.signal })
    } finally {
      clearTimeout(timer)
    }
  }

  function request({ method, headers, body, token, signal }: Sending): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const start = isTls ? httpsRequest : httpRequest
      const authorization = token !== undefined && { authorization: `Bearer ${token}` }
      const given = { ...headers, ...authorization }
      const outgoing = start(target, { method, agent, maxHeaderSize, headers: given }, resolve)
      outgoing.on('error', reject)
      const stop = () => outgoing.destroy(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      // It closes without an error where the server switches protocols, and after the answer, when this says nothing new.
      outgoing.once('close', () => {
        signal.removeEventListener('abort', stop)
        reject(new Error('the tool server closed the connection without an answer'))
      })
      if (body === undefined) return outgoing.end()
      // Connecting takes a while, in which the rules may become others.
      whenConnected(outgoing, isTls, () => {
        if (body.release()) outgoing.end(body.text)
        else outgoing.destroy(new NotReleased())
      })
    })
  }

  function headersFor({ request: { headers: given }, session }: Sender, body?: string): OutgoingHttpHeaders {
    const kept = Object.fromEntries(Object.entries(given).filter(([name]) => sentOn.test(name)))
    return {
      ...kept,
      'accept-encoding': 'identity',
      ...(session !== null && { 'mcp-session-id': session }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    }
  }

  async function relay(exchange: Exchange, answer: IncomingMessage, judged: Judged | null): Promise<void> {
    const { response } = exchange
    // `send` refuses answers of no kind.
    const kind = answerKind(answer.headers['content-type']) ?? 'json'
    if (!copyHeaders(exchange, answer)) {
      answer.destroy()
      fail(exchange, 'The tool server gave no usable session id')
      return
    }
    response.statusCode = answer.statusCode ?? 502
    try {
      if (kind === 'stream') await rewriteStream(exchange, answer, judged, maxResponseBytes, replyTo(exchange, answer))
      else await rewriteBody(exchange, answer, judged, kind)
    } catch (error) {
      if (error instanceof AnswerRefused) {
        exchange.passage.log.warn({ reason: error.message, server: exchange.passage.server }, 'an answer was refused')
        fail(exchange, 'The tool server gave an answer that may not pass')
        return
      }
      // What was sent of the answer cannot be taken back: the client sees it break, as it would without the edge.
      exchange.passage.log.warn({ err: error, server: exchange.passage.server }, 'an answer broke off')
      response.destroy()
    }
  }

  async function rewriteBody(
    exchange: Exchange,
    answer: IncomingMessage,
    judged: Judged | null,
    kind: 'json' | 'other',
  ): Promise<void> {
    const body = new GatheredBytes()
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const length = body.length + chunk.length
      if (length > maxResponseBytes) throw new Error(`an answer of more than ${maxResponseBytes} bytes`)
      if (!exchange.hold.resize(length)) throw new Error('an answer that there is no room for')
      body.add(chunk)
    }
    const { client, id, passage, response } = exchange
    const passed = passServerBody(body.take(), kind, passage, judged, (tools) => client.offered.note(tools))
    const reply = replyTo(exchange, answer)
    for (const error of passed.replies) reply(error)
    const answers = judged?.answers ?? []
    if (answers.length > 0) return answerJson(response, 200, [...passed.messages, ...answers])
    if (passed.text !== null) return void response.end(passed.text)
    if (judged === null || !judged.onward.some(isRequest)) return void response.end()
    const closing = closingOf(passage.guard)
    if (closing) return answerJson(response, 200, closedError(id, closing))
    fail(exchange, 'The tool server gave no answer that may pass')
  }

  /** Sends errors to the server for what it asked of the client; of more than a few at once the further ones are dropped. */
  function replyTo(exchange: Exchange, answer: IncomingMessage): (message: JsonObject) => void {
    const session = answer.headers['mcp-session-id'] ?? exchange.session
    const given = Object.entries(exchange.request.headers).filter(([name]) => !aboutRequest.test(name))
    const headers = headersFor({ request: { headers: Object.fromEntries(given) }, session: session as string | null })
    let sent = 0
    return (message) => {
      if (replying >= mostReplies || ++sent > mostRepliesPerAnswer) return
      replying++
      const text = JSON.stringify(message)
      const body = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      const own = { ...headers, ...body }
      const signal = AbortSignal.timeout(replyTimeoutMs)
      const release = () => true
      authorized((token) => request({ method: 'POST', headers: own, body: { text, release }, token, signal }))
        .then((received) => received.destroy())
        .catch(() => {})
        .finally(() => replying--)
    }
  }

  return { post, listen, ask, end, close: async () => agent.destroy() }
}

/** The headers and the session of a request. */
interface Sender {
  readonly request: Pick<IncomingMessage, 'headers'>
  readonly session: string | null
}

/** A request to the server; `signal` ends it, and what is read of its answer. */
interface Sending {
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: Body | undefined
  readonly token: string | undefined
  readonly signal: AbortSignal
}

/** What is sent once the server is connected, if it is released then. */
interface Body {
  text: string
  release(): boolean
}

class NotReleased extends Error {
  override readonly name = 'NotReleased'
}

class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

function whenConnected(outgoing: ClientRequest, isTls: boolean, act: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', act)
    else act()
  })
}

function refusalOf({ statusCode = 502, headers }: IncomingMessage): string | null {
  // Followed by the client, a redirect would lead past the edge; a challenge would ask for the edge's own credential.
  if (statusCode >= 300 && statusCode < 400) return 'The tool server redirects, which is not followed'
  if (statusCode === 401 || statusCode === 407) return "The tool server refused the edge's credential"
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return 'The tool server encoded an answer it was asked not to'
  if (answerKind(headers['content-type']) === null)
    return 'The tool server gave an answer of a content type that clients read differently'
  return null
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

function fail({ id, response }: Exchange, reason: string, status = 502): null {
  answerJson(response, status, rpcError(id, upstreamFailed, reason))
  return null
}
