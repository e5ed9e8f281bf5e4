import type { EventStream } from '../gateway/event-stream.ts'

/** An event that was sent. `number` counts the events of its stream from 1. */
export interface KeptEvent {
  readonly stream: SessionStream
  readonly number: number
  readonly id: string
  readonly text: string
}

/** The last event of a stream that a client received. The stream resumes after it. */
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
  /** The stream has ended. */
  settle(stream: SessionStream): void
}

/** A stream of a session. Its client may have no connection for it, or open another one. */
export class SessionStream {
  readonly number: number
  /** The number of the last event. */
  last = 0
  /** Whether the stream has ended. */
  isOver = false
  private readonly store: StreamEvents
  private connection: EventStream | null = null
  /** The number of the last event that was written to a connection. */
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
   * Continues over another connection, with the events after `from`. Without `from`, with the events that were not written to
   * a connection.
   * `isPrimed`: begins with an event that has only an id, so that the client can resume the stream from here.
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
