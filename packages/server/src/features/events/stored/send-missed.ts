import { storedConfirmations } from '../../../events/confirmation-events.ts'
import type { EventHub } from '../../../events/event-hub.ts'
import type { EventPosition, EventRow } from '../../../events/event-row.ts'
import type { Services } from '../../../services.ts'
import type { EventStream } from '../stream/event-stream.ts'
import { eventsOf, eventText } from '../stream/stream-event.ts'
import { seeEvents } from './see-events.ts'
import { decisionReader } from './send-decisions.ts'

/** A client that missed more rows than this must read everything again. That is faster than so many events. */
export const mostMissedRows = 10_000

interface Missed {
  tenantId: string
  lastEventId: string
  since: EventPosition
  /** The snapshot from which the stream gets all events by itself. */
  until: string
  /** Called for each row that names confirmations of freezes. */
  onConfirmations: (row: EventRow) => void
}

/** Sends the events that a client missed. Returns false, and sends nothing, if there are too many. */
export async function sendMissed(services: Services, stream: EventStream, missed: Missed): Promise<boolean> {
  const count = await countMissed(services, stream, missed)
  if (count === undefined) return false
  const { lastEventId } = missed
  // The id stays the last one, because a client that loses this connection still misses the events after it.
  await stream.sendMissed(eventText('resumed', lastEventId, { id: lastEventId, type: 'resumed', events: count }), 1)
  const decisionsOf = decisionReader(services.db)
  for await (const { rows, eventsOfRow } of missedPages(services, stream, missed)) {
    const texts: string[] = []
    for (const row of rows) texts.push(...(await decisionsOf(stream, row)), ...eventsOfRow(row))
    await stream.sendMissed(texts.join(''), texts.length)
    for (const row of rows) if (row.type === storedConfirmations) missed.onConfirmations(row)
  }
  return true
}

/** Decisions and confirmations of freezes are not counted, because a stream sends only some of them. */
async function countMissed(services: Services, stream: EventStream, missed: Missed): Promise<number | undefined> {
  let [rows, events] = [0, 0]
  for await (const page of missedPages(services, stream, missed)) {
    rows += page.rows.length
    events += page.rows.reduce((sum, row) => sum + page.eventsOfRow(row).length, 0)
    if (rows > mostMissedRows) return undefined
  }
  return events
}

/** The missed events that the caller sees, page by page. Who the caller is was verified by the request, or by the last batch. */
async function* missedPages(
  { events: hub, db }: { events: EventHub; db: Services['db'] },
  stream: EventStream,
  { tenantId, lastEventId, since, until }: Missed,
) {
  for await (const rows of hub.readSince(tenantId, since, until)) {
    if (!stream.isOpen) return
    // A batch of new events sets the actor of the stream to another object.
    const { actor } = stream
    const sees = await seeEvents(db.reader(tenantId), [actor], rows)
    const eventsOfRow = (row: EventRow): string[] =>
      eventsOf(row, tenantId)
        .filter((event) => event.id !== lastEventId && stream.wants(event.type) && sees(actor, row, event))
        .map(({ text }) => text)
    yield { rows, eventsOfRow }
  }
}
