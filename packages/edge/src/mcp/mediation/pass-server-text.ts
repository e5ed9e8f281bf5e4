import { nameAmbiguity, serverLimits } from '../../json/name-ambiguity.ts'
import { type Envelope, type Envelopes, readEnvelopes } from '../../json/read-envelopes.ts'
import { LongNumbers, noNumbers, type WrittenNumbers, writeJson } from '../../json/written-numbers.ts'
import { closingOf } from '../messages/closed-answer.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { logDropped } from '../messages/log.ts'
import type { LostText } from '../messages/lost-text.ts'
import { isObject, maxBatch } from '../messages/read-message.ts'
import type { Passage } from './check-message.ts'
import { answerLost, checkServerMessage, envelopeOf, type HandshakeOf } from './check-server-message.ts'
import type { OfferedTool } from './filter-tools.ts'
import type { OpenCalls } from './open-calls.ts'

/** The allowed part of a text that a tool server sent. */
export interface ServerText {
  /** The text to forward. Null if nothing may pass. */
  readonly text: string | null
  /** The messages in the forwarded text. */
  readonly messages: readonly JsonObject[]
  /** Errors to send back to the server, for its requests that do not reach the client. */
  readonly replies: readonly JsonObject[]
  /** The numbers of the text above 2^53, as the server wrote them. */
  readonly numbers: WrittenNumbers
  /** Whether the edge was closed. Then the messages have only what a closed edge lets pass. */
  readonly wasClosed: boolean
  /** Whether errors stand in the place of all answers, because none of them may pass. */
  readonly isLost?: boolean
}

/** Called with all tools in a list that the server sent. */
export type OnOffer = (tools: readonly OfferedTool[]) => void

const noHandshake: HandshakeOf = () => undefined

/**
 * Filters a text that a tool server sent to the agent. Removes list entries that the agent may not see, and messages that may
 * not pass. If nothing is removed, the text stays unchanged. A text that is not JSON, is ambiguous, is nested too deeply, or has too
 * many keys or values does not pass, nor does a text that is too long or a batch of more than 100 messages: the requests that it answers get an error. Returns null if no id can
 * be read in such a text.
 * @param calls the open requests, to find the one that an answer means
 */
export function passServerText(
  text: string | LostText,
  passage: Passage,
  onOffer: OnOffer,
  handshakeOf: HandshakeOf = noHandshake,
  calls?: OpenCalls,
): ServerText | null {
  if (typeof text !== 'string') return passLost(lostText(text), passage, handshakeOf, calls)
  const read = readServerText(text)
  if (read === null) {
    const why = nameAmbiguity(text, serverLimits) ?? 'it is not valid JSON'
    return passLost(lostText({ envelopes: text, why }), passage, handshakeOf, calls)
  }
  const { value, numbers } = read
  const isBatch = Array.isArray(value)
  if (isBatch && value.length > maxBatch) return passLost(longBatch(value, calls), passage, handshakeOf, calls)
  const wasClosed = closingOf(passage.guard) !== null
  const sent = isBatch ? value : [value]
  const matched = calls ? sent.map((message) => calls.withOpenId(message)) : sent
  const checked = matched.map((message) => checkServerMessage(passage, message, handshakeOf))
  for (const { offered } of checked) if (offered.length > 0) onOffer(offered)
  const messages = checked.flatMap(({ message, lost }) => present(message ?? lost))
  const replies = checked.flatMap(({ reply }) => (reply ? [reply] : []))
  if (messages.length === 0) return { text: null, messages, replies, numbers, wasClosed }
  const isLost = checked.every(({ lost }) => lost)
  if (!checked.some(({ differs }, index) => differs || matched[index] !== sent[index]))
    return { text, messages, replies, numbers, wasClosed }
  return { text: writeJson(isBatch ? messages : messages[0], numbers), messages, replies, numbers, wasClosed, isLost }
}

function present(message: JsonObject | null | undefined): JsonObject[] {
  return message ? [message] : []
}

/**
 * The beginning of an object or of a batch, behind what damages it: control characters, colours of a terminal, commas. A line of a log may quote a
 * message further behind, and may begin with a bracket.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const damagedMessage = /^(?:[\s\0-\x1f\x7f\ufffd,]|\x1b\[[\d;]*m)*(?:\{|\[\s*(?:[[{"]|null\b|true\b|false\b))/
const noEnvelopes: Envelopes = { isBatch: false, found: [] }

interface Lost {
  readonly why: string
  readonly found: Envelopes
}

/** Finds what must be answered in a batch with too many messages: the answers to open requests, and the first requests of the server. */
function longBatch(batch: readonly JsonValue[], calls: OpenCalls | undefined): Lost {
  const byId = new Map<string, Envelope>()
  let requests = 0
  for (const message of batch) {
    const matched = calls ? calls.withOpenId(message) : message
    if (!isObject(matched)) continue
    const envelope = envelopeOf(matched)
    if (envelope.id === null) continue
    const isAnswered = envelope.hasMethod ? ++requests <= maxBatch : calls?.has(matched.id ?? null) !== false
    if (isAnswered) byId.set(`${envelope.hasMethod} ${envelope.id}`, envelope)
  }
  return { why: `it is a batch of more than ${maxBatch} messages`, found: { isBatch: true, found: [...byId.values()] } }
}

function lostText({ envelopes, why }: Pick<LostText, 'envelopes' | 'why'>): Lost {
  return { why, found: damagedMessage.test(envelopes) ? readEnvelopes(envelopes) : noEnvelopes }
}

/** Logs and drops a text, and builds errors for the requests that wait for it on both sides. */
function passLost(
  { why, found: { isBatch, found } }: Lost,
  passage: Passage,
  handshakeOf: HandshakeOf,
  calls: OpenCalls | undefined,
): ServerText | null {
  logDropped(passage, 'server', why)
  const lost = found.map((envelope) => answerLost(passage, envelope, why, handshakeOf))
  const messages = lost.flatMap(({ lost: error }) => present(error && calls ? calls.withOpenId(error) : error))
  const replies = lost.flatMap(({ reply }) => (reply ? [reply] : []))
  if (messages.length + replies.length === 0) return null
  const [first, ...others] = messages
  const onward = isBatch || others.length > 0 ? messages : first
  const wasClosed = closingOf(passage.guard) !== null
  return { text: first ? JSON.stringify(onward) : null, messages, replies, numbers: noNumbers, wasClosed, isLost: true }
}

/** Parses the JSON of a server. Returns null if it is malformed, ambiguous or too large. */
export function readServerText(text: string): { value: JsonValue; numbers: WrittenNumbers } | null {
  const numbers = new LongNumbers()
  if (nameAmbiguity(text, serverLimits, (digits) => numbers.note(digits)) !== null) return null
  try {
    return { value: JSON.parse(text), numbers: numbers.written }
  } catch {
    return null
  }
}
