import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Hold } from './holding.ts'

/** An event of a server-sent stream: its type, its data (null where it has none) and the block it came in. */
export interface SseEvent {
  type: string
  data: string | null
  block: string
}

/** A block grew beyond what its reader accepts. */
export class EventTooLong extends Error {}

const lineEnd = /\r\n|\r|\n/
const blankLine = /(?:\r\n|\n|\r(?!\n)){2}/g

/**
 * Passes a server-sent stream on block by block, each as `rewrite` answers it: the same block, another, or null, which ends
 * the stream. `insert` adds an event between two blocks. Bytes after the last blank line are no event and are dropped.
 */
export class SseBlocks extends Transform {
  private readonly decoder = new StringDecoder('utf8')
  private readonly rewrite: (event: SseEvent) => string | null
  private readonly maxBytes: number
  private readonly hold: Hold | undefined
  private held = ''
  private scanned = 0

  /** `hold` counts the event that has not ended yet. */
  constructor(rewrite: (event: SseEvent) => string | null, maxBytes: number, hold?: Hold) {
    super()
    this.rewrite = rewrite
    this.maxBytes = maxBytes
    this.hold = hold
  }

  /** Adds an event that carries a message. It has no id, so that it does not move the place a client resumes from. */
  insert(message: object): void {
    if (this.writable) this.push(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.held += this.decoder.write(chunk)
    // A carriage return at the end may be half of a line end.
    const readable = this.held.endsWith('\r') ? this.held.slice(0, -1) : this.held
    let start = 0
    // A blank line may have begun in what was scanned before.
    blankLine.lastIndex = Math.max(0, this.scanned - 3)
    for (let found = blankLine.exec(readable); found; found = blankLine.exec(readable)) {
      const block = this.rewrite(readEvent(readable.slice(start, blankLine.lastIndex)))
      if (block === null) {
        done(new Error('the stream ended at an event that may not pass'))
        return
      }
      this.push(block)
      start = blankLine.lastIndex
    }
    this.held = this.held.slice(start)
    this.scanned = this.held.length
    if (this.held.length > this.maxBytes) done(new EventTooLong(`an event of more than ${this.maxBytes} bytes`))
    else if (this.hold?.resize(this.held.length) === false) done(new EventTooLong('an event that there is no room for'))
    else done()
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

function fieldOf(line: string): string {
  const colon = line.indexOf(':')
  return colon < 0 ? line : line.slice(0, colon)
}
