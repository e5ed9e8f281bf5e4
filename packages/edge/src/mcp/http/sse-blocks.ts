import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** An SSE event: its type, its data (null if the event has no data), its other fields, and its complete text. */
export interface SseEvent {
  type: string
  data: string | null
  id: string | null
  retry: string | null
  block: string
}

/** Thrown if an SSE event is too long, or if no memory is left for it. */
export class EventTooLong extends Error {}

const noRoom = 'no memory left for the event: the client has reached its memory limit'
const lineEnd = /\r\n|\r|\n/
/** Maximum number of lines in one event. A message takes one line, or several if its JSON has line breaks. */
const mostLines = 100_000
/** Memory that each piece of an incomplete event needs in addition to its characters. */
const bytesPerPiece = 64
/** Maximum number of characters at the end of a chunk that may be the start of a `blankLine`. */
const longestUnfinished = 3
/** Matches two line breaks in a row, which end an event. They have at most four characters. */
const blankLine = /(?:\r\n|\n|\r(?!\n)){2}/g

/** Returns the text to forward for an event, or null to end the stream. */
export type Rewrite = (event: SseEvent) => string | null | Promise<string | null>

/**
 * Forwards an SSE stream event by event. For each event, `rewrite` returns the text to forward, or null to end the stream.
 * `insert` adds an event between two events. Bytes after the last blank line are not a complete event, so they are dropped.
 */
export class SseBlocks extends Transform {
  private readonly decoder = new StringDecoder('utf8')
  private readonly rewrite: Rewrite
  private readonly maxBytes: number
  private readonly hasRoom: () => boolean
  private readonly atEnd: () => readonly object[]
  /** The pieces of the incomplete event in which no blank line begins. They are not searched again. */
  private scanned: string[] = []
  private scannedLength = 0
  private rest = ''
  /** The length of an event that is being rewritten, and of the text behind it. */
  private rewritingLength = 0

  /**
   * Calls `hasRoom` after every change of `bufferedLength`. The stream fails if `hasRoom` returns false. `atEnd` returns messages that are added
   * after the last event.
   */
  constructor(rewrite: Rewrite, maxBytes: number, hasRoom = () => true, atEnd: () => readonly object[] = () => []) {
    super()
    this.rewrite = rewrite
    this.maxBytes = maxBytes
    this.hasRoom = hasRoom
    this.atEnd = atEnd
  }

  /** The size in memory of the incomplete event, and of the events that were not read from this stream yet. */
  get bufferedLength(): number {
    return this.unendedLength + this.readableLength
  }

  /** Adds an event that contains a message. The event has no id, so the position from which the client would resume does not change. */
  insert(message: object): void {
    if (!this.writable) return
    this.push(blockOf(message))
    if (!this.hasRoom()) this.destroy(new EventTooLong(noRoom))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.process(chunk).then(() => done(), done)
  }

  override _flush(done: TransformCallback): void {
    for (const message of this.atEnd()) this.push(blockOf(message))
    done()
  }

  private async process(chunk: Buffer): Promise<void> {
    // Searches only the new text, and the few characters before it that may begin a blank line. A long event comes in many
    // chunks, and searching all of it for each chunk would take quadratic time.
    const text = this.rest + this.decoder.write(chunk)
    // A carriage return at the end of a chunk may be the first half of a line break. The second half then comes with the next
    // chunk.
    const readable = text.endsWith('\r') ? text.slice(0, -1) : text
    this.rest = ''
    let start = 0
    for (const { index, 0: found } of readable.matchAll(blankLine)) {
      const whole = this.takeScanned() + readable.slice(start, index + found.length)
      start = index + found.length
      await this.forward(whole, text.length - start)
    }
    this.rewritingLength = 0
    this.bufferIncomplete(text.slice(start))
    if (this.unendedLength > this.maxBytes) throw new EventTooLong(`the event has more than ${this.maxBytes} bytes`)
    if (!this.hasRoom()) throw new EventTooLong(noRoom)
  }

  /** `waiting` is the length of the text that waits behind the event. */
  private async forward(whole: string, waiting: number): Promise<void> {
    if (hasMoreLines(whole, mostLines)) throw new EventTooLong(`the event has more than ${mostLines} lines`)
    const rewritten = this.rewrite(readEvent(whole))
    if (rewritten instanceof Promise) {
      this.rewritingLength = whole.length + waiting
      if (!this.hasRoom()) throw new EventTooLong(noRoom)
    }
    const block = await rewritten
    if (block === null)
      throw new Error('the edge ended the stream because the server sent an event that is not allowed')
    this.push(block)
  }

  private get unendedLength(): number {
    return this.scannedLength + this.scanned.length * bytesPerPiece + this.rest.length + this.rewritingLength
  }

  private bufferIncomplete(text: string): void {
    const end = Math.max(0, text.length - longestUnfinished)
    if (end > 0) this.scanned.push(text.slice(0, end))
    this.scannedLength += end
    this.rest = text.slice(end)
  }

  private takeScanned(): string {
    const text = this.scanned.join('')
    this.scanned = []
    this.scannedLength = 0
    return text
  }
}

const blockOf = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`

/** Returns the text of the event with its data replaced by `data`. */
export function withData({ block }: SseEvent, data: string): string {
  const kept = block.split(lineEnd).filter((line) => line !== '' && fieldOf(line) !== 'data')
  return `${[...kept, dataLines(data)].join('\n')}\n\n`
}

/** Returns the lines of an event that have its data. */
export function dataLines(data: string): string {
  return data
    .split(lineEnd)
    .map((line) => `data: ${line}`)
    .join('\n')
}

export function readEvent(block: string): SseEvent {
  const data: string[] = []
  let type = 'message'
  let id: string | null = null
  let retry: string | null = null
  for (const line of block.replace(/^\uFEFF/, '').split(lineEnd)) {
    const field = fieldOf(line)
    const value = line.slice(field.length + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event' && value !== '') type = value
    else if (field === 'id') id = value
    else if (field === 'retry') retry = value
  }
  return { type, data: data.length > 0 ? data.join('\n') : null, id, retry, block }
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === 0x0a || code === 0x0d) && ++lines > most) return true
  }
  return false
}

function fieldOf(line: string): string {
  const colon = line.indexOf(':')
  return colon < 0 ? line : line.slice(0, colon)
}
