import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Sql } from '../../../db/database.ts'
import type { EventPosition } from '../../../events/event-row.ts'
import { findPositionAfter } from '../../../events/queries.ts'
import { resumableMs } from '../../../events/slots.ts'
import type { Vault } from '../../../identity/port.ts'
import { openPlace, sealPlace } from '../../../paging/page-tokens.ts'
import { rowOfEvent } from './stream-event.ts'

/** A position up to which a stream has sent everything, and the time of the position in milliseconds since 1970. */
interface SentUpTo extends EventPosition {
  at: number
}

const contextOf = (tenantId: string) => `events of ${tenantId}`

/** Creates an id that is no event, for streams that send few events. It is encrypted, because a snapshot shows how busy the database is. */
export const sealPosition = (vault: Vault, tenantId: string, position: SentUpTo) =>
  sealPlace(vault, contextOf(tenantId), position)

/** Returns the position after a `Last-Event-ID`. Returns undefined if the id is unknown or too old. */
export async function positionAfter(db: Sql, vault: Vault, lastEventId: string): Promise<EventPosition | undefined> {
  const { rowId, isWhole } = rowOfEvent(lastEventId)
  if (isUuid(rowId)) {
    const position = await findPositionAfter(db, rowId)
    if (!position || isWhole) return position
    // The last event of the row is missing, so the row is sent again.
    return { ...position, place: position.place - 1 }
  }
  const sent = openPosition(vault, db.tenantId, rowId)
  return sent && Date.now() - sent.at < resumableMs ? sent : undefined
}

function openPosition(vault: Vault, tenantId: string, id: string): SentUpTo | undefined {
  try {
    return openPlace<SentUpTo>(vault, contextOf(tenantId), id)
  } catch {
    return undefined
  }
}
