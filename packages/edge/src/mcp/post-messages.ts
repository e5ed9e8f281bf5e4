import { checkMirroredHeaders } from './check-mirrored-headers.ts'
import { answerJson, type Exchange, type Judged, type Upstream } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { judgeMessage } from './judge-message.ts'
import { readBody } from './read-body.ts'
import { type Incoming, isObject, readMessage } from './read-message.ts'
import { headerMismatch, invalidRequest, rpcError } from './rpc-error.ts'

type Read = Extract<Incoming, { ok: true }>

/** Reads what a client posts, judges it, and sends on what passes. */
export async function postMessages(exchange: Exchange, upstream: Upstream, maxBytes: number): Promise<void> {
  const { request, response } = exchange
  const refuse = (status: number, code: number, error: string, headers?: Record<string, string>) =>
    answerJson(response, status, rpcError(null, code, error), { connection: 'close', ...headers })
  if (!isJson(request.headers['content-type']) || request.headers['content-encoding'] !== undefined) {
    return refuse(415, invalidRequest, 'The body must be application/json in UTF-8, not encoded')
  }
  const body = await readBody(request, maxBytes, exchange.hold)
  if (body === 'too_long') return refuse(413, invalidRequest, `The body is longer than ${maxBytes} bytes`)
  if (body === 'no_room')
    return refuse(429, invalidRequest, 'Too much of this client is waiting', { 'retry-after': '1' })
  const incoming = readMessage(body)
  if (!incoming.ok) return refuse(400, incoming.code, incoming.error)
  const mismatch = checkMirroredHeaders(request.headers, incoming.messages)
  if (mismatch) return answerJson(response, 400, rpcError(onlyId(incoming), headerMismatch, mismatch))
  if (callsOff(exchange, incoming)) return answerJson(response, 202, null)
  const judged = await judge(exchange, incoming)
  if (response.destroyed) return
  if (judged.onward.length > 0) return upstream.post({ ...exchange, id: onlyId(incoming) }, judged)
  const { answers, isBatch } = judged
  answerJson(
    response,
    answers.length > 0 ? 200 : 202,
    answers.length === 0 ? null : isBatch ? [...answers] : (answers[0] as JsonObject),
  )
}

async function judge(exchange: Exchange, { messages, isBatch }: Read): Promise<Judged> {
  const onward: JsonObject[] = []
  const answers: JsonObject[] = []
  for (const message of messages) {
    const waiting = waitFor(exchange, message)
    const judgement = await judgeMessage(exchange.passage, message, waiting.signal)
    waiting.end()
    if (waiting.signal.aborted) answers.push(rpcError(message.id, invalidRequest, 'Cancelled'))
    else if (judgement.passes) onward.push(message)
    else if (judgement.answer) answers.push(judgement.answer)
  }
  return { onward, answers, isBatch }
}

function waitFor(exchange: Exchange, message: JsonObject): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const key = keyOf(exchange, message.id)
  const abort = () => controller.abort()
  exchange.response.once('close', abort)
  exchange.client.deciding.set(key, controller)
  const end = () => {
    exchange.response.off('close', abort)
    if (exchange.client.deciding.get(key) === controller) exchange.client.deciding.delete(key)
  }
  return { signal: controller.signal, end }
}

/** Whether the message cancels a call that still waits for its decision: the tool server never learns of either. */
function callsOff(exchange: Exchange, { messages: [message] }: Read): boolean {
  if (message?.method !== 'notifications/cancelled' || !isObject(message.params)) return false
  const controller = exchange.client.deciding.get(keyOf(exchange, message.params.requestId))
  controller?.abort()
  return controller !== undefined
}

function keyOf({ passage, session }: Exchange, id: unknown): string {
  return JSON.stringify([passage.server, session, id ?? null])
}

function onlyId({ messages, isBatch }: Read) {
  const [message] = messages
  return isBatch || typeof message?.method !== 'string' ? null : (message.id ?? null)
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(?:;\s*charset=(?:utf-8|"utf-8")\s*)?$/i.test(contentType)
}
