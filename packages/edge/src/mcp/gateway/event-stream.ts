import type { ServerResponse } from 'node:http'
import type { Passage } from '../mediation/check-message.ts'
import type { MemoryReservation } from '../messages/memory-budget.ts'
import type { Exchange } from './exchange.ts'

interface EventStreamParts extends Pick<Exchange, 'response' | 'reservation'> {
  readonly passage: Pick<Passage, 'log' | 'server'>
}

/** How long a client should wait before it resumes a broken stream. */
const retryMs = 1000

/** An SSE stream to a client. The stream opens with the first message. */
export class EventStream {
  private readonly response: ServerResponse
  private readonly reservation: MemoryReservation
  private readonly passage: Pick<Passage, 'log' | 'server'>

  /** `reservation` counts the bytes that the client has not read. If there are too many, the stream is closed. */
  constructor({ response, reservation, passage }: EventStreamParts) {
    this.response = response
    this.reservation = reservation
    this.passage = passage
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded
  }

  open(): void {
    if (this.response.headersSent) return
    this.response.setHeader('content-type', 'text/event-stream')
    this.response.setHeader('cache-control', 'no-cache, no-transform')
    this.response.setHeader('x-accel-buffering', 'no')
    this.response.writeHead(200)
    this.response.flushHeaders()
    this.reservation.resize(this.unsent)
  }

  /** Sends a message as JSON text. With `id`, the client can later resume the stream after this message. */
  send(text: string, id?: string): void {
    this.write(`event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${text.replace(/[\r\n]+/g, ' ')}\n\n`)
  }

  /** Sends an id before the first message, so that the client can resume the stream. */
  prime(id: string): void {
    this.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  end(): void {
    if (this.isOpen) this.response.end()
  }

  private write(block: string): void {
    if (!this.isOpen) return
    this.open()
    this.response.write(block, () => this.reservation.resize(this.unsent))
    if (this.reservation.resize(this.unsent)) return
    const { log, server } = this.passage
    log.warn(
      { server, unread_bytes: this.unsent },
      'closed a stream to a client: no memory is left for what it has not read',
    )
    this.response.destroy()
  }

  private get unsent(): number {
    return this.response.destroyed ? 0 : this.response.writableLength
  }
}
