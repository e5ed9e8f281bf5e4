import { MessageOutline } from '../../json/message-outline.ts'

/** A text of a server may be this many times as long as its limit. A longer text may have no end. */
const mostLimits = 16

/** Thrown if a text that is read without being kept does not end. */
export class EndlessText extends Error {}

/** Stands for a text that was too long, and was read without being kept. */
export class LostText {
  /** Why the text is lost. */
  readonly why: string
  private readonly outline = new MessageOutline()
  private room: number

  /**
   * @param maxBytes the limit for a text that is kept
   * @param mostBytes the limit for a text that is read to its end
   */
  constructor(why: string, maxBytes: number, mostBytes = mostLimits * maxBytes) {
    this.why = why
    this.room = mostBytes
  }

  /** Adds the next part of the text. @throws EndlessText if the text has more than `mostBytes` */
  add(bytes: Uint8Array): void {
    this.room -= bytes.length
    if (this.room < 0) throw new EndlessText(`a message does not end: ${this.why}`)
    this.outline.add(bytes)
  }

  /** The text without the content of its messages, for `readEnvelopes`. */
  get envelopes(): string {
    return this.outline.toString()
  }
}

export const longerThan = (maxBytes: number): string => `it is longer than ${maxBytes} bytes`
export const noMemoryLeft = 'the client has reached its memory limit'
