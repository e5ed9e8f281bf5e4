import { areSettled, type Judging } from '../mediation/judge-messages.ts'
import type { JsonObject, JsonValue } from '../messages/json.ts'
import { isObject, isRequest } from '../messages/read-message.ts'
import { invalidRequest, rpcError } from '../messages/rpc-error.ts'
import type { Exchange, Judged } from './exchange.ts'

/**
 * The messages of a POST while the edge decides which of them may pass. Until `end` is called, a cancellation message cancels
 * the request that it names, and a disconnect cancels all requests.
 */
export interface Deciding {
  readonly judgings: readonly Judging[]
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
  const judgings = waiting.map(({ message, controller: { signal } }) => ({ message, signal, judgement: null }))
  return { judgings, end }
}

/** Returns the messages to send to the server, and the answers to the messages that were stopped. */
export function sortOut(judgings: readonly Judging[]): Pick<Judged, 'onward' | 'answers'> {
  const onward: JsonObject[] = []
  const answers: JsonObject[] = []
  for (const { message, signal, judgement } of judgings) {
    if (signal.aborted) {
      if (isRequest(message)) answers.push(rpcError(message.id, invalidRequest, 'Cancelled'))
    } else if (judgement?.passes) onward.push(message)
    else if (judgement?.answer) answers.push(judgement.answer)
  }
  return { onward, answers }
}

/**
 * Ends the decision phase if no forwarded message was cancelled and every verdict is still valid under the rules in force.
 * Returns whether the phase ended.
 */
export function release({ judgings, end }: Deciding, onward: readonly JsonObject[]): boolean {
  const isCalledOff = judgings.some(({ message, signal }) => signal.aborted && onward.includes(message))
  if (isCalledOff || !areSettled(judgings)) return false
  end()
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
