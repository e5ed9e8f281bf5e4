import type { Sql, Tx } from '../../db/database.ts'
import { notFound, type Refusal } from '../../refusal.ts'
import { countSeatHolders, findSeatLimitLocked } from './queries.ts'

/** Seats in use: the tenant's users who are not learners, pending invitations included. */
export async function countSeats(db: Sql): Promise<number> {
  return (await countSeatHolders(db)).count
}

/**
 * Refuses with `refusal` when every seat of the plan is in use. Locks the tenant until the transaction ends, so that
 * whatever takes a seat in it cannot be overtaken: call it, or `lockTenant`, before locking any user.
 * @throws 404 when the tenant is gone
 */
export async function requireFreeSeat(tx: Tx, refusal: () => Refusal): Promise<void> {
  // Counted by a statement of its own: one that waited for the lock would count what it saw before waiting.
  const limit = await findSeatLimitLocked(tx)
  if (!limit) throw notFound('tenant')
  if (limit.max_users !== null && (await countSeats(tx)) >= limit.max_users) throw refusal()
}
