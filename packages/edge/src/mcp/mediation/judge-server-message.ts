import { closedError, closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { logDropped } from '../messages/log.ts'
import { envelopeKeys, serverNotifications, serverRequests } from '../messages/methods.ts'
import { isObject, isRequestAndAnswer } from '../messages/read-message.ts'
import { methodNotFound, rpcError } from '../messages/rpc-error.ts'
import { filterLists, mayRead } from './filter-lists.ts'
import type { OfferedTool } from './filter-tools.ts'
import type { Passage } from './judge-message.ts'

/**
 * The decision about a message of a tool server. `message` is sent to the client; if it is null, nothing is sent. `reply` is
 * sent back to the server.
 */
export interface ServerJudgement {
  readonly message: JsonObject | null
  /** Whether `message` differs from what the server sent. */
  readonly differs: boolean
  readonly reply: JsonObject | null
  readonly offered: readonly OfferedTool[]
}

/** If the message answers a request that a closed edge lets pass, the method of that request. See `Handshakes`. */
export type HandshakeOf = (answer: JsonObject) => string | undefined

/** Decides one message that a tool server sends to the client. Unknown methods do not pass. */
export function judgeServerMessage(passage: Passage, message: JsonValue, handshakeOf: HandshakeOf): ServerJudgement {
  if (!isObject(message) || message.jsonrpc !== '2.0') return drop(passage, 'not a JSON-RPC message')
  const unknown = Object.keys(message).find((key) => !envelopeKeys.has(key))
  if (unknown !== undefined) return drop(passage, 'a message with an unknown field')
  if (isRequestAndAnswer(message)) return drop(passage, 'a message that is a request and an answer')
  const { method, id } = message
  if (method === undefined) return judgeAnswer(passage, message, handshakeOf(message))
  if (typeof method !== 'string') return drop(passage, 'a message without a method')
  return id === undefined ? judgeNotification(passage, message, method) : judgeRequest(passage, message, method)
}

function judgeRequest(passage: Passage, message: JsonObject, method: string): ServerJudgement {
  const handling = serverRequests.get(method)
  if (handling === undefined) {
    return { ...drop(passage, 'an unknown request'), reply: rpcError(message.id, methodNotFound, 'Method not found') }
  }
  const closing = closingOf(passage.guard)
  if (closing === null) return pass(message)
  // A ping passes without its parameters, because they could carry any text.
  if (handling === 'always') return { ...pass({ jsonrpc: '2.0', id: message.id ?? null, method }), differs: true }
  return { ...nothing, reply: closedError(message.id, closing) }
}

function judgeNotification(passage: Passage, message: JsonObject, method: string): ServerJudgement {
  if (!serverNotifications.has(method)) return drop(passage, 'an unknown notification')
  if (closingOf(passage.guard) !== null) return nothing
  if (method !== 'notifications/resources/updated') return pass(message)
  const uri = isObject(message.params) ? message.params.uri : null
  return typeof uri === 'string' && mayRead(passage.guard, passage.server, uri) ? pass(message) : nothing
}

function judgeAnswer(passage: Passage, message: JsonObject, handshake: string | undefined): ServerJudgement {
  if (!('result' in message) && !('error' in message)) return drop(passage, 'not a JSON-RPC message')
  const closing = closingOf(passage.guard)
  if (closing !== null) {
    const answer = handshake ? bare(message, handshake) : closedError(message.id, closing)
    return { ...pass(answer), differs: true }
  }
  const { message: filtered, differs, offered } = filterLists(message, passage.server, passage.guard)
  return { message: filtered, differs, reply: null, offered }
}

/** The fields of an answer that a client needs to open a session. A closed edge removes instructions and other texts of the server. */
const opening = ['protocolVersion', 'supportedVersions', 'capabilities', 'resultType', 'ttlMs', 'cacheScope']

function bare({ result, error, ...message }: JsonObject, method: string): JsonObject {
  if (!isObject(result)) return { ...message, error: error ?? null }
  if (method === 'ping') return { ...message, result: {} }
  const kept = Object.fromEntries(Object.entries(result).filter(([key]) => opening.includes(key)))
  const { name = '', version = '' } = isObject(result.serverInfo) ? result.serverInfo : {}
  return { ...message, result: { ...kept, ...(result.serverInfo !== undefined && { serverInfo: { name, version } }) } }
}

const nothing: ServerJudgement = { message: null, differs: true, reply: null, offered: [] }

function pass(message: JsonObject): ServerJudgement {
  return { message, differs: false, reply: null, offered: [] }
}

function drop(passage: Passage, why: string): ServerJudgement {
  logDropped(passage, 'server', why)
  return nothing
}
