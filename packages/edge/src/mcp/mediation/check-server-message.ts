import type { Envelope } from '../../json/read-envelopes.ts'
import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { listChangedEnd } from '../messages/list-changes.ts'
import { logDropped } from '../messages/log.ts'
import { envelopeKeys, serverNotifications, serverRequests } from '../messages/methods.ts'
import { idIn, isObject, isRequestAndAnswer } from '../messages/read-message.ts'
import { invalidRequest, methodNotFound, rpcError, upstreamFailed } from '../messages/rpc-error.ts'
import { subscribedParams, subscriptionOf } from '../messages/subscriptions.ts'
import type { Passage } from './check-message.ts'
import { filterLists, mayRead } from './filter-lists.ts'
import type { OfferedTool } from './filter-tools.ts'

/**
 * The decision about a message of a tool server. `message` is sent to the client; if it is null, nothing is sent. `reply` is
 * sent back to the server.
 */
export interface ServerCheckResult {
  readonly message: JsonObject | null
  /** Whether `message` differs from what the server sent. */
  readonly differs: boolean
  readonly reply: JsonObject | null
  /** The error that the client gets in place of an answer that is not a valid message. */
  readonly lost?: JsonObject
  readonly offered: readonly OfferedTool[]
}

/**
 * `answer` is a message of the server that answers a request. Returns the method of that request if the answer may pass while
 * the edge is closed (denies every call of the agent). Otherwise returns undefined. See `Handshakes`.
 */
export type HandshakeOf = (answer: JsonObject) => string | undefined

/** Decides whether a message of the tool server may pass to the client. Messages with unknown methods may not pass. */
export function checkServerMessage(passage: Passage, message: JsonValue, handshakeOf: HandshakeOf): ServerCheckResult {
  if (!isObject(message)) return drop(passage, notMessage)
  const fault = faultOf(message)
  if (fault !== null) {
    logDropped(passage, 'server', fault)
    return answerLost(passage, envelopeOf(message), fault, handshakeOf)
  }
  const { method, id } = message
  if (method === undefined) return checkAnswer(passage, message, handshakeOf(message))
  const name = method as string
  return id === undefined ? checkNotification(passage, message, name) : checkRequest(passage, message, name)
}

const notMessage = 'it is not a JSON-RPC message'

/** Returns the reason why the edge must drop a message of the server. Null if the message is well-formed. */
function faultOf(message: JsonObject): string | null {
  if (message.jsonrpc !== '2.0') return notMessage
  const unknown = Object.keys(message).some((key) => !envelopeKeys.has(key))
  if (unknown) return 'it has an unknown field'
  if (isRequestAndAnswer(message)) return 'it has fields of both a request and an answer'
  if (message.method !== undefined) return typeof message.method === 'string' ? null : 'its method is not a string'
  if (!('result' in message) && !('error' in message)) return notMessage
  // Some clients read the error of such an answer, and others its result.
  return 'result' in message && 'error' in message ? 'it has both a result and an error' : null
}

/** Returns what a parsed message tells of its request. */
export function envelopeOf(message: JsonObject): Envelope {
  const { id } = message
  const isId = typeof id === 'string' || typeof id === 'number'
  const isOnlyMessage = Object.keys(message).every((key) => envelopeKeys.has(key))
  return {
    id: isId ? JSON.stringify(id) : null,
    isNamed: 'jsonrpc' in message,
    hasMethod: 'method' in message,
    // A line of a log may have an id and a short result too.
    hasOutcome: isObject(message.result) || (isOnlyMessage && ('result' in message || 'error' in message)),
  }
}

/**
 * Builds the errors for those who wait for a message that the edge dropped: the client if the message answers its request, and the server if
 * the message is a request. Some servers write their logs to standard output, so a text with an id is not always a message.
 */
export function answerLost(
  passage: Passage,
  { id, isNamed, hasMethod, hasOutcome }: Envelope,
  why: string,
  handshakeOf: HandshakeOf,
): ServerCheckResult {
  if (id === null || !(isNamed || hasOutcome)) return nothing
  if (hasMethod) {
    return { ...nothing, reply: rpcError(idIn(id), invalidRequest, `The edge did not forward the request: ${why}`) }
  }
  const text = `The edge did not forward the answer of the tool server, and the request may have taken effect: ${why}`
  const error = rpcError(JSON.parse(id) as JsonValue, upstreamFailed, text)
  return { ...nothing, lost: checkAnswer(passage, error, handshakeOf(error)).message ?? error }
}

function checkRequest(passage: Passage, message: JsonObject, method: string): ServerCheckResult {
  const handling = serverRequests.get(method)
  if (handling === undefined) {
    return {
      ...drop(passage, 'the method of the request is unknown'),
      reply: rpcError(message.id, methodNotFound, 'Method not found'),
    }
  }
  const closing = closingOf(passage.guard)
  if (closing === null) return pass(message)
  // A ping passes without its parameters, because they could carry any text.
  if (handling === 'always') return { ...pass({ jsonrpc: '2.0', id: message.id ?? null, method }), differs: true }
  return { ...nothing, reply: closedError(message.id, closing) }
}

function checkNotification(passage: Passage, message: JsonObject, method: string): ServerCheckResult {
  if (!serverNotifications.has(method)) return drop(passage, 'the method of the notification is unknown')
  if (closingOf(passage.guard) !== null) return nothing
  if (method.endsWith(listChangedEnd)) return passWithoutText(message, method)
  if (method !== 'notifications/resources/updated') return pass(message)
  const uri = isObject(message.params) ? message.params.uri : null
  return typeof uri === 'string' && mayRead(passage.guard, passage.server, uri) ? pass(message) : nothing
}

/** A notification that a list changed says no more than this. So it passes without its other fields, which could carry any text. */
function passWithoutText(message: JsonObject, method: string): ServerCheckResult {
  if (message.params === undefined) return pass(message)
  const id = subscriptionOf(message)
  return { ...pass({ jsonrpc: '2.0', method, ...(id !== null && { params: subscribedParams(id) }) }), differs: true }
}

function checkAnswer(passage: Passage, message: JsonObject, handshake: string | undefined): ServerCheckResult {
  const closing = closingOf(passage.guard)
  const declared = (handshake === 'initialize' && passage.lists?.declare(passage.server, message)) || message
  if (closing !== null) {
    const answer = handshake ? bare(declared, handshake) : closedError(message.id, closing)
    return { ...pass(answer), differs: true }
  }
  passage.pages?.noteAnswer(passage, message)
  const { message: filtered, differs, offered } = filterLists(declared, passage.server, passage.guard)
  return { message: filtered, differs: differs || declared !== message, reply: null, offered }
}

/**
 * Fields of the server's answer that a client needs to open a session. While the edge is closed (denies every call of the
 * agent), it removes the other fields, such as the server's instructions.
 */
const opening = ['protocolVersion', 'supportedVersions', 'capabilities', 'resultType', 'ttlMs', 'cacheScope']

function bare({ result, error, ...message }: JsonObject, method: string): JsonObject {
  if (!isObject(result)) return { ...message, error: error ?? null }
  if (method === 'ping') return { ...message, result: {} }
  const kept = Object.fromEntries(Object.entries(result).filter(([key]) => opening.includes(key)))
  const { name = '', version = '' } = isObject(result.serverInfo) ? result.serverInfo : {}
  return { ...message, result: { ...kept, ...(result.serverInfo !== undefined && { serverInfo: { name, version } }) } }
}

const nothing: ServerCheckResult = { message: null, differs: true, reply: null, offered: [] }

function pass(message: JsonObject): ServerCheckResult {
  return { message, differs: false, reply: null, offered: [] }
}

function drop(passage: Passage, why: string): ServerCheckResult {
  logDropped(passage, 'server', why)
  return nothing
}
