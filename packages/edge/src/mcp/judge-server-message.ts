import { closedError, closingOf } from './closed-answer.ts'
import { filterLists, mayRead } from './filter-lists.ts'
import type { OfferedTool } from './filter-tools.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Passage } from './judge-message.ts'
import { logDropped } from './log-dropped.ts'
import { envelopeKeys, serverNotifications, serverRequests } from './methods.ts'
import { isObject } from './read-message.ts'
import { methodNotFound, rpcError } from './rpc-error.ts'

/**
 * What becomes of a message of a tool server: `message` goes to the client (null: nothing does), `reply` goes back to the
 * server.
 */
export interface ServerJudgement {
  readonly message: JsonObject | null
  /** Whether `message` is not the message that the server sent. */
  readonly differs: boolean
  readonly reply: JsonObject | null
  readonly offered: readonly OfferedTool[]
}

/** Whether an answer belongs to a request that a closed edge passes, see `Handshakes`. */
export type IsHandshake = (answer: JsonObject) => boolean

/** Judges one message on its way to the client. Methods that the edge does not know do not pass. */
export function judgeServerMessage(passage: Passage, message: JsonValue, isHandshake: IsHandshake): ServerJudgement {
  if (!isObject(message) || message.jsonrpc !== '2.0') return drop(passage, 'no JSON-RPC message')
  const unknown = Object.keys(message).find((key) => !envelopeKeys.has(key))
  if (unknown !== undefined) return drop(passage, 'a message with an unknown field')
  const { method, id } = message
  if (method === undefined) return judgeAnswer(passage, message, isHandshake(message))
  if (typeof method !== 'string') return drop(passage, 'a message without a method')
  return id === undefined ? judgeNotification(passage, message, method) : judgeRequest(passage, message, method)
}

function judgeRequest(passage: Passage, message: JsonObject, method: string): ServerJudgement {
  const handling = serverRequests.get(method)
  if (handling === undefined) {
    return { ...drop(passage, 'an unknown request'), reply: rpcError(message.id, methodNotFound, 'Method not found') }
  }
  const closing = handling === 'always' ? null : closingOf(passage.guard)
  return closing === null ? pass(message) : { ...nothing, reply: closedError(message.id, closing) }
}

function judgeNotification(passage: Passage, message: JsonObject, method: string): ServerJudgement {
  if (!serverNotifications.has(method)) return drop(passage, 'an unknown notification')
  if (closingOf(passage.guard) !== null) return nothing
  if (method !== 'notifications/resources/updated') return pass(message)
  const uri = isObject(message.params) ? message.params.uri : null
  return typeof uri === 'string' && mayRead(passage.guard, passage.server, uri) ? pass(message) : nothing
}

function judgeAnswer(passage: Passage, message: JsonObject, isHandshake: boolean): ServerJudgement {
  if (!('result' in message) && !('error' in message)) return drop(passage, 'no JSON-RPC message')
  const closing = closingOf(passage.guard)
  if (closing !== null) {
    const answer = isHandshake ? withoutInstructions(message) : closedError(message.id, closing)
    return { ...pass(answer), differs: true }
  }
  const { message: filtered, differs, offered } = filterLists(message, passage.server, passage.guard)
  return { message: filtered, differs, reply: null, offered }
}

/** A closed edge lets a session be opened, without what the server has to say in it. */
function withoutInstructions(message: JsonObject): JsonObject {
  if (!isObject(message.result)) return message
  const { instructions: _, ...result } = message.result
  return { ...message, result }
}

const nothing: ServerJudgement = { message: null, differs: true, reply: null, offered: [] }

function pass(message: JsonObject): ServerJudgement {
  return { message, differs: false, reply: null, offered: [] }
}

function drop(passage: Passage, why: string): ServerJudgement {
  logDropped(passage, 'server', why)
  return nothing
}
