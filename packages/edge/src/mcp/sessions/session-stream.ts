import type { EventStream } from '../gateway/event-stream.ts'

/** An event that was sent. `number` is its position in its stream, counted from 1. */
export interface KeptEvent {
  readonly stream: SessionStream
  readonly number: number
  readonly id: string
  readonly text: string
}

/** A position in a stream: the number of the last event that a client received. The stream resumes after this event. */
export interface Place {
  readonly stream: SessionStream
  readonly number: number
}

/** Stores the events of all streams of a session. */
export interface StreamEvents {
  keep(stream: SessionStream, number: number, text: string): KeptEvent
  idOf(place: Place): string
  /** Returns the kept events after a position in a stream. */
  after(place: Place): KeptEvent[]
  /** Notes that the stream has ended. */
  settle(stream: SessionStream): void
}

/** A stream of a session. Its client may have no connection for the stream for a time, and open another connection later. */
export class SessionStream {
  readonly number: number
  /** The number of the last event. */
  last = 0
  /** Whether the stream has ended. */
  isOver = false
  private readonly store: StreamEvents
  private connection: EventStream | null = null
  private connectedAt = 0
  /** The number of the last event that was written to a connection. */
  private sent = 0

  constructor(number: number, store: StreamEvents) {
    this.number = number
    this.store = store
  }

  get isOpen(): boolean {
    return this.connection?.isOpen ?? false
  }

  /** How long the current connection has been used, in milliseconds. */
  get connectedMs(): number {
    return performance.now() - this.connectedAt
  }

  send(text: string): void {
    this.last++
    const { id } = this.store.keep(this, this.last, text)
    if (!this.isOpen) return
    this.connection?.send(text, id)
    this.sent = this.last
  }

  /** Returns the texts that were not yet written to a connection. From now on they count as written. */
  takeUnsent(): string[] {
    const events = this.store.after({ stream: this, number: this.sent })
    this.sent = this.last
    return events.map(({ text }) => text)
  }

  /**
   * Continues the stream over another connection, with the events after `from`. Without `from`, continues with the events
   * that were not yet written to a connection.
   * With `isPrimed`, sends an event that has only an id first, so that the client can resume the stream from that position.
   */
  connect(
    connection: EventStream,
    { from = this.sent, isPrimed = false }: { from?: number; isPrimed?: boolean },
  ): void {
    this.connection?.end()
    this.connection = connection
    this.connectedAt = performance.now()
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
