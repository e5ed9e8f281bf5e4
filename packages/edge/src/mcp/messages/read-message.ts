import { nameAmbiguity } from '../../json/name-ambiguity.ts'
import { type Envelope, readEnvelopes } from '../../json/read-envelopes.ts'
import { rawJSON } from '../../json/written-numbers.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { LostText } from './lost-text.ts'
import { envelopeKeys } from './methods.ts'
import { invalidRequest, parseError, rpcError } from './rpc-error.ts'

/** One message of a client, or a batch of messages. Only the MCP revision 2025-03-26 has batches. */
export type Incoming = { ok: true; messages: JsonObject[]; isBatch: boolean } | Refused

export interface Refused {
  readonly ok: false
  readonly code: number
  readonly error: string
  /** The errors for the sender. They have the ids of its requests, as far as the ids can be read. At least one. */
  readonly answers: readonly (JsonObject | JsonObject[])[]
  /** Errors for the server, in place of answers of the client that are refused. */
  readonly replies: readonly JsonObject[]
}

/** Maximum number of messages in a batch. */
export const maxBatch = 100

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const notJson = 'The message is not JSON in UTF-8'

/**
 * Reads one JSON-RPC message or a batch. Refuses texts that the edge and the tool server could read differently. An accepted
 * message is serialized again before it is forwarded, so that the server gets exactly the message that the edge checked.
 */
export function readMessage(bytes: Uint8Array): Incoming {
  let text: string
  let value: JsonValue
  try {
    text = decoder.decode(bytes)
  } catch {
    return refuseText(Buffer.from(bytes).toString('utf8'), notJson, parseError)
  }
  const refuse = (error: string, code?: number) => refuseText(text, error, code)
  // This check also limits the number of keys and values. It runs before parsing, because the time of the later steps grows
  // with that number.
  const ambiguity = nameAmbiguity(text)
  if (ambiguity) return refuse(ambiguity)
  try {
    value = JSON.parse(text)
  } catch {
    return refuse(notJson, parseError)
  }
  const isBatch = Array.isArray(value)
  const messages = isBatch ? (value as JsonValue[]) : [value]
  if (messages.length === 0) return refuse('A batch must have at least one message')
  if (messages.length > maxBatch) return refuse(`A batch may have at most ${maxBatch} messages`)
  for (const message of messages) {
    const fault = faultOf(message)
    if (fault) return refuse(fault)
  }
  const ids = (messages as JsonObject[]).filter(isRequest).map(({ id }) => id)
  if (new Set(ids).size < ids.length) return refuse('Two requests of a batch must not have the same id')
  return { ok: true, messages: messages as JsonObject[], isBatch }
}

function faultOf(message: JsonValue): string | null {
  if (!isObject(message)) return 'The message is not a JSON-RPC 2.0 message'
  const unknown = Object.keys(message).find((key) => !envelopeKeys.has(key))
  if (unknown !== undefined) return `A JSON-RPC message cannot have the field ${JSON.stringify(unknown.slice(0, 100))}`
  const { jsonrpc, method, id } = message
  if (jsonrpc !== '2.0') return 'The message is not a JSON-RPC 2.0 message'
  if (method === undefined ? !('result' in message || 'error' in message) : typeof method !== 'string') {
    return 'The message is not a JSON-RPC 2.0 message'
  }
  if ('result' in message && 'error' in message) return 'An answer must not have both a result and an error'
  if (isRequestAndAnswer(message)) return 'A message must not have fields of both a request and an answer'
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number')
    return 'The id of a message must be a string or a number'
  return null
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * True if a message has fields of both a request and an answer. One parser could read it as a request, another parser as an
 * answer.
 */
export function isRequestAndAnswer(message: JsonObject): boolean {
  return 'method' in message ? 'result' in message || 'error' in message : 'params' in message
}

/** Whether a message is a request. The sender of a request expects an answer. */
export function isRequest({ method, id }: JsonObject): boolean {
  return typeof method === 'string' && id !== undefined
}

/** Returns the id of the request that a message cancels. Undefined if the message is no cancellation. */
export function cancelledId({ method, params }: JsonObject): JsonValue | undefined {
  return method === 'notifications/cancelled' && isObject(params) ? params.requestId : undefined
}

/** Returns a name in the form in which lenient parsers compare names: NFKC, lower case, without spaces at the ends. */
export function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim()
}

/** Refuses a message that is longer than `maxBytes`. */
export function refuseTooLong({ envelopes }: LostText, maxBytes: number): Refused {
  return refuseText(envelopes, tooLong(maxBytes))
}

function tooLong(maxBytes: number): string {
  return `The message is longer than ${maxBytes} bytes. MANDATE_EDGE_MAX_REQUEST_MB of the edge sets this limit`
}

function refuseText(text: string, error: string, code = invalidRequest): Refused {
  const { isBatch, found } = readEnvelopes(text)
  const errorFor = ({ id }: Envelope) => rpcError(idIn(id), code, error)
  const named = found.filter(({ id }) => id !== null)
  const isAnswer = ({ hasMethod, hasOutcome }: Envelope) => !hasMethod && hasOutcome
  // What is neither a request nor an answer is a request with a misspelt method.
  const errors = named.filter((one) => !isAnswer(one)).map(errorFor)
  const replies = named.filter(isAnswer).map(errorFor)
  const answers = errors.length === 0 ? [rpcError(null, code, error)] : isBatch ? [errors] : errors
  return { ok: false, code, error, answers, replies }
}

/** Returns an id that is serialized with the digits of the text that it was read from. */
export function idIn(written: string | null): JsonValue {
  if (written === null) return null
  const value = JSON.parse(written) as JsonValue
  return JSON.stringify(value) === written ? value : (rawJSON(written) as JsonValue)
}
