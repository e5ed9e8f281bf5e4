import type { JsonObject } from '../messages/json.ts'
import { type Judgement, judgeMessage, type Passage } from './judge-message.ts'

/** A message from the client, and its decision. The decision is null until it is made. */
export interface Judging {
  readonly message: JsonObject
  readonly signal: AbortSignal
  judgement: Judgement | null
}

/**
 * True if every message has a decision that is still valid under the rules in force. Check this right before the messages are
 * forwarded, because the rules may change while a later message of a batch waits for its decision.
 */
export function areSettled(judgings: readonly Judging[]): boolean {
  return !judgings.some(isOpen)
}

/**
 * Decides for each message in order whether it may pass. Repeats this for messages whose decision is no longer valid, until all
 * decisions are valid at the same time.
 */
export async function settle(passage: Passage, judgings: readonly Judging[]): Promise<void> {
  while (!areSettled(judgings)) {
    for (const judging of judgings.filter(isOpen)) {
      judging.judgement = await judgeMessage(passage, judging.message, judging.signal)
    }
  }
}

function isOpen({ judgement }: Judging): boolean {
  return judgement === null || (judgement.passes && !judgement.holds())
}
