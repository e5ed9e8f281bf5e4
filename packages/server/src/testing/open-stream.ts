import { type IncomingMessage, request } from 'node:http'
import { vi } from 'vitest'

export interface ReceivedEvent {
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an event
  data: any
}

/** Reads `/events/stream` or `/edge/stream` as a client does. Blocks without data are kept as `positions` and `comments`. */
export class OpenStream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly events: ReceivedEvent[] = []
  readonly comments: string[] = []
  /** The id that the client sends as `Last-Event-ID` when it connects again. */
  lastEventId: string | undefined
  isEnded = false
  /** True if the server closed the connection before the response was complete. */
  isBroken = false
  private rest = ''
  private readonly response: IncomingMessage

  constructor(response: IncomingMessage) {
    this.response = response
    this.status = response.statusCode ?? 0
    this.headers = response.headers
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.read(text))
    response.on('error', () => {})
    response.on('close', () => {
      this.isEnded = true
      this.isBroken = !response.complete
    })
  }

  get types(): string[] {
    return this.events.map(({ type }) => type)
  }

  /** Stops reading, so that the buffers of the connection fill. */
  pause(): void {
    this.response.pause()
  }

  resume(): void {
    this.response.resume()
  }

  close(): void {
    this.response.destroy()
  }

  /** Waits until an event passes the check. */
  async receives(check: (event: ReceivedEvent) => boolean): Promise<ReceivedEvent> {
    return await vi.waitFor(
      () => {
        const event = this.events.find(check)
        if (!event) throw new Error(`the event has not arrived; received: ${this.types.join(', ')}`)
        return event
      },
      { timeout: 10_000 },
    )
  }

  async ends(): Promise<void> {
    await vi.waitFor(
      () => {
        if (!this.isEnded) throw new Error('the stream is still open')
      },
      { timeout: 60_000 },
    )
  }

  private read(text: string): void {
    const blocks = (this.rest + text).split('\n\n')
    this.rest = blocks.pop() ?? ''
    for (const block of blocks) this.readBlock(block)
  }

  private readBlock(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => {
        const at = line.indexOf(':')
        return [line.slice(0, at), line.slice(at + 2)]
      }),
    )
    if (fields[''] !== undefined) this.comments.push(fields[''])
    if (fields.id !== undefined) this.lastEventId = fields.id
    if (fields.data !== undefined)
      this.events.push({ id: fields.id ?? '', type: fields.event ?? '', data: JSON.parse(fields.data) })
  }
}

/** Opens a stream. Resolves when its headers have arrived. */
export function openStream(
  url: string,
  credential: string,
  {
    path = '/events/stream',
    query = '',
    lastEventId,
  }: { path?: string; query?: string; lastEventId?: string | undefined } = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1${path}${query}`, {
      agent: false,
      headers: {
        authorization: `Bearer ${credential}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => resolve(new OpenStream(response)))
    sent.end()
  })
}
