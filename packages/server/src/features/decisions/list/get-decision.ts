import type { Decision } from '@mandate/contract/decisions'
import { isInTimeRange } from '@mandate/contract/fields/time-range'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import type { Sql, Tx } from '../../../db/database.ts'
import { timeOfId } from '../../../db/ids/new-id.ts'
import { planForValues } from '../../../db/plan-once.ts'
import { notFound } from '../../../refusal.ts'
import { isTimed } from '../records/filed-record.ts'
import { findKept } from '../records/kept-arguments.ts'
import { type DecisionKey, findDecision, findFiledAt, nameDecisions, readRecords } from './decision-queries.ts'

/**
 * Returns a decision that the caller sees. The id of a result record returns the decision that it belongs to.
 * @throws 404, also for a decision that has expired
 */
export function getDecision(ctx: Ctx<Member>, id: string): Promise<Decision> {
  return withDecision(ctx, id, async (db, { decisionId }, decision) => {
    const kept = await findKept(db, decisionId)
    return { ...decision, kept_arguments: kept?.readings[0] ?? null }
  })
}

/**
 * Finds a decision that the caller sees, and runs `work` in the same transaction.
 * @throws 404
 */
export function withDecision<T>(
  ctx: Ctx<Member>,
  id: string,
  work: (tx: Tx, key: DecisionKey, decision: Decision) => Promise<T>,
): Promise<T> {
  return ctx.services.db.transaction(ctx.actor.tenantId, async (tx) => {
    const [, named] = await Promise.all([planForValues(tx), find(tx, ctx, id)])
    const first = named?.resultOf ? await find(tx, ctx, named.resultOf) : named
    if (!first) throw notFound('decision')
    const [decision] = await nameDecisions(tx, ctx.actor, await readRecords(tx, [first]))
    if (!decision) throw notFound('decision')
    return await work(tx, first, decision)
  })
}

async function find(db: Sql, { actor, now }: Ctx<Member>, id: string): Promise<DecisionKey | undefined> {
  const filedAt = await filedAtOf(db, id)
  return filedAt === undefined ? undefined : await findDecision(db, actor, { id, filedAt, now })
}

/** An id may have a time up to the year 10889. No decision is filed by a time that is out of range. */
async function filedAtOf(db: Sql, id: string): Promise<string | undefined> {
  if (!isTimed(id)) return await findFiledAt(db, id)
  const ms = timeOfId(id)
  return isInTimeRange(ms) ? new Date(ms).toISOString() : undefined
}
