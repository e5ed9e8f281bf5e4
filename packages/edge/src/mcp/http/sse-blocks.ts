import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { LostText, longerThan, noMemoryLeft } from '../messages/lost-text.ts'

/** An SSE event: its type, its data (null if the event has no data), its other fields, and its complete text. */
export interface SseEvent {
  type: string
  data: string | null
  id: string | null
  retry: string | null
  block: string
  /** Set if the event was too long. Its fields and its text were not kept. */
  lost?: LostText
}

/** Thrown if no memory is left for the events. */
export class NoRoomForEvents extends Error {
  constructor() {
    super(`no memory left for the events: ${noMemoryLeft}`)
  }
}

/** An SSE comment without text. It replaces an event that is not forwarded. */
export const silence = ':\n\n'
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
 * An event that is too long, or for which no memory is left, is read to its end without being kept. `rewrite` then gets an event with `lost`.
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
  private lost: LostText | null = null
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
    if (!this.hasRoom()) this.destroy(new NoRoomForEvents())
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.process(chunk).then(() => done(), done)
  }

  override _flush(done: TransformCallback): void {
    const finish = () => {
      for (const message of this.atEnd()) this.push(blockOf(message))
      done()
    }
    // A carriage return at the end was held back, because a line feed could have followed. It ends the last event.
    this.process(Buffer.alloc(0), true).then(finish, done)
  }

  private async process(chunk: Buffer, isEnd = false): Promise<void> {
    // Searches only the new text, and the few characters before it that may begin a blank line. A long event comes in many
    // chunks, and searching all of it for each chunk would take quadratic time.
    const text = this.rest + this.decoder.write(chunk)
    // A carriage return at the end of a chunk may be the first half of a line break. The second half then comes with the next
    // chunk.
    const readable = text.endsWith('\r') && !isEnd ? text.slice(0, -1) : text
    this.rest = ''
    let start = 0
    for (const { index, 0: found } of readable.matchAll(blankLine)) {
      this.hold(readable.slice(start, index + found.length))
      start = index + found.length
      await this.forward(this.takeEvent(), text.length - start)
    }
    this.rewritingLength = 0
    this.bufferIncomplete(text.slice(start))
    if (this.hasRoom()) return
    this.lose(noMemoryLeft)
    if (!this.hasRoom()) throw new NoRoomForEvents()
  }

  /** `waiting` is the length of the text that waits behind the event. */
  private async forward(event: SseEvent, waiting: number): Promise<void> {
    const rewritten = this.rewrite(event)
    if (rewritten instanceof Promise) {
      this.rewritingLength = event.block.length + waiting
      if (!this.hasRoom()) throw new NoRoomForEvents()
    }
    const block = await rewritten
    if (block === null)
      throw new Error('the edge ended the stream because the server sent an event that is not allowed')
    this.push(block)
  }

  private get unendedLength(): number {
    return this.scannedBytes + this.rest.length + this.rewritingLength
  }

  private get scannedBytes(): number {
    return this.scannedLength + this.scanned.length * bytesPerPiece
  }

  private bufferIncomplete(text: string): void {
    const end = Math.max(0, text.length - longestUnfinished)
    if (end > 0) this.hold(text.slice(0, end))
    this.rest = text.slice(end)
  }

  /** Adds the next part of the event that is being read. */
  private hold(text: string): void {
    if (this.lost === null) {
      this.scanned.push(text)
      this.scannedLength += text.length
      if (this.scannedBytes > this.maxBytes) this.lose(longerThan(this.maxBytes))
    } else this.lost.add(Buffer.from(text))
  }

  /** Reads the event to its end without keeping it. */
  private lose(why: string): void {
    const lost = this.lost ?? new LostText(why, this.maxBytes)
    for (const text of this.scanned) lost.add(Buffer.from(text))
    this.scanned = []
    this.scannedLength = 0
    this.lost = lost
  }

  private takeEvent(): SseEvent {
    const text = this.scanned.join('')
    if (hasMoreLines(text, mostLines)) this.lose(`it has more than ${mostLines} lines`)
    const { lost } = this
    this.scanned = []
    this.scannedLength = 0
    this.lost = null
    return lost ? { type: 'message', data: null, id: null, retry: null, block: silence, lost } : readEvent(text)
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
