/** Maximum number of lines that are taken for lines of one private key. A key of 16,384 bits has about 200. */
const mostLines = 500
/** Maximum length of the first line of a key, such as `-----BEGIN RSA PRIVATE KEY-----`. */
const longestBegin = 64

const begin = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)/
// What programs write around the lines of a text. One expression for a whole line would take quadratic time.
const before = /^[\s"'`>|*#]+/
const base64 = /^[A-Za-z0-9+/=]*/
const behind = /^(?:[\s"'`,;\\][\s"'`,;\\+nr]*)?$/
/** The headers that a key may have before its lines. */
const header = /^(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): /

/** Finds the lines of a private key in a log, which a search in single lines does not find. */
export class KeyLines {
  private left = 0
  private isBody = false

  /** Whether the next line may belong to a key. */
  get isOpen(): boolean {
    return this.left > 0
  }

  /** Returns whether a line belongs to a key that began in an earlier line. `end` is the end of the line, also if the line was cut. */
  take(line: string, end: string): boolean {
    const isOfKey = this.left > 0 && this.continues(line)
    if (!isOfKey) this.left = 0
    if (begin.test(line) || begin.test(end.slice(-longestBegin))) {
      this.left = mostLines
      this.isBody = false
    }
    return isOfKey
  }

  private continues(line: string): boolean {
    this.left--
    if (line.includes('-----END')) {
      this.left = 0
      return true
    }
    const text = line.replace(before, '')
    if (!this.isBody && header.test(text)) return true
    const [letters = ''] = base64.exec(text) ?? []
    this.isBody ||= letters !== ''
    return behind.test(text.slice(letters.length))
  }
}
