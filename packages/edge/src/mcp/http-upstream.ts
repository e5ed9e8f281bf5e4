import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { GatheredBytes } from '../gathered-bytes.ts'
import { bindSession } from './bind-session.ts'
import { type ClientCredentials, TokenSource } from './client-credentials.ts'
import { answerJson, type Exchange, type Judged, type Upstream } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { passServerText } from './pass-server-text.ts'
import { fold } from './read-message.ts'
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

  async function end(exchange: Exchange): Promise<void> {
    const answer = await send(exchange, 'DELETE')
    if (answer) await relay(exchange, answer, null)
  }

  /** The server's answer; null where there is none that may be sent on, and the client has been told. @throws NotReleased */
  async function send(exchange: Exchange, method: string, body?: Body): Promise<IncomingMessage | null> {
    try {
      const token = await tokens?.token()
      let answer = await request(exchange, method, body, token)
      if (answer.statusCode === 401 && tokens && token !== undefined) {
        // It may have been withdrawn before its end: once more with a new one.
        answer.destroy()
        tokens.refuse(token)
        answer = await request(exchange, method, body, await tokens.token())
      }
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

  function request(exchange: Exchange, method: string, body?: Body, token?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const start = isTls ? httpsRequest : httpRequest
      const headers = headersFor(exchange, body?.text)
      if (token !== undefined) headers.authorization = `Bearer ${token}`
      const outgoing = start(target, { method, agent, maxHeaderSize, headers }, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      // The stream of what the server says on its own account may stay silent for long.
      const limitMs = method === 'GET' ? undefined : timeoutMs
      const timer = limitMs === undefined ? undefined : setTimeout(() => outgoing.destroy(new TooSlow()), limitMs)
      outgoing.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      // The client is gone: so is its request.
      exchange.response.once('close', () => exchange.response.writableFinished || outgoing.destroy())
      if (body === undefined) return outgoing.end()
      // Connecting takes a while, in which the rules may become others.
      whenConnected(outgoing, isTls, () => {
        if (body.release()) outgoing.end(body.text)
        else outgoing.destroy(new NotReleased())
      })
    })
  }

  function headersFor({ request: { headers: given }, session }: Exchange, body?: string): OutgoingHttpHeaders {
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
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false
    const looksInto = judged === null ? isStream : judged.answers.length > 0 || judged.onward.some(asksForTools)
    if (!copyHeaders(exchange, answer)) {
      answer.destroy()
      fail(exchange, 'The tool server gave no usable session id')
      return
    }
    response.statusCode = answer.statusCode ?? 502
    try {
      if (!looksInto) {
        const length = answer.headers['content-length']
        if (length !== undefined) response.setHeader('content-length', length)
        if (isStream) response.flushHeaders()
        await pipeline(answer, response)
      } else if (isStream) {
        await rewriteStream(exchange, answer, judged, maxResponseBytes)
      } else {
        await rewriteJson(exchange, answer, judged)
      }
    } catch (error) {
      // What was sent of the answer cannot be taken back: the client sees it break, as it would without the edge.
      exchange.passage.log.warn({ err: error, server: exchange.passage.server }, 'an answer broke off')
      response.destroy()
    }
  }

  async function rewriteJson(exchange: Exchange, answer: IncomingMessage, judged: Judged | null): Promise<void> {
    const body = new GatheredBytes()
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const length = body.length + chunk.length
      if (length > maxResponseBytes) throw new Error(`an answer of more than ${maxResponseBytes} bytes`)
      if (!exchange.hold.resize(length)) throw new Error('an answer that there is no room for')
      body.add(chunk)
    }
    const text = body.take().toString('utf8')
    const passed = passServerText(text, exchange.passage, (tools) => exchange.client.offered.note(tools))
    const answers = judged?.answers ?? []
    if (answers.length > 0) return answerJson(exchange.response, 200, [...(passed?.messages ?? []), ...answers])
    exchange.response.end(passed?.text ?? text)
  }

  return { post, listen, end, close: async () => agent.destroy() }
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

function asksForTools({ method }: JsonObject): boolean {
  return typeof method === 'string' && ['tools/list', 'subscriptions/listen'].includes(fold(method))
}

function fail({ id, response }: Exchange, reason: string, status = 502): null {
  answerJson(response, status, rpcError(id, upstreamFailed, reason))
  return null
}
