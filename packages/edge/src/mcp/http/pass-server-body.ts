import { nameAmbiguity, serverLimits } from '../../json/name-ambiguity.ts'
import { noNumbers } from '../../json/written-numbers.ts'
import type { CheckedMessages } from '../gateway/exchange.ts'
import type { Passage } from '../mediation/check-message.ts'
import type { OpenCalls } from '../mediation/open-calls.ts'
import { type OnOffer, passServerText, readServerText, type ServerText } from '../mediation/pass-server-text.ts'
import { closingOf } from '../messages/closed-answer.ts'
import { Handshakes } from '../messages/handshakes.ts'
import type { JsonValue } from '../messages/json.ts'
import { fold, isObject } from '../messages/read-message.ts'

/**
 * Thrown if an answer is not forwarded because it is malformed, ambiguous, nested too deeply, or has too many keys or values.
 */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Filters a complete response body of a server, as `passServerText` does. A body without messages, such as the error page of a
 * proxy, is returned unchanged unless the edge is closed (denies every call of the agent): `inspectBody` inspects it. A body with a JSON content type must be
 * JSON in UTF-8 without a byte order mark. Some clients also accept a byte order mark or UTF-16, and would find messages there
 * that the edge did not inspect.
 * @throws AnswerRefused
 */
export function passServerBody(
  bytes: Buffer,
  kind: 'json' | 'other',
  passage: Passage,
  { checked, calls }: { checked: CheckedMessages | null; calls?: OpenCalls },
  onOffer: OnOffer,
): ServerText {
  const text = kind === 'json' ? utf8Of(bytes) : bytes.toString('utf8')
  const fault = nameAmbiguity(text, serverLimits)
  if (fault !== null) throw new AnswerRefused(fault)
  const value = readServerText(text.replace(/^\uFEFF/, ''))?.value
  if (value === undefined && kind === 'json' && text.trim() !== '') throw new AnswerRefused('It is not JSON')
  const isMessages = (Array.isArray(value) ? value : [value]).some(isLikeMessage)
  const wasClosed = closingOf(passage.guard) !== null
  const nothing = { text: null, messages: [], replies: [], numbers: noNumbers, wasClosed }
  if (!isMessages) return { ...nothing, text: wasClosed ? null : text }
  const handshakes = new Handshakes()
  handshakes.note(checked?.onward ?? [])
  const passed = passServerText(text, passage, onOffer, (answer) => handshakes.take(answer), calls)
  return passed ?? nothing
}

function utf8Of(bytes: Buffer): string {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new AnswerRefused('It is not in UTF-8')
  }
  if (text.startsWith('\uFEFF')) throw new AnswerRefused('It begins with a byte order mark')
  return text
}

const longestVariant = 50

// Some clients ignore the case of keys, and some read `result` without looking at `jsonrpc`. So an object with one of these keys in any case is
// checked as a message, and dropped if it is not a valid message.
function isLikeMessage(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, field]) => {
    const name = key.length <= longestVariant ? fold(key) : ''
    return name === 'jsonrpc' || (name === 'result' && typeof field === 'object' && field !== null)
  })
}
