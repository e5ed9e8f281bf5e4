import { DecisionRecord } from '@mandate/contract/edge'
import { uuid } from '@mandate/contract/fields'
import { z } from 'zod'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { readValue } from '../../http/read-input.ts'
import { invalid, notFound } from '../../refusal.ts'
import { requireServed, servedBy } from '../edge/served.ts'
import { aheadFault, edgeOf, type FiledRecord, filedAt, isExpired } from './filed-record.ts'
import { recordSignedDecisions, type SignedAnswer } from './record-signed-decisions.ts'
import { storeDecisions } from './store-decisions.ts'
import { findRetention, findServedAgents } from './store-queries.ts'

export interface DecisionBatch {
  decisions: Record<string, unknown>[]
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
  { decisions, kid, signature }: DecisionBatch,
): Promise<{ accepted: number; duplicates: number } | SignedAnswer> {
  if (kid === undefined) return await recordUnsigned(ctx, await readRecords(ctx, decisions))
  if (signature === undefined) throw invalid('signature is required with kid')
  return await recordSignedDecisions(ctx, decisions, kid, signature)
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

async function recordUnsigned(ctx: Ctx<EdgeActor>, records: readonly DecisionRecord[]) {
  const { places } = ctx.services.decisionMemory
  return await places.use(ctx.actor.tenantId, (place) => storeUnsigned(ctx, records, place))
}

async function storeUnsigned(ctx: Ctx<EdgeActor>, records: readonly DecisionRecord[], place: number) {
  const memory = ctx.services.decisionMemory
  const [answer, remember] = await ctx.inTenant(async (tx) => {
    const ids = new Set(records.map(({ agent_id }) => agent_id))
    const [served, retention] = await Promise.all([
      findServedAgents(tx, servedBy(ctx.actor), [...ids]),
      findRetention(tx),
    ])
    if (served.size < ids.size) throw notFound('agent')
    refuseAhead(records, ctx.now)
    const filed = records.map((record) => fileUnsigned(record, served, ctx))
    const kept = filed.filter((one) => !isExpired(one.record, one.filedAt, ctx.now, retention.days))
    const { accepted, remember } = await storeDecisions(tx, kept, { memory, retention, place, now: ctx.now })
    return [{ accepted: accepted.size, duplicates: kept.length - accepted.size }, remember] as const
  })
  remember()
  return answer
}

function fileUnsigned(
  record: DecisionRecord,
  served: ReadonlyMap<string, string | null>,
  { actor, now }: Ctx<EdgeActor>,
): FiledRecord {
  const environmentId = served.get(record.agent_id) ?? null
  return { record, filedAt: filedAt(record, now), environmentId, edgeId: edgeOf(actor), link: null }
}

function refuseAhead(records: readonly DecisionRecord[], now: string): void {
  for (const [index, record] of records.entries()) {
    const fault = aheadFault(record, now)
    if (fault) throw invalid(`decisions[${index}].${fault.field} ${fault.text}`)
  }
}
