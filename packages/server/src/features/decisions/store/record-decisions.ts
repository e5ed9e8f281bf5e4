import { DecisionRecord } from '@mandate/contract/edge'
import { uuid } from '@mandate/contract/fields/fields'
import { z } from 'zod'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { readValue } from '../../../http/input/read-input.ts'
import { invalid } from '../../../refusal.ts'
import { requireServed } from '../../edge/reach/served.ts'
import { readSentArguments } from './kept-arguments.ts'
import { recordSignedDecisions, type SignedAnswer } from './record-signed-decisions.ts'
import { storeUnsigned, type UnsignedAnswer } from './store-unsigned.ts'

export interface DecisionBatch {
  decisions: Record<string, unknown>[]
  kept_arguments?: Record<string, unknown>[] | undefined
  kid?: string | undefined
  signature?: string | undefined
}

const Records = z.object({ decisions: z.array(DecisionRecord).max(1000) })

/**
 * Stores a batch of decisions and counts them. Decisions that are stored already change nothing.
 * @throws 400 for a bad signature or an unknown key. Without `kid` also 400 for a malformed decision or one that is more than a day
 *   ahead, and before that 404 if the credential is not valid for every agent; then nothing is stored
 */
export async function recordDecisions(
  ctx: Ctx<EdgeActor>,
  { decisions, kept_arguments, kid, signature }: DecisionBatch,
): Promise<UnsignedAnswer | SignedAnswer> {
  if (kid !== undefined && signature === undefined) throw invalid('signature is required with kid')
  const sent = readSentArguments(kept_arguments)
  if (kid === undefined || signature === undefined) {
    return await storeUnsigned(ctx, await readRecords(ctx, decisions), sent)
  }
  return await recordSignedDecisions(ctx, { sent: decisions, sentArguments: sent, kid, signature })
}

/** A caller whose credential is not valid for a named agent gets the 404 also if a decision is malformed. */
async function readRecords(ctx: Ctx<EdgeActor>, decisions: DecisionBatch['decisions']): Promise<DecisionRecord[]> {
  try {
    return readValue(Records, { decisions }, 'body').decisions
  } catch (refusal) {
    const named = decisions.map(({ agent_id }) => uuid.safeParse(agent_id))
    await requireServed(
      ctx.sql,
      ctx.actor,
      named.flatMap(({ data }) => data ?? []),
    )
    throw refusal
  }
}
