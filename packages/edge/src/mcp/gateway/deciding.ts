import { areSettled, type MessageCheck, onwardOf } from '../mediation/check-messages.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { cancelledId, isRequest } from '../messages/read-message.ts'
import { invalidRequest, rpcError } from '../messages/rpc-error.ts'
import type { CheckedMessages, Exchange } from './exchange.ts'

/**
 * The messages of a POST while the edge decides which of them may pass. Until `end` is called, a cancellation message cancels
 * the request that it names, and a disconnect cancels all requests.
 */
export interface Deciding {
  readonly checks: readonly MessageCheck[]
  /** The checks of the messages that the server may have got. */
  readonly sent: Set<MessageCheck>
  end(): void
}

export function startDeciding(exchange: Exchange, messages: readonly JsonObject[]): Deciding {
  const { client, response } = exchange
  const waiting = messages.map((message) => ({ message, controller: new AbortController() }))
  const requests = waiting
    .filter(({ message }) => isRequest(message))
    .map(({ message, controller }) => ({ key: keyOf(exchange, message.id), controller }))
  const abort = () => {
    for (const { controller } of waiting) controller.abort()
  }
  response.once('close', abort)
  for (const { key, controller } of requests) client.deciding.set(key, controller)
  const end = () => {
    response.off('close', abort)
    for (const { key, controller } of requests) {
      if (client.deciding.get(key) === controller) client.deciding.delete(key)
    }
  }
  const checks = waiting.map(({ message, controller: { signal } }) => ({ message, signal, result: null }))
  return { checks, sent: new Set(), end }
}

/** Returns the messages to send to the server, and the answers to the messages that were stopped. */
export function sortOut(checks: readonly MessageCheck[]): Pick<CheckedMessages, 'onward' | 'answers'> {
  const onward: JsonObject[] = []
  const answers: JsonObject[] = []
  for (const check of checks) {
    const { message, signal, result } = check
    if (signal.aborted) {
      if (isRequest(message)) answers.push(rpcError(message.id, invalidRequest, 'Cancelled'))
    } else if (result?.passes) onward.push(onwardOf(check))
    else if (result?.answer) answers.push(result.answer)
  }
  return { onward, answers }
}

/**
 * Returns whether messages may be sent next: if none was cancelled, and every verdict is still valid under the rules in force. Before the first
 * messages are sent, this holds for all messages of the POST. A message that the server has got is not checked again with those after it,
 * because an invalid decision is withdrawn. The first success ends the decision phase.
 */
export function release({ checks, sent, end }: Deciding, sending: readonly JsonObject[]): boolean {
  const next = checks.filter((check) => sending.includes(onwardOf(check)))
  const mayBeSent = !next.some(({ signal }) => signal.aborted) && areSettled(sent.size === 0 ? checks : next)
  for (const check of next) sent[mayBeSent ? 'add' : 'delete'](check)
  if (mayBeSent) end()
  return mayBeSent
}

/**
 * Whether the message cancels a call that still waits for its decision. Then the tool server gets neither the call nor the
 * cancellation.
 */
export function callsOff(exchange: Exchange, message: JsonObject): boolean {
  const id = cancelledId(message)
  if (id === undefined) return false
  const controller = exchange.client.deciding.get(keyOf(exchange, id))
  controller?.abort()
  return controller !== undefined
}

function keyOf({ passage, session }: Exchange, id: JsonValue | undefined): string {
  return JSON.stringify([passage.server, session, id])
}
