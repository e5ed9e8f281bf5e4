import type { Sql, Tx } from '../../../db/database.ts'
import { notFound, type Refusal } from '../../../refusal.ts'
import { countSeatHolders, findSeatLimitLocked } from '../queries.ts'

/** Counts the seats in use: the tenant's users except learners, including pending invitations. */
export async function countSeats(db: Sql): Promise<number> {
  return (await countSeatHolders(db)).count
}

/**
 * Throws `refusal` if all seats of the plan are in use. Locks the tenant until the transaction ends, so that concurrent requests
 * cannot take the same seat. It must be called before any user is locked.
 * @throws 404 if the tenant was deleted
 */
export async function requireFreeSeat(tx: Tx, refusal: () => Refusal): Promise<void> {
  // The lock and the count are separate statements. A single statement would wait for the lock and then count the rows that
  // existed before it waited.
  const limit = await findSeatLimitLocked(tx)
  if (!limit) throw notFound('tenant')
  if (limit.max_users !== null && (await countSeats(tx)) >= limit.max_users) throw refusal()
}
