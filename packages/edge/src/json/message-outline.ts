const [quote, backslash] = [0x22, 0x5c]
const [openBrace, openBracket, closeBrace, closeBracket] = [0x7b, 0x5b, 0x7d, 0x5d]
/** Maximum size of an outline, in bytes. An outline takes this much memory from its start. */
export const outlineBytes = 64 << 10
/** Maximum number of bytes that are kept of one string. */
const longestString = 8 << 10
/** Ends a part that is cut. No JSON has it, so an id that is cut is not read. */
const cut = 0

/**
 * Keeps the outline of a JSON-RPC message, or of a batch, that is too long to be kept: the fields of each message, without what is in
 * objects and lists in them. So `readEnvelopes` can read the ids, wherever in the text they are. The memory does not grow with the text.
 * Accepts every text.
 */
export class MessageOutline {
  private readonly kept = Buffer.alloc(outlineBytes)
  private length = 0
  private depth = 0
  /** Depth of the fields of a message: 2 in a batch. */
  private fieldDepth: 1 | 2 = 1
  private hasMessage = false
  private isInString = false
  private isEscaped = false
  private isKeptString = false
  private stringLength = 0

  /** Adds the next part of the text. */
  add(bytes: Uint8Array): void {
    for (const byte of bytes) if (this.isKept(byte)) this.keep(byte)
  }

  toString(): string {
    return this.kept.toString('utf8', 0, this.length)
  }

  private keep(byte: number): void {
    if (this.length === outlineBytes) return
    const isLast = this.length === outlineBytes - 1
    this.kept[this.length++] = isLast ? cut : byte
  }

  /** Whether the text is a part of a message or of a batch, and not of a value in a field. */
  private get isField(): boolean {
    return this.depth > 0 && this.depth <= this.fieldDepth
  }

  private isKept(byte: number): boolean {
    if (this.isInString) return this.isKeptInString(byte)
    const isField = this.isField
    if (byte === quote) {
      this.isInString = true
      this.isKeptString = isField
      this.stringLength = 0
    } else if (byte === openBrace || byte === openBracket) {
      if (this.depth === 0 && !this.hasMessage) this.fieldDepth = byte === openBracket ? 2 : 1
      this.depth++
      if (byte === openBrace && this.isField) this.hasMessage = true
      return isField || this.depth === 1
    } else if (byte === closeBrace || byte === closeBracket) {
      this.depth = Math.max(0, this.depth - 1)
      return this.isField || this.depth === 0
    }
    return isField
  }

  private isKeptInString(byte: number): boolean {
    if (this.isEscaped) {
      this.isEscaped = false
      return this.isKeptString
    }
    if (byte === quote) {
      this.isInString = false
      return this.isField
    }
    this.isEscaped = byte === backslash
    if (this.isKeptString && ++this.stringLength > longestString) {
      this.isKeptString = false
      this.keep(cut)
    }
    return this.isKeptString
  }
}
