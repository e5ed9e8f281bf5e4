import { nameAmbiguity, serverLimits } from '../json/name-ambiguity.ts'
import { closingOf } from './closed-answer.ts'
import type { Judged } from './exchange.ts'
import { Handshakes } from './handshakes.ts'
import type { Passage } from './judge-message.ts'
import { type OnOffer, passServerText, readServerText, type ServerText } from './pass-server-text.ts'
import { isObject } from './read-message.ts'

/** An answer that is not sent on: two readers could take it for two things, or it has too much structure. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
}

/**
 * Prepares the whole body of a server's answer, as `passServerText` does. A body that holds no messages, such as the page of
 * a proxy, passes as it is while the edge is open.
 * @throws AnswerRefused
 */
export function passServerBody(text: string, passage: Passage, judged: Judged | null, onOffer: OnOffer): ServerText {
  const fault = nameAmbiguity(text, serverLimits)
  if (fault !== null) throw new AnswerRefused(fault)
  const value = readServerText(text)
  const isMessages = (Array.isArray(value) ? value : [value]).some((one) => isObject(one) && 'jsonrpc' in one)
  if (!isMessages) {
    const isOpen = closingOf(passage.guard) === null
    const messages = isOpen && Array.isArray(value) ? value.filter(isObject) : []
    return { text: isOpen ? text : null, messages, replies: [] }
  }
  const handshakes = new Handshakes()
  handshakes.note(judged?.onward ?? [])
  const passed = passServerText(text, passage, onOffer, (answer) => handshakes.take(answer))
  return passed ?? { text: null, messages: [], replies: [] }
}
