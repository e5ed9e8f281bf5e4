import type { Run, RunKind } from './builtin/builtin.ts'
import { FoldedText } from './folded-text.ts'

const buckets = 65_536
/** Which groups of three characters the text has, by their hash. One table serves all texts, because a text fills it again after another text did. */
const table = new Uint8Array(buckets)
let tableOwner: SearchedText | null = null

const bits: Readonly<Record<RunKind, number>> = { base64: 1, hex: 2 }
/** Which kinds of runs each ASCII character belongs to. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return (/[A-Za-z0-9+/_-]/.test(character) ? bits.base64 : 0) | (/[0-9a-fA-F ]/.test(character) ? bits.hex : 0)
})

const shortestIndexed = 3
/** A shorter text is searched faster without the table. */
const shortestText = 256

/** A text that several patterns search. */
export class SearchedText {
  readonly text: string
  private lowered: string | undefined
  private foldedText: FoldedText | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The text in lower case, for looking up keywords. */
  get lower(): string {
    // The long s is the only letter that a search without letter case takes for an ASCII letter and that stays when it is put in lower case.
    this.lowered ??= this.text.toLowerCase().replaceAll('ſ', 's')
    return this.lowered
  }

  /** The text without letter case, for looking up words. */
  get folded(): FoldedText {
    this.foldedText ??= new FoldedText(this.text)
    return this.foldedText
  }

  /** Whether each place in `lower` is the same place in `text`. A few letters have other lengths in lower case. */
  get isAligned(): boolean {
    return this.lower.length === this.text.length
  }

  /** Whether the text contains a keyword, which is in lower case. */
  has(keyword: string): boolean {
    const { lower } = this
    if (keyword.length < shortestIndexed || lower.length < shortestText) return lower.includes(keyword)
    return this.mayHave(keyword) && lower.includes(keyword)
  }

  /** Whether a long text may contain a keyword of ASCII characters in lower case. Costs as much as the keyword is long. */
  mayHave(keyword: string): boolean {
    if (this.lower.length < shortestText) return true
    if (tableOwner !== this) this.fillTable()
    for (let at = 0; at + 2 < keyword.length; at++) if (table[hashAt(keyword, at)] === 0) return false
    return true
  }

  /**
   * Returns true if the text has `atLeast` characters of the kind `of` in a row. Checks each possible run from its end: after a character of another
   * kind, the next run can only begin behind this character.
   */
  hasRun({ of, atLeast }: Run): boolean {
    const { text } = this
    const bit = bits[of]
    for (let start = 0; start + atLeast <= text.length; ) {
      let at = start + atLeast - 1
      while (at >= start && ((kinds[text.charCodeAt(at)] ?? 0) & bit) !== 0) at--
      if (at < start) return true
      start = at + 1
    }
    return false
  }

  private fillTable(): void {
    const { lower } = this
    table.fill(0)
    let first = lower.charCodeAt(0)
    let second = lower.charCodeAt(1)
    for (let at = 2; at < lower.length; at++) {
      const third = lower.charCodeAt(at)
      table[hashOf(first, second, third)] = 1
      first = second
      second = third
    }
    tableOwner = this
  }
}

function hashOf(first: number, second: number, third: number): number {
  return ((first * 961) ^ (second * 31) ^ third) & (buckets - 1)
}

function hashAt(text: string, at: number): number {
  return hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))
}
