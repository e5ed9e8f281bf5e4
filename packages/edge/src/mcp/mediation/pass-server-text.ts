import { nameAmbiguity, serverLimits } from '../../json/name-ambiguity.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import type { Passage } from './check-message.ts'
import { checkServerMessage, type HandshakeOf } from './check-server-message.ts'
import type { OfferedTool } from './filter-tools.ts'

/** The allowed part of a text that a tool server sent. */
export interface ServerText {
  /** The text to forward. Null if nothing may pass. */
  readonly text: string | null
  /** The messages in the forwarded text. */
  readonly messages: readonly JsonObject[]
  /** Errors to send back to the server, for its requests that do not reach the client. */
  readonly replies: readonly JsonObject[]
}

/** Called with all tools in a list that the server sent. */
export type OnOffer = (tools: readonly OfferedTool[]) => void

const noHandshake: HandshakeOf = () => undefined

/**
 * Filters a text that a tool server sent to the agent. Removes list entries that the agent may not see, and messages that may
 * not pass. If nothing is removed, the text stays unchanged. Returns null if the text is not JSON, is ambiguous, is nested too
 * deeply, or has too many keys or values.
 */
export function passServerText(
  text: string,
  passage: Passage,
  onOffer: OnOffer,
  handshakeOf: HandshakeOf = noHandshake,
): ServerText | null {
  const value = readServerText(text)
  if (value === undefined) return null
  const isBatch = Array.isArray(value)
  const checked = (isBatch ? value : [value]).map((message) => checkServerMessage(passage, message, handshakeOf))
  for (const { offered } of checked) if (offered.length > 0) onOffer(offered)
  const messages = checked.flatMap(({ message }) => (message ? [message] : []))
  const replies = checked.flatMap(({ reply }) => (reply ? [reply] : []))
  if (messages.length === 0) return { text: null, messages, replies }
  if (!checked.some(({ differs }) => differs)) return { text, messages, replies }
  return { text: JSON.stringify(isBatch ? messages : messages[0]), messages, replies }
}

/** Parses the JSON of a server. Returns undefined if it is malformed, ambiguous or too large. */
export function readServerText(text: string): JsonValue | undefined {
  if (nameAmbiguity(text, serverLimits) !== null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const listChanged: JsonObject = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
