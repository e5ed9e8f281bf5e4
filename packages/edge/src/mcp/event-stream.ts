import type { ServerResponse } from 'node:http'

/** What may wait for a client that does not read; beyond it the stream is cut. */
const maxHeldBytes = 64 << 20

/** A server-sent stream to a client, opened with the first message. */
export class EventStream {
  private readonly response: ServerResponse

  constructor(response: ServerResponse) {
    this.response = response
  }

  get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded
  }

  open(): void {
    if (this.response.headersSent) return
    this.response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    this.response.flushHeaders()
  }

  /** Sends a message given as the text of one JSON value. */
  send(text: string): void {
    if (!this.isOpen) return
    this.open()
    this.response.write(`event: message\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`)
    if (this.response.writableLength > maxHeldBytes) this.response.destroy()
  }

  end(): void {
    if (this.isOpen) this.response.end()
  }
}
