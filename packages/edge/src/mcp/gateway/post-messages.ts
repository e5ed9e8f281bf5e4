import { mcpToolName } from '@mandate/contract/fields/mcp-tool-name'
import { skipBody } from '../../listen/skip-body.ts'
import { checkUntilItHolds, type Passage } from '../mediation/check-message.ts'
import { settle } from '../mediation/check-messages.ts'
import { decisionOf } from '../mediation/open-calls.ts'
import { isStateless } from '../messages/answer-stopped-call.ts'
import { checkMirroredHeaders } from '../messages/check-mirrored-headers.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { EndlessText, LostText } from '../messages/lost-text.ts'
import { checkMirroredArguments } from '../messages/mirrored-arguments.ts'
import {
  type Incoming,
  isObject,
  isRequest,
  maxBatch,
  type Refused,
  readMessage,
  refuseTooLong,
} from '../messages/read-message.ts'
import { headerMismatch, invalidRequest, rpcError, statusOf, upstreamFailed } from '../messages/rpc-error.ts'
import { callsOff, type Deciding, release, sortOut, startDeciding } from './deciding.ts'
import { answerError, answerJson, type CheckedMessages, type Exchange, type Upstream } from './exchange.ts'
import { readBody } from './read-body.ts'
import { tellDecision } from './tell-decision.ts'

type Read = Extract<Incoming, { ok: true }>

interface Taking {
  readonly maxBytes: number
  /** Returns why the gateway takes no requests now. Null if it takes them. It takes other messages all the same. */
  refusal(): string | null
}

/** Reads a POST of a client, checks each message against the policy, and forwards the messages that may pass. */
export async function postMessages(
  exchange: Exchange,
  upstream: Upstream,
  { maxBytes, refusal }: Taking,
): Promise<void> {
  const { request, response } = exchange
  const refuse = async (status: number, code: number, error: string, headers?: Record<string, string>) => {
    await skipBody(request)
    answerJson(response, status, rpcError(null, code, error), { connection: 'close', ...headers })
  }
  if (
    !isJson(request.headers['content-type']) ||
    !/^identity$/i.test(request.headers['content-encoding'] ?? 'identity')
  ) {
    return refuse(415, invalidRequest, 'The body must be application/json in UTF-8, without Content-Encoding')
  }
  const body = await readBody(request, maxBytes, exchange.reservation)
  if (body instanceof LostText) {
    await skipBody(request, (chunk) => addTo(body, chunk))
    return refuseMessage(exchange, upstream, 413, refuseTooLong(body, maxBytes))
  }
  if (body === 'no_room')
    return refuse(429, invalidRequest, 'Too much data of this client is waiting; try again later', {
      'retry-after': '1',
    })
  const incoming = readMessage(body)
  if (!incoming.ok) return refuseMessage(exchange, upstream, 400, incoming)
  const mismatch = checkMirroredHeaders(request.headers, incoming.messages) ?? checkArguments(exchange, incoming)
  const { asked } = exchange
  asked.isBatch = incoming.isBatch
  asked.ids = incoming.messages.filter(isRequest).map(({ id }) => id as JsonValue)
  const refused = asked.ids.length > 0 ? refusal() : null
  if (refused !== null)
    return answerError(exchange, 503, [invalidRequest, refused], {
      headers: { 'retry-after': '1', connection: 'close' },
    })
  if (mismatch) return answerError(exchange, 400, [headerMismatch, mismatch])
  const fault = incoming.isBatch ? null : await upstream.check?.(exchange, incoming.messages[0] as JsonObject)
  if (fault) return answerError(exchange, 400, [fault.code, fault.message], { data: fault.data })
  const messages = incoming.messages.filter((message) => !callsOff(exchange, message))
  if (messages.length === 0) return answerJson(response, 202, null)
  asked.isSubscription = messages.every(({ method }) => method === 'subscriptions/listen')
  if (!(await isDeniedAnyway(exchange.passage))) {
    if (upstream.refuses?.(exchange, messages, incoming.isBatch)) return
  }
  const deciding = startDeciding(exchange, messages)
  try {
    // Such a header repeats an argument, so that redacting the argument alone would not keep it from the server.
    const repeats = Object.keys(exchange.request.headers).some((name) => name.startsWith('mcp-param-'))
    const passage = { ...exchange.passage, canRedact: !repeats }
    await passOn({ ...exchange, passage }, upstream, incoming, deciding)
  } finally {
    deciding.end()
    const unsent = deciding.checks.filter((check) => !deciding.sent.has(check))
    for (const { result } of unsent) if (result?.passes) result.withdraw?.()
  }
}

/** Answers the client, and sends errors to the server in place of the client's answers: the server waits for them. */
async function refuseMessage(
  exchange: Exchange,
  upstream: Upstream,
  status: 400 | 413,
  { answers, replies }: Refused,
): Promise<void> {
  for (const reply of replies.slice(0, maxBatch)) {
    const checked = await checkUntilItHolds(exchange.passage, reply)
    if (checked.passes) upstream.reply(exchange, checked.message ?? reply)
  }
  answerJson(exchange.response, status, answers[0] as object, { connection: 'close' })
}

function addTo(lost: LostText, chunk: Buffer): void {
  try {
    lost.add(chunk)
  } catch (error) {
    // The ids in the part before are enough.
    if (!(error instanceof EndlessText)) throw error
  }
}

/**
 * Checks each message against the policy and forwards the messages that may pass. If the rules change before the messages are
 * sent, checks the messages again.
 */
async function passOn(exchange: Exchange, upstream: Upstream, { isBatch }: Read, deciding: Deciding): Promise<void> {
  const { checks } = deciding
  let checked: CheckedMessages
  do {
    await settle(exchange.passage, checks)
    if (hasAnswer(exchange)) return
    if (isReplaced(exchange))
      return answerError(exchange, 503, [upstreamFailed, replaced], { headers: { 'retry-after': '1' } })
    const { onward, answers } = sortOut(checks)
    exchange.asked.answers = answers
    const [only] = onward
    tellDecision(exchange, isBatch || !only ? undefined : decisionOf(only))
    const mayBeSent = (sending: readonly JsonObject[]) => {
      const isReleased = !hasAnswer(exchange) && !isReplaced(exchange) && release(deciding, sending)
      exchange.asked.isSent ||= isReleased
      return isReleased
    }
    checked = { onward, answers, isBatch, release: mayBeSent }
    if (onward.length === 0) return answerAlone(exchange, checked, checks[0]?.message)
  } while (!(await upstream.post(exchange, checked)))
}

/** Whether the client is gone, or got an error because the tool server ends. */
function hasAnswer({ response }: Exchange): boolean {
  return response.destroyed || response.writableEnded
}

/** Whether the servers file replaced the tool server before anything was sent. The edge then knows only the tools of the new server, so it sends nothing. */
function isReplaced({ passage, asked }: Exchange): boolean {
  return !asked.isSent && passage.isReplaced?.() === true
}

const replaced =
  'The servers file of the edge changed before the request was sent. The request did not reach the tool server'

/** Whether every call is denied, because the edge is closed or lacks a credential. The client then gets this reason. */
async function isDeniedAnyway({ guard, lacking }: Passage): Promise<boolean> {
  if (closingOf(guard) !== null) return true
  // An edge that cannot tell what it lacks denies the call too.
  return (await lacking?.().catch(() => 'unknown')) != null
}

function answerAlone(
  { response }: Exchange,
  { answers, isBatch }: CheckedMessages,
  message: JsonObject | undefined,
): void {
  const [answer] = answers
  if (answer === undefined) answerJson(response, 202, null)
  else if (isBatch) answerJson(response, 200, [...answers])
  else answerJson(response, isStateless(message?.params) ? statusOf(answer) : 200, answer)
}

function checkArguments({ client, passage, request }: Exchange, { messages }: Read): string | null {
  for (const { method, params } of messages) {
    if (method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string') continue
    const mirrored = client.offered.of(passage.server).mirrored.of(mcpToolName(passage.server, params.name) ?? '')
    const mismatch = checkMirroredArguments(request.headers, params, mirrored)
    if (mismatch) return mismatch
  }
  return null
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(?:;\s*(?:charset=("?)utf-?8\1\s*)?)?$/i.test(contentType)
}
