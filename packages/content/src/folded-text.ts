/** The largest code point that the table has. No character above it has letter cases. */
const tableSize = 0x20000
const wordBit = 1 << 21
const knownBit = 1 << 22
/** For each code point: its form without letter case, and whether it is a character of words. Filled when a character is first seen. */
const table = new Uint32Array(tableSize)

/** Characters that the methods of strings fold in another way than regular expressions do (`i` and `u`). */
const exceptions: ReadonlyMap<number, number> = new Map([
  [0x131, 0x131],
  [0x1fd3, 0x390],
  [0x1fe3, 0x3b0],
  [0xfb05, 0xfb06],
])

/**
 * A text without letter case, in which each run of white space is one space. `codes` has its code points. `starts` has the place of each in
 * the text, and the end of the text. `isWord` has a 1 for each character of a word.
 */
export class FoldedText {
  readonly codes: Uint32Array
  readonly starts: Uint32Array
  readonly isWord: Uint8Array
  readonly length: number

  constructor(text: string) {
    const codes = new Uint32Array(text.length)
    const starts = new Uint32Array(text.length + 1)
    const isWord = new Uint8Array(text.length + 1)
    let length = 0
    let isInSpace = false
    for (let at = 0; at < text.length; ) {
      const code = text.codePointAt(at) as number
      const isSpace = code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
      if (!isSpace || !isInSpace) {
        const entry = isSpace ? 0x20 : entryOf(code)
        codes[length] = entry & (wordBit - 1)
        isWord[length] = entry & wordBit ? 1 : 0
        starts[length] = at
        length++
      }
      isInSpace = isSpace
      at += code > 0xffff ? 2 : 1
    }
    starts[length] = text.length
    this.codes = codes
    this.starts = starts
    this.isWord = isWord
    this.length = length
  }
}

/** Returns the form of a code point without letter case. */
export const foldedCode = (code: number): number => entryOf(code) & (wordBit - 1)

function entryOf(code: number): number {
  const known = table[code] ?? 0
  if (known !== 0) return known
  const character = String.fromCodePoint(code)
  const entry = foldOf(code, character) | (/[\p{L}\p{N}_]/u.test(character) ? wordBit : 0) | knownBit
  if (code < tableSize) table[code] = entry
  return entry
}

function foldOf(code: number, character: string): number {
  const exception = exceptions.get(code)
  if (exception !== undefined) return exception
  // The capital letter first, because several small letters may have one capital letter. A form of several characters does not count.
  const upper = character.toUpperCase()
  const lower = (isOne(upper) ? upper : character).toLowerCase()
  return isOne(lower) ? (lower.codePointAt(0) as number) : code
}

const isOne = (text: string) => text.length === ((text.codePointAt(0) as number) > 0xffff ? 2 : 1)
