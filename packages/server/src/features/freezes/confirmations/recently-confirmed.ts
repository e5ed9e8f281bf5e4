import type { Member } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { findRecentlyConfirmed } from './stream-queries.ts'

// A stream sends the progress of a freeze up to a second after the events that came later. So a client that lost its connection may have
// missed it, although it has these events. This is longer than a client may be away.
const recentMs = 15 * 60_000

/** Returns the open freezes whose progress a client may have missed. */
export function recentlyConfirmed(sql: Sql, actor: Member): Promise<string[]> {
  return findRecentlyConfirmed(sql, actor, new Date(Date.now() - recentMs).toISOString())
}
