import type { JsonObject } from '../messages/json.ts'
import { type Judgement, judgeMessage, type Passage } from './judge-message.ts'

/** A message on its way to the tool server, and what becomes of it: null until it is judged. */
export interface Judging {
  readonly message: JsonObject
  readonly signal: AbortSignal
  judgement: Judgement | null
}

/**
 * Whether each message is judged, by what is in force at this moment. To be asked right before they go on: in a batch, the
 * rules may become others while a later message waits for its decision.
 */
export function areSettled(judgings: readonly Judging[]): boolean {
  return !judgings.some(isOpen)
}

/** Judges until each message is settled, one after the other. */
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
