import { randomBytes } from 'node:crypto'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import { type KeptEvent, type Place, SessionStream, type StreamEvents } from './session-stream.ts'

export interface EventLimits {
  /** Maximum number of events that one session keeps for resumed streams, and their maximum total size in bytes. */
  readonly maxKeptEvents: number
  readonly maxKeptBytes: number
}

/**
 * Keeps the latest events of all streams of one session. When a limit is reached, drops the oldest events. An event id is valid
 * only in the session that created it.
 */
export class EventStore implements StreamEvents {
  private readonly session = randomBytes(12).toString('hex')
  private readonly streams = new Map<number, SessionStream>()
  private readonly limits: EventLimits
  private readonly reservation: MemoryReservation
  private kept: KeptEvent[] = []
  private bytes = 0
  private opened = 0

  constructor(limits: EventLimits, reservation: MemoryReservation) {
    this.limits = limits
    this.reservation = reservation
  }

  open(): SessionStream {
    const stream = new SessionStream(this.opened++, this)
    this.streams.set(stream.number, stream)
    return stream
  }

  keep(stream: SessionStream, number: number, text: string): KeptEvent {
    const event = { stream, number, id: this.idOf({ stream, number }), text }
    this.kept.push(event)
    this.bytes += Buffer.byteLength(text)
    while (this.kept.length > this.limits.maxKeptEvents || this.bytes > this.limits.maxKeptBytes) this.dropOldest()
    while (!this.reservation.resize(this.bytes)) this.dropOldest()
    return event
  }

  idOf({ stream, number }: Place): string {
    return `${this.session}-${stream.number}-${number}`
  }

  /**
   * Returns the position of an event in its stream. Returns null if the event id is not from this session. Also returns null if
   * a later event of the stream was dropped, because a resumed stream would then have a gap.
   */
  find(id: string): Place | null {
    const [session, streamNumber, eventNumber] = id.split('-')
    const stream = session === this.session ? this.streams.get(Number(streamNumber)) : undefined
    if (!stream) return null
    const place = { stream, number: Number(eventNumber) }
    return this.idOf(place) === id && this.after(place).length === stream.last - place.number ? place : null
  }

  /** Returns the stored events of a stream that come after a position. */
  after(place: Place): KeptEvent[] {
    return this.kept.filter(({ stream, number }) => stream === place.stream && number > place.number)
  }

  /** Notes that a stream has ended. Forgets the stream as soon as none of its events are kept. */
  settle(stream: SessionStream): void {
    if (stream.isOver && !this.kept.some((event) => event.stream === stream)) this.streams.delete(stream.number)
  }

  /** Drops all kept events. A client that has not received some of them cannot resume their stream. */
  dropKept(): void {
    while (this.kept.length > 0) this.dropOldest()
    this.reservation.resize(0)
  }

  /** Forgets all streams and their events. */
  clear(): void {
    this.streams.clear()
    this.kept = []
    this.bytes = 0
    this.reservation.resize(0)
  }

  private dropOldest(): void {
    const dropped = this.kept.shift()
    if (!dropped) return
    this.bytes -= Buffer.byteLength(dropped.text)
    this.settle(dropped.stream)
  }
}
