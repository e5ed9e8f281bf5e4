import { areSettled, type MessageCheck, onwardOf } from '../mediation/check-messages.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject, isRequest } from '../messages/read-message.ts'
import { invalidRequest, rpcError } from '../messages/rpc-error.ts'
import type { CheckedMessages, Exchange } from './exchange.ts'

/**
 * The messages of a POST while the edge decides which of them may pass. Until `end` is called, a cancellation message cancels
 * the request that it names, and a disconnect cancels all requests.
 */
export interface Deciding {
  readonly checks: readonly MessageCheck[]
  /** The checks of the messages that were sent. */
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
 * Ends the decision phase if no forwarded message was cancelled and every verdict is still valid under the rules in force.
 * Returns whether the phase ended.
 */
export function release({ checks, sent, end }: Deciding, onward: readonly JsonObject[]): boolean {
  const sending = checks.filter((check) => onward.includes(onwardOf(check)))
  sent.clear()
  if (sending.some(({ signal }) => signal.aborted) || !areSettled(checks)) return false
  end()
  for (const check of sending) sent.add(check)
  return true
}

/**
 * Whether the message cancels a call that still waits for its decision. Then the tool server gets neither the call nor the
 * cancellation.
 */
export function callsOff(exchange: Exchange, { method, params }: JsonObject): boolean {
  if (method !== 'notifications/cancelled' || !isObject(params) || params.requestId === undefined) return false
  const controller = exchange.client.deciding.get(keyOf(exchange, params.requestId))
  controller?.abort()
  return controller !== undefined
}

function keyOf({ passage, session }: Exchange, id: JsonValue | undefined): string {
  return JSON.stringify([passage.server, session, id])
}
