import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { logDropped } from '../messages/log.ts'
import { envelopeKeys, serverNotifications, serverRequests } from '../messages/methods.ts'
import { isObject, isRequestAndAnswer } from '../messages/read-message.ts'
import { methodNotFound, rpcError } from '../messages/rpc-error.ts'
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
  readonly offered: readonly OfferedTool[]
}

/**
 * `answer` is a message of the server that answers a request. Returns the method of that request if the answer may pass while
 * the edge is closed (denies every call of the agent). Otherwise returns undefined. See `Handshakes`.
 */
export type HandshakeOf = (answer: JsonObject) => string | undefined

/** Decides whether a message of the tool server may pass to the client. Messages with unknown methods may not pass. */
export function checkServerMessage(passage: Passage, message: JsonValue, handshakeOf: HandshakeOf): ServerCheckResult {
  if (!isObject(message) || message.jsonrpc !== '2.0') return drop(passage, 'it is not a JSON-RPC message')
  const unknown = Object.keys(message).find((key) => !envelopeKeys.has(key))
  if (unknown !== undefined) return drop(passage, 'it has an unknown field')
  if (isRequestAndAnswer(message)) return drop(passage, 'it has fields of both a request and an answer')
  const { method, id } = message
  if (method === undefined) return checkAnswer(passage, message, handshakeOf(message))
  if (typeof method !== 'string') return drop(passage, 'its method is not a string')
  return id === undefined ? checkNotification(passage, message, method) : checkRequest(passage, message, method)
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
  if (method !== 'notifications/resources/updated') return pass(message)
  const uri = isObject(message.params) ? message.params.uri : null
  return typeof uri === 'string' && mayRead(passage.guard, passage.server, uri) ? pass(message) : nothing
}

function checkAnswer(passage: Passage, message: JsonObject, handshake: string | undefined): ServerCheckResult {
  if (!('result' in message) && !('error' in message)) return drop(passage, 'it is not a JSON-RPC message')
  // Some clients read the error of such an answer, and others its result.
  if ('result' in message && 'error' in message) return drop(passage, 'it has both a result and an error')
  const closing = closingOf(passage.guard)
  if (closing !== null) {
    const answer = handshake ? bare(message, handshake) : closedError(message.id, closing)
    return { ...pass(answer), differs: true }
  }
  const { message: filtered, differs, offered } = filterLists(message, passage.server, passage.guard)
  return { message: filtered, differs, reply: null, offered }
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
