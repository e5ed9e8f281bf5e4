import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** An event of a server-sent stream: its type, its data (null where it has none) and the block it came in. */
export interface SseEvent {
  type: string
  data: string | null
  block: string
}

/** A block grew beyond what its reader accepts. */
export class EventTooLong extends Error {}

const noRoom = 'an event that there is no room for'
const lineEnd = /\r\n|\r|\n/
/** Lines of one event. A message is one line, or as many as its JSON has line breaks. */
const mostLines = 100_000
/** What each piece of an event that has not ended takes up beside its characters. */
const bytesPerPiece = 64
/** The most characters of a blank line that is not whole yet. */
const longestUnfinished = 3
const blankLine = /(?:\r\n|\n|\r(?!\n)){2}/g

/**
 * Passes a server-sent stream on block by block, each as `rewrite` answers it: the same block, another, or null, which ends
 * the stream. `insert` adds an event between two blocks. Bytes after the last blank line are no event and are dropped.
 */
export class SseBlocks extends Transform {
  private readonly decoder = new StringDecoder('utf8')
  private readonly rewrite: (event: SseEvent) => string | null
  private readonly maxBytes: number
  private readonly hasRoom: () => boolean
  /** What is held of a block, without its last characters: no blank line begins in it. */
  private scanned: string[] = []
  private scannedLength = 0
  private rest = ''

  /** `hasRoom` is asked whenever `heldLength` changed; where it says no, the stream breaks off. */
  constructor(rewrite: (event: SseEvent) => string | null, maxBytes: number, hasRoom = () => true) {
    super()
    this.rewrite = rewrite
    this.maxBytes = maxBytes
    this.hasRoom = hasRoom
  }

  /** What waits here: of an event that has not ended yet, and blocks that nobody has taken. */
  get heldLength(): number {
    return this.unendedLength + this.readableLength
  }

  /** Adds an event that carries a message. It has no id, so that it does not move the place a client resumes from. */
  insert(message: object): void {
    if (!this.writable) return
    this.push(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
    if (!this.hasRoom()) this.destroy(new EventTooLong(noRoom))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    // Only what is new is looked through, and what a blank line may have begun in: long events come in many chunks.
    const text = this.rest + this.decoder.write(chunk)
    // A carriage return at the end may be half of a line end.
    const readable = text.endsWith('\r') ? text.slice(0, -1) : text
    let start = 0
    blankLine.lastIndex = 0
    for (let found = blankLine.exec(readable); found; found = blankLine.exec(readable)) {
      const whole = this.takeScanned() + readable.slice(start, blankLine.lastIndex)
      if (hasMoreLines(whole, mostLines)) {
        done(new EventTooLong(`an event of more than ${mostLines} lines`))
        return
      }
      const block = this.rewrite(readEvent(whole))
      if (block === null) {
        done(new Error('the stream ended at an event that may not pass'))
        return
      }
      this.push(block)
      start = blankLine.lastIndex
    }
    this.holdBack(text.slice(start))
    if (this.unendedLength > this.maxBytes) done(new EventTooLong(`an event of more than ${this.maxBytes} bytes`))
    else if (!this.hasRoom()) done(new EventTooLong(noRoom))
    else done()
  }

  private get unendedLength(): number {
    return this.scannedLength + this.scanned.length * bytesPerPiece + this.rest.length
  }

  private holdBack(text: string): void {
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

/** The same block with other data. */
export function withData({ block }: SseEvent, data: string): string {
  const kept = block.split(lineEnd).filter((line) => line !== '' && fieldOf(line) !== 'data')
  return `${[...kept, `data: ${data}`].join('\n')}\n\n`
}

function readEvent(block: string): SseEvent {
  const data: string[] = []
  let type = 'message'
  for (const line of block.replace(/^\uFEFF/, '').split(lineEnd)) {
    const field = fieldOf(line)
    if (field !== 'data' && field !== 'event') continue
    const value = line.slice(field.length + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (value !== '') type = value
  }
  return { type, data: data.length > 0 ? data.join('\n') : null, block }
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
