import type { JsonObject } from '../messages/json.ts'
import { type CheckResult, checkMessage, type Passage } from './check-message.ts'

/** A message from the client, and the result of its check. The result is null until the message is checked. */
export interface MessageCheck {
  readonly message: JsonObject
  readonly signal: AbortSignal
  result: CheckResult | null
}

/** Returns the message to forward: with redacted arguments, if content rules redacted some. */
export function onwardOf({ message, result }: Pick<MessageCheck, 'message' | 'result'>): JsonObject {
  return (result?.passes && result.message) || message
}

/**
 * True if every message has a decision that is still valid under the rules in force. Check this right before the messages are
 * forwarded, because the rules may change while a later message of a batch waits for its decision.
 */
export function areSettled(checks: readonly MessageCheck[]): boolean {
  return !checks.some(isOpen)
}

/**
 * Decides for each message in order whether it may pass. Repeats this for messages whose decision is no longer valid, until all
 * decisions are valid at the same time.
 */
export async function settle(passage: Passage, checks: readonly MessageCheck[]): Promise<void> {
  while (!areSettled(checks)) {
    for (const check of checks.filter(isOpen)) {
      check.result = await checkMessage(passage, check.message, check.signal)
    }
  }
}

function isOpen({ result }: MessageCheck): boolean {
  return result === null || (result.passes && !result.holds())
}
