import type { Database } from '../../../db/database.ts'
import { listenToDecisions } from '../../../events/queries.ts'

// Longer than a client may be away and continue.
const listenMs = 20 * 60_000

/** From now on, stored decisions of the tenant become events, also for a while after its last stream. Call it again before that ends. */
export function keepListening(db: Database, tenantId: string): Promise<void> {
  const until = new Date(Date.now() + listenMs).toISOString()
  return db.transaction(tenantId, (tx) => listenToDecisions(tx, until))
}
