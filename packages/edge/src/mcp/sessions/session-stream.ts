import type { EventStream } from '../gateway/event-stream.ts'

/** An event as it was sent: the `number`th of its stream, counted from 1. */
export interface KeptEvent {
  readonly stream: SessionStream
  readonly number: number
  readonly id: string
  readonly text: string
}

/** Where a client got to on a stream, and what came after. */
export interface Place {
  readonly stream: SessionStream
  readonly number: number
}

/** The events of all streams of a session. */
export interface StreamEvents {
  keep(stream: SessionStream, number: number, text: string): KeptEvent
  idOf(place: Place): string
  /** The kept events of a stream that came after a place. */
  after(place: Place): KeptEvent[]
  /** The stream carries nothing more. */
  settle(stream: SessionStream): void
}

/** A stream of a session, over whichever connection its client has for it just now, if any. */
export class SessionStream {
  readonly number: number
  /** The number of the last event it carried. */
  last = 0
  /** Whether it carries nothing more. */
  isOver = false
  private readonly store: StreamEvents
  private connection: EventStream | null = null
  /** The number of the last event that a connection took. */
  private sent = 0

  constructor(number: number, store: StreamEvents) {
    this.number = number
    this.store = store
  }

  get isOpen(): boolean {
    return this.connection?.isOpen ?? false
  }

  send(text: string): void {
    this.last++
    const { id } = this.store.keep(this, this.last, text)
    if (!this.isOpen) return
    this.connection?.send(text, id)
    this.sent = this.last
  }

  /**
   * Goes on over another connection, with what came after the event `from`; without it, with what no connection took.
   * `isPrimed`: begins with an event that says nothing but its id, by which the stream can be resumed from here on.
   */
  connect(
    connection: EventStream,
    { from = this.sent, isPrimed = false }: { from?: number; isPrimed?: boolean },
  ): void {
    this.connection?.end()
    this.connection = connection
    connection.open()
    const events = this.store.after({ stream: this, number: from })
    if (isPrimed) connection.prime(this.store.idOf({ stream: this, number: this.last - events.length }))
    for (const { id, text } of events) connection.send(text, id)
    this.sent = this.last
    if (this.isOver) this.disconnect()
  }

  end(): void {
    this.isOver = true
    this.disconnect()
    this.store.settle(this)
  }

  private disconnect(): void {
    this.connection?.end()
    this.connection = null
  }
}
