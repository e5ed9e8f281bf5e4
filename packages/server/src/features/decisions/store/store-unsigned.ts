import type { DecisionRecord } from '@mandate/contract/edge'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { GroupedOperation } from '../../../concurrency/tenant-groups.ts'
import type { Database } from '../../../db/database.ts'
import { invalid, notFound, Refusal } from '../../../refusal.ts'
import { servedBy } from '../../edge/reach/served.ts'
import { aheadFault, edgeOf, type FiledRecord, filedAt, isExpired } from '../records/filed-record.ts'
import { type SentArguments, sentFor } from './kept-arguments.ts'
import { storeDecisions } from './store-decisions.ts'
import { findRetention, findServedOfEach } from './store-queries.ts'

export interface UnsignedAnswer {
  accepted: number
  duplicates: number
}

interface UnsignedBatch {
  ctx: Ctx<EdgeActor>
  records: readonly DecisionRecord[]
  sent: SentArguments
}

// A batch with more decisions is stored alone. It would delay the other batches of a group more than the group saves.
const mostGrouped = 100
// Limits of a group. They keep its transaction short, because the next batches wait for it.
const mostBatches = 100
const mostRecords = 500

const storing: GroupedOperation<UnsignedBatch, UnsignedAnswer | Refusal> = {
  choose: chooseBatches,
  run: storeBatches,
}

/**
 * Stores a batch of unsigned decisions, together with other small batches of the tenant that arrive while a transaction is in flight.
 * @throws 404 if the credential is not valid for every agent, and 400 for a decision that is more than a day ahead; then nothing of the
 *   batch is stored
 */
export async function storeUnsigned(
  ctx: Ctx<EdgeActor>,
  records: readonly DecisionRecord[],
  sent: SentArguments,
): Promise<UnsignedAnswer> {
  const { db, groups } = ctx.services
  const batch = { ctx, records, sent }
  const answer =
    records.length <= mostGrouped
      ? await groups.run(storing, ctx.actor.tenantId, batch)
      : (await storeBatches(db, ctx.actor.tenantId, [batch]))[0]
  if (answer === undefined || answer instanceof Refusal) throw answer
  return answer
}

function chooseBatches(waiting: readonly UnsignedBatch[]): UnsignedBatch[] {
  let records = 0
  const end = waiting.findIndex((batch) => {
    records += batch.records.length
    return records > mostRecords
  })
  return waiting.slice(0, Math.min(mostBatches, end < 0 ? waiting.length : Math.max(1, end)))
}

/** A batch that is refused does not affect the others. */
async function storeBatches(
  db: Database,
  tenantId: string,
  batches: readonly UnsignedBatch[],
): Promise<(UnsignedAnswer | Refusal)[]> {
  const [first] = batches
  if (!first) return []
  const { decisionMemory: memory, decisionFeed, metrics } = first.ctx.services
  return await memory.places.use(tenantId, async (place) => {
    const [answers, calls, remember] = await db.transaction(tenantId, async (tx) => {
      const wanted = batches.map(({ ctx, records }) => ({ reach: servedBy(ctx.actor), agentIds: agentsOf(records) }))
      const [served, retention] = await Promise.all([findServedOfEach(tx, wanted), findRetention(tx)])
      const filed = batches.map((batch, index) => fileBatch(batch, served[index] ?? new Map(), retention.days))
      const kept = filed.flatMap((one) => (one instanceof Refusal ? [] : one))
      const now = batches.reduce((latest, { ctx }) => (ctx.now > latest ? ctx.now : latest), first.ctx.now)
      const { accepted, calls, remember } = await storeDecisions(tx, kept, { memory, metrics, retention, place, now })
      return [answersOf(filed, accepted), calls, remember] as const
    })
    remember()
    decisionFeed.add(tenantId, calls)
    return answers
  })
}

const agentsOf = (records: readonly DecisionRecord[]) => [...new Set(records.map(({ agent_id }) => agent_id))]

/** Returns the decisions of a batch that are to be stored. Leaves out expired ones. Returns a refusal if the whole batch is refused. */
function fileBatch(
  { ctx: { actor, now }, records, sent }: UnsignedBatch,
  served: ReadonlyMap<string, string | null>,
  retentionDays: number,
): FiledRecord[] | Refusal {
  if (records.some(({ agent_id }) => !served.has(agent_id))) return notFound('agent')
  for (const [index, record] of records.entries()) {
    const fault = aheadFault(record, now)
    if (fault) return invalid(`decisions[${index}].${fault.field} ${fault.text}`)
  }
  return records
    .map((record) => {
      const environmentId = served.get(record.agent_id) ?? null
      const kept = sentFor(record, sent)
      return { record, filedAt: filedAt(record, now), environmentId, edgeId: edgeOf(actor), link: null, kept }
    })
    .filter((one) => !isExpired(one.record, one.filedAt, now, retentionDays))
}

/** A decision that is in several batches counts as accepted in the first of them. */
function answersOf(
  filed: readonly (FiledRecord[] | Refusal)[],
  accepted: ReadonlySet<string>,
): (UnsignedAnswer | Refusal)[] {
  const left = new Set(accepted)
  return filed.map((batch) => {
    if (batch instanceof Refusal) return batch
    const own = batch.filter(({ record }) => left.delete(record.decision_id)).length
    return { accepted: own, duplicates: batch.length - own }
  })
}
