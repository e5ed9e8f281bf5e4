import type { Member } from '../../../authz/actor.ts'
import { hasAuthority, seesWholeTenant } from '../../../authz/can.ts'
import { sightOf } from '../../../authz/sight.ts'
import type { Sql } from '../../../db/database.ts'
import type { EventRow } from '../../../events/event-row.ts'
import { findFreezeReaders } from '../../freezes/confirmations/freeze-readers.ts'
import { isAboutFreeze, type StreamEvent } from '../stream/stream-event.ts'
import { findVisible } from './queries.ts'

/** Says whether an actor may receive an event of a row. */
export type Sees = (actor: Member, row: EventRow, event: Pick<StreamEvent, 'readers'>) => boolean

/** Reads who sees which of the rows now: one statement for each kind of limited sight among the actors, and one for freezes. */
export async function seeEvents(db: Sql, actors: Iterable<Member>, rows: readonly EventRow[]): Promise<Sees> {
  const limited = rows.length === 0 ? [] : [...actors].filter((actor) => !seesWholeTenant(actor))
  const bySight = [...Map.groupBy(limited, sightOf).values()]
  const ids = rows.map(({ id }) => id)
  const freezeIds = [...new Set(rows.filter(isAboutFreeze).map(({ resourceId }) => resourceId))]
  const [found, reads] = await Promise.all([
    Promise.all(bySight.map((same) => findVisible(db, same, ids))),
    findFreezeReaders(db, limited, freezeIds),
  ])
  const visible = new Map(found.flatMap((each) => [...each]))
  return (actor, row, { readers }) => {
    if (seesWholeTenant(actor)) return readers === 'row' ? isForWholeTenant(actor, row) : readers !== 'many agents'
    return readers === 'row' ? (visible.get(actor)?.has(row.id) ?? false) : reads(actor, row.resourceId, readers)
  }
}

/** Entries about people and the organization are for managers, as in the audit trail. */
function isForWholeTenant(actor: Member, { audience }: EventRow): boolean {
  return (audience !== 'people' && audience !== 'organization') || hasAuthority(actor, 'manager')
}
