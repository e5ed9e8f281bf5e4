import { checkMirroredHeaders } from './check-mirrored-headers.ts'
import { answerJson, type Exchange, type Judged, type Upstream } from './exchange.ts'
import type { JsonObject } from './json.ts'
import { areSettled, type Judging, judgeOpen } from './judge-messages.ts'
import { checkMirroredArguments } from './mirrored-arguments.ts'
import { readBody } from './read-body.ts'
import { type Incoming, isObject, readMessage } from './read-message.ts'
import { headerMismatch, invalidRequest, rpcError } from './rpc-error.ts'
import { toolName } from './tool-name.ts'

type Read = Extract<Incoming, { ok: true }>

/** Reads what a client posts, judges it, and sends on what passes. */
export async function postMessages(exchange: Exchange, upstream: Upstream, maxBytes: number): Promise<void> {
  const { request, response } = exchange
  const refuse = (status: number, code: number, error: string) =>
    answerJson(response, status, rpcError(null, code, error), { connection: 'close' })
  if (!isJson(request.headers['content-type']) || request.headers['content-encoding'] !== undefined) {
    return refuse(415, invalidRequest, 'The body must be application/json in UTF-8, not encoded')
  }
  const body = await readBody(request, maxBytes)
  if (body === null) return refuse(413, invalidRequest, `The body is longer than ${maxBytes} bytes`)
  const incoming = readMessage(body)
  if (!incoming.ok) return refuse(400, incoming.code, incoming.error)
  const mismatch = checkMirroredHeaders(request.headers, incoming.messages) ?? checkArguments(exchange, incoming)
  if (mismatch) return answerJson(response, 400, rpcError(onlyId(incoming), headerMismatch, mismatch))
  if (callsOff(exchange, incoming)) return answerJson(response, 202, null)
  const deciding = startDeciding(exchange, incoming)
  while (!areSettled(deciding.judgings)) await judgeOpen(exchange.passage, deciding.judgings)
  deciding.end()
  const judged = judgedOf(deciding.judgings, incoming)
  if (response.destroyed) return
  if (judged.onward.length > 0) return upstream.post({ ...exchange, id: onlyId(incoming) }, judged)
  const { answers, isBatch } = judged
  answerJson(
    response,
    answers.length > 0 ? 200 : 202,
    answers.length === 0 ? null : isBatch ? [...answers] : (answers[0] as JsonObject),
  )
}

function checkArguments({ client, passage, request }: Exchange, { messages }: Read): string | null {
  for (const { method, params } of messages) {
    if (method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string') continue
    const mirrored = client.offered.mirroredOf(toolName(passage.server, params.name) ?? '')
    const mismatch = checkMirroredArguments(request.headers, params, mirrored)
    if (mismatch) return mismatch
  }
  return null
}

/** Lets the messages be called off, each by its id and all by hanging up, until `end`. */
function startDeciding(exchange: Exchange, { messages }: Read): { judgings: Judging[]; end(): void } {
  const { client, response } = exchange
  const waiting = messages.map((message) => ({
    message,
    key: keyOf(exchange, message.id),
    controller: new AbortController(),
  }))
  const abort = () => {
    for (const { controller } of waiting) controller.abort()
  }
  response.once('close', abort)
  for (const { key, controller } of waiting) client.deciding.set(key, controller)
  const end = () => {
    response.off('close', abort)
    for (const { key, controller } of waiting) {
      if (client.deciding.get(key) === controller) client.deciding.delete(key)
    }
  }
  const judgings = waiting.map(({ message, controller: { signal } }) => ({ message, signal, judgement: null }))
  return { judgings, end }
}

function judgedOf(judgings: readonly Judging[], { isBatch }: Read): Judged {
  const onward: JsonObject[] = []
  const answers: JsonObject[] = []
  for (const { message, signal, judgement } of judgings) {
    if (signal.aborted) answers.push(rpcError(message.id, invalidRequest, 'Cancelled'))
    else if (judgement?.passes) onward.push(message)
    else if (judgement?.answer) answers.push(judgement.answer)
  }
  return { onward, answers, isBatch }
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
