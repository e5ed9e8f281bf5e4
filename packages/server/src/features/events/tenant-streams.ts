import { setTimeout as pause } from 'node:timers/promises'
import type { Member } from '../../authz/actor.ts'
import { storedConfirmations } from '../../events/confirmation-events.ts'
import type { EventSubscription } from '../../events/event-hub.ts'
import type { EventPosition, EventRow } from '../../events/event-row.ts'
import type { EventConsumer } from '../../events/tenant-reader.ts'
import type { Services } from '../../services.ts'
import { noteSilence } from '../edge/instances/note-silence.ts'
import { checkCallers } from './callers/check-callers.ts'
import { ConfirmationSender } from './confirmations/send-confirmations.ts'
import { seeEvents } from './stored/see-events.ts'
import { decisionReader } from './stored/send-decisions.ts'
import type { EventStream } from './stream/event-stream.ts'
import { keepListening } from './stream/keep-listening.ts'
import { eventsOf } from './stream/stream-event.ts'
import { sealPosition } from './stream/stream-position.ts'

export const keepAliveMs = 15_000
/** The shortest time between two batches. */
const batchMs = 50
const retryMs = 500
const batchRows = 500
/** If more rows than this wait, the streams end, and the clients continue after their last event. */
export const mostWaiting = 10_000

/** The open streams of one tenant on this instance. All of them get each batch of events after one check of their callers. */
export class TenantStreams implements EventConsumer {
  readonly streams = new Set<EventStream>()
  readonly confirmations: ConfirmationSender
  private readonly services: Services
  private readonly tenantId: string
  private subscription: EventSubscription | undefined
  private waiting: { row: EventRow; number: number }[] = []
  private nextNumber = 0
  private isDelivering = false
  private isKeepAliveDue = false
  private timer: NodeJS.Timeout | undefined

  constructor(services: Services, tenantId: string) {
    this.services = services
    this.tenantId = tenantId
    this.confirmations = new ConfirmationSender(services, tenantId)
  }

  async start(): Promise<void> {
    this.subscription = await this.services.events.subscribe(this.tenantId, this)
    this.timer = setInterval(() => {
      this.isKeepAliveDue = true
      this.deliver()
    }, keepAliveMs)
    this.timer.unref()
  }

  /** Adds a stream. Returns the position from which it gets all events. */
  async add(stream: EventStream): Promise<EventPosition> {
    const position = await (this.subscription as EventSubscription).settled()
    stream.firstNumber = this.nextNumber
    this.streams.add(stream)
    return position
  }

  close(): void {
    clearInterval(this.timer)
    this.subscription?.close()
  }

  onRows(rows: readonly EventRow[]): void {
    for (const row of rows) this.waiting.push({ row, number: this.nextNumber++ })
    if (this.waiting.length > mostWaiting) {
      this.waiting = []
      this.onEnd()
    }
    this.deliver()
  }

  onGap(): void {
    this.onEnd()
  }

  onEnd(): void {
    for (const stream of this.streams) stream.end()
  }

  private deliver(): void {
    if (this.isDelivering) return
    this.isDelivering = true
    void this.deliverAll().finally(() => {
      this.isDelivering = false
    })
  }

  private async deliverAll(): Promise<void> {
    while (this.waiting.length > 0 || this.isKeepAliveDue) {
      const isSent = await this.deliverBatch().then(
        () => true,
        (error) => {
          this.services.log.debug(
            { err: error, tenant_id: this.tenantId },
            'events could not be sent; they are sent later',
          )
          return false
        },
      )
      await pause(isSent ? batchMs : retryMs, undefined, { ref: false })
    }
  }

  private async deliverBatch(): Promise<void> {
    // If too many rows come meanwhile, `waiting` becomes another array, which has none of the rows of the batch.
    const { waiting } = this
    const batch = waiting.slice(0, batchRows)
    await this.send(batch)
    waiting.splice(0, batch.length)
    if (this.isKeepAliveDue && this.waiting.length === 0) this.keepAlive()
  }

  private async send(batch: readonly { row: EventRow; number: number }[]): Promise<void> {
    const streams = [...this.streams].filter(({ isOpen }) => isOpen)
    const checked = await checkCallers(this.services, this.tenantId, new Set(streams.map(({ actor }) => actor)))
    for (const stream of streams) this.refresh(stream, checked)
    const open = streams.filter(({ isOpen }) => isOpen)
    const rows = batch.map(({ row }) => row)
    const sees = await seeEvents(this.services.db.reader(this.tenantId), new Set(open.map(({ actor }) => actor)), rows)
    const events = new Map(rows.map((row) => [row, eventsOf(row, this.tenantId)]))
    const decisionsOf = decisionReader(this.services.db)
    const textsOf = await Promise.all(
      open.map(async (stream) => {
        const texts: string[] = []
        for (const { row, number } of batch) {
          if (number < stream.firstNumber) continue
          texts.push(...(await decisionsOf(stream, row)))
          for (const event of events.get(row) ?? [])
            if (stream.wants(event.type) && sees(stream.actor, row, event)) texts.push(event.text)
        }
        return texts
      }),
    )
    // Streams with the same events share one buffer, so that many slow readers do not take the memory of the events many times.
    const shared = new Map<string, Buffer>()
    for (const [at, stream] of open.entries()) {
      const texts = textsOf[at] ?? []
      if (texts.length === 0) continue
      const text = texts.join('')
      const bytes = shared.get(text) ?? Buffer.from(text)
      shared.set(text, bytes)
      stream.send(bytes, texts.length)
    }
    // After the other events, so that the start of a freeze comes before its confirmations.
    for (const { row, number } of batch) {
      if (row.type !== storedConfirmations) continue
      for (const stream of open) if (number >= stream.firstNumber) this.confirmations.add(stream, row)
    }
  }

  private refresh(stream: EventStream, checked: ReadonlyMap<Member, Member | null>): void {
    const actor = checked.get(stream.actor)
    if (actor) stream.actor = actor
    else stream.end()
  }

  /** All rows up to the position were sent, because none wait. So clients may continue from it. */
  private keepAlive(): void {
    const { position } = this.subscription as EventSubscription
    const id = sealPosition(this.services.vault, this.tenantId, { ...position, at: Date.now() })
    this.isKeepAliveDue = false
    // The job that does this runs once a minute. People who watch should not wait for it.
    noteSilence(this.services, this.tenantId).catch((error) =>
      this.services.log.debug({ err: error, tenant_id: this.tenantId }, 'could not check which edges are silent'),
    )
    if ([...this.streams].some(({ options }) => options.decisions !== undefined)) {
      keepListening(this.services.db, this.tenantId).catch((error) =>
        this.services.log.debug(
          { err: error, tenant_id: this.tenantId },
          'the stream of decisions could not be renewed',
        ),
      )
    }
    for (const stream of this.streams) stream.keepAlive(`: keep-alive\nid: ${id}\n\n`)
  }
}
