import { setTimeout as pause } from 'node:timers/promises'
import { type Sight, sightOf, viewerOf } from '../../../authz/sight.ts'
import type { StoredConfirmations } from '../../../events/confirmation-events.ts'
import type { EventHub } from '../../../events/event-hub.ts'
import type { EventRow } from '../../../events/event-row.ts'
import type { Services } from '../../../services.ts'
import { quietAt } from '../../edge/reach/quiet.ts'
import { ConfirmationReader } from '../../freezes/confirmations/confirmation-reader.ts'
import { checkCallers } from '../callers/check-callers.ts'
import type { EventStream } from '../stream/event-stream.ts'
import { newsOf, type Reader } from './confirmation-news.ts'
import { ReadSlots } from './read-slots.ts'

/** The shortest time between two reads. */
const batchMs = 50
/** A read is followed by a pause of this many times its duration, because the totals of large freezes take long to count. */
const restFactor = 4
const longestPauseMs = 5_000
/** Maximum number of reads at the same time on an instance, for all its tenants, because each of them takes a connection. */
const readsAtOnce = 2

/** Streams whose callers have the same kind of sight, and that were not told of all confirmations. */
interface Lane {
  streams: Set<EventStream>
  isRunning: boolean
}

/**
 * Sends `freeze.confirmed` and `freeze.progress` to the streams of one tenant. The totals depend on what a caller sees, so they are counted once
 * for each set of rows that callers see. This runs beside other events, which do not wait for it. Callers who see the whole tenant do not wait
 * for the others.
 */
export class ConfirmationSender {
  private readonly services: Services
  private readonly tenantId: string
  private readonly lanes = new Map<Sight, Lane>()

  constructor(services: Services, tenantId: string) {
    this.services = services
    this.tenantId = tenantId
  }

  /** Adds the confirmations of a row to a stream. */
  add(stream: EventStream, row: EventRow): void {
    if (!isWanted(stream)) return
    stream.confirmations.add(row.id, row.details as StoredConfirmations, performance.now())
    this.start(stream)
  }

  /** Makes the progress of freezes due for a stream. The ids of its events begin with `position`. */
  addProgress(stream: EventStream, freezeIds: readonly string[], position: string): void {
    if (!isWanted(stream)) return
    for (const id of freezeIds) stream.confirmations.leave(id, `${position}.${id}`, performance.now())
    this.start(stream)
  }

  private start(stream: EventStream): void {
    const sight = sightOf(stream.actor)
    const lane = this.lanes.get(sight) ?? { streams: new Set(), isRunning: false }
    this.lanes.set(sight, lane)
    lane.streams.add(stream)
    if (!lane.isRunning) void this.run(lane)
  }

  private async run(lane: Lane): Promise<void> {
    lane.isRunning = true
    while (lane.streams.size > 0) {
      const startedAt = performance.now()
      await this.sendDue(lane.streams)
      const tookMs = performance.now() - startedAt
      await pause(Math.min(Math.max(batchMs, restFactor * tookMs), longestPauseMs), undefined, { ref: false })
      for (const stream of lane.streams)
        if (!stream.isOpen || !stream.confirmations.hasNews) lane.streams.delete(stream)
    }
    lane.isRunning = false
  }

  private async sendDue(streams: ReadonlySet<EventStream>): Promise<void> {
    const now = performance.now()
    const due = [...streams].filter(({ isOpen, confirmations }) => isOpen && confirmations.isDue(now))
    if (due.length === 0) return
    for (const [, same] of Map.groupBy(due, ({ actor }) => viewerOf(actor))) {
      await inSlot(this.services, same, () => this.checkAndSend(same)).catch((error) =>
        this.services.log.debug(
          { err: error, tenant_id: this.tenantId },
          'confirmations of freezes could not be sent; they are sent later',
        ),
      )
    }
  }

  /** Checks the callers right before the read, because earlier reads may have taken long. */
  private async checkAndSend(streams: readonly EventStream[]): Promise<void> {
    // Other events are sent meanwhile, and set `actor` of their streams. So this keeps its own actors.
    const callers = streams.filter(({ isOpen }) => isOpen).map((stream) => ({ stream, actor: stream.actor }))
    const checked = await checkCallers(this.services, this.tenantId, new Set(callers.map(({ actor }) => actor)))
    const readers = callers.flatMap(({ stream, actor: before }): Reader[] => {
      const actor = checked.get(before)
      if (!actor) stream.end()
      return actor ? [{ stream, actor }] : []
    })
    for (const [, same] of Map.groupBy(readers, ({ actor }) => viewerOf(actor))) await this.sendTo(same)
  }

  /** Sends to streams whose callers see the same rows. */
  private async sendTo(readers: readonly Reader[]): Promise<void> {
    const [first] = readers
    if (!first) return
    const { services, tenantId } = this
    const at = new Date().toISOString()
    await services.db.readSnapshot(tenantId, async (sql) => {
      const confirmations = new ConfirmationReader(sql, first.actor, quietAt({ now: at, services }))
      for (const reader of readers) {
        const texts = await newsOf(reader, confirmations, at)
        if (texts.length > 0) reader.stream.send(texts.join(''), texts.length)
      }
    })
  }
}

const isWanted = (stream: EventStream) => stream.wants('freeze.confirmed') || stream.wants('freeze.progress')

const slotsOfInstance = new WeakMap<EventHub, { all: ReadSlots; limited: ReadSlots }>()

/** Runs the read of one viewer. Of the reads at the same time, only one is for callers who see a part of a tenant. */
function inSlot({ events }: Services, [first]: readonly EventStream[], read: () => Promise<void>): Promise<void> {
  const slots = slotsOfInstance.get(events) ?? { all: new ReadSlots(readsAtOnce), limited: new ReadSlots(1) }
  slotsOfInstance.set(events, slots)
  const isLimited = first !== undefined && sightOf(first.actor) !== 'all'
  return isLimited ? slots.limited.run(() => slots.all.run(read)) : slots.all.run(read)
}
