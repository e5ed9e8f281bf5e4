import type { Span } from '../definition.ts'
import {
  escapedSource,
  hasOtherReader,
  hasPercentCode,
  hidesBackslash,
  type Reading,
  readAt,
  specialAscii,
} from './escapes.ts'
import { alikeInWords, alwaysAlike, otherScripts } from './look-alikes.ts'

/**
 * The plain form of a part of a text: without what hides something from a search, which are invisible characters, control characters, letters and
 * spaces that look like ASCII, escapes and percent codes. `starts` and `ends` have the place of each unit in the text that was read. `changes` has
 * places there that differ, in order. This text is the whole text, or the plain form `outer` of it, if that has escapes again.
 */
export interface PlainPart {
  readonly text: string
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly changes: readonly number[]
  readonly outer: PlainPart | null
}

/** How often the escapes of a text are decoded: JSON may be in a string of JSON in a line of a log. */
const mostLevels = 3
/** How much of the text around a place that differs is searched again. A longer match is found only in this part. */
const around = 4_096
/** How far a place that differs may be from a match. Less than `around`, because the end of a part may cut what is around a match. */
const context = around / 2
const asAscii = /^[\t\n\r -~]*$/
const classOf = (characters: Iterable<string>) => [...characters].join('')
/** Marks over, under and around a letter. */
const marks = '\\u{300}-\\u{36f}\\u{20d0}-\\u{20f0}'
/** Finds characters that people do not see, marks, spaces, and characters that look like ASCII in every text. Leaves out the parts of an emoji. */
const changed = `[\\p{Default_Ignorable_Code_Point}${marks}\\u{85}\\u{2028}\\u{2029}${classOf(alwaysAlike.keys())}](?<!\\p{Extended_Pictographic}\\u{fe0f}?[\\u{fe0f}\\u{200d}])|(?! )\\p{Zs}`
/** Finds words with letters of ASCII and of another script. Only in such words, letters of the other script are read as ASCII. */
const mixed = `[A-Za-z][\\d_-]*[${otherScripts}]|[${otherScripts}][\\d_-]*[A-Za-z]`
const otherLetters = new RegExp(`[${otherScripts}]`, 'gu')
/** A word from its first letter of another script on. */
const wordFromOther = new RegExp(`[${otherScripts}][\\w${otherScripts}-]*`, 'gu')
const ignorable = new RegExp(`^[\\p{Default_Ignorable_Code_Point}${marks}]$`, 'u')
const space = /^\p{Zs}$/u

/** How one kind of text is read. `places` finds what differs from the plain form. `special` has a 1 for each ASCII character that may begin such a place. */
interface Reader {
  readonly places: RegExp
  readonly special: Uint8Array
  readonly reading: Reading
}

const readerOf = (reading: Reading, others: readonly string[]): Reader => ({
  places: new RegExp([...others, escapedSource(reading)].join('|'), 'gu'),
  special: specialAscii(reading),
  reading,
})
const readersOf = (others: readonly string[], sequences: boolean) => ({
  ofJson: readerOf({ backslashes: false, sequences }, others),
  ofText: readerOf({ backslashes: true, sequences }, others),
})
const asTerminal = readersOf([changed, mixed], true)
const asOther = readersOf([changed, mixed], false)
/** Reads a plain form once more. Only escapes and percent codes can be left in it. */
const again = readersOf([], true)

/** The plain forms of texts. Each text is read once, although it is searched twice. */
export class PlainTexts {
  private readonly known = new Map<string, readonly PlainPart[]>()

  /**
   * Returns the parts of a text that have another plain form, each with this form, and the plain forms of these forms. Set `isJson` for a JSON text:
   * the caller inspects its strings by themselves. Escapes of any other text are decoded, because it may be a part of JSON or of a program.
   */
  partsOf(text: string, isJson: boolean): readonly PlainPart[] {
    const keepsBackslashes = isJson && text.includes('\\')
    if (asAscii.test(text) && (keepsBackslashes || !text.includes('\\')) && !hasPercentCode(text)) return []
    const before = this.known.get(text)
    if (before !== undefined) return before
    const kind = keepsBackslashes ? 'ofJson' : 'ofText'
    const parts = partsWith(text, asTerminal[kind], !keepsBackslashes || hidesBackslash(text))
    if (hasOtherReader(text)) parts.push(...partsWith(text, asOther[kind], !keepsBackslashes))
    this.known.set(text, parts)
    return parts
  }
}

/** `decodes` says whether the plain forms are read with `backslashes`. */
function partsWith(text: string, reader: Reader, decodes: boolean): PlainPart[] {
  const parts: PlainPart[] = []
  let last = plainParts(text, reader, null)
  for (let level = 1; last.length > 0; level++) {
    parts.push(...last)
    if (level === mostLevels) break
    last = last.flatMap((part) => plainParts(part.text, decodes ? again.ofText : again.ofJson, part))
  }
  return parts
}

/** Returns the parts of a text that have another plain form, each with this form. */
function plainParts(text: string, reader: Reader, outer: PlainPart | null): PlainPart[] {
  const changes = Array.from(text.matchAll(reader.places), placesIn).flat()
  const parts: PlainPart[] = []
  for (let first = 0; first < changes.length; ) {
    let next = first + 1
    while (next < changes.length && (changes[next] as number) - (changes[next - 1] as number) <= 2 * around) next++
    const [from, to] = [(changes[first] as number) - around, (changes[next - 1] as number) + around]
    const own = changes.slice(first, next)
    parts.push({ ...plainForm(text, [pairStart(text, from), pairStart(text, to)], reader), changes: own, outer })
    first = next
  }
  return parts
}

/** Returns the beginning and the end of a match, and places between them in a long one. */
function placesIn({ 0: { length }, index }: RegExpExecArray): number[] {
  const places = [index]
  for (let at = index + around; at < index + length - 1; at += around) places.push(at)
  if (length > 1) places.push(index + length - 1)
  return places
}

/** Returns a place within the text that is not inside a pair of surrogates. */
function pairStart(text: string, place: number): number {
  const at = Math.min(Math.max(place, 0), text.length)
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

function plainForm(text: string, [from, to]: [number, number], { special, reading }: Reader) {
  const starts = new Uint32Array(to - from)
  const ends = new Uint32Array(to - from)
  let plainText = ''
  let length = 0
  let at = from
  // The text since this place has only characters that stay as they are.
  let kept = from
  while (at < to) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80 && special[unit] === 0) {
      starts[length] = at++
      ends[length++] = at
      continue
    }
    const { code, size } = readAt(text, at, reading)
    const plain = code === null ? '' : plainOf(code)
    const isSame = plain.length === size
    for (let index = 0; index < plain.length; index++) {
      starts[length] = at + (isSame ? index : 0)
      ends[length++] = isSame ? at + index + 1 : at + size
    }
    if (!isSame || !text.startsWith(plain, at)) {
      plainText += text.slice(kept, at) + plain
      kept = at + size
    }
    at += size
  }
  plainText += text.slice(kept, at)
  return { text: inOneScript(plainText), starts, ends }
}

/** Writes the letters that look like ASCII as ASCII, in the words that also have letters of ASCII. */
function inOneScript(text: string): string {
  return text.replace(wordFromOther, (word, at: number) =>
    /[A-Za-z]/.test(word) || isAfterLetter(text, at)
      ? word.replace(otherLetters, (letter) => alikeInWords.get(letter) ?? letter)
      : word,
  )
}

/** Whether a letter of ASCII stands before this place in the same word. Digits, `_` and `-` between them do not count. */
function isAfterLetter(text: string, place: number): boolean {
  let at = place - 1
  while (at >= 0 && /[\d_-]/.test(text.charAt(at))) at--
  return /[A-Za-z]/.test(text.charAt(at))
}

/**
 * Returns where matches in a part are in the whole text. Leaves out those that are not near a place that differs: the text that was read has them
 * too. A match may be found by what is before or after it, so it need not have such a place in it.
 */
export function originalSpans(part: PlainPart, spans: readonly Span[]): Span[] {
  const { changes } = part
  let next = 0
  return spans.flatMap((span) => {
    if (span.start === span.end) return []
    const { start, end } = readSpan(part, span)
    while (next < changes.length && (changes[next] as number) < start - context) next++
    if (next === changes.length || (changes[next] as number) > end + context) return []
    let original = { start, end }
    for (let { outer } = part; outer !== null; outer = outer.outer) original = readSpan(outer, original)
    return [original]
  })
}

/** Returns where a span of a part is in the text that was read. Invisible characters after the span are not a part of it. */
const readSpan = ({ starts, ends }: PlainPart, span: Span): Span => ({
  start: starts[span.start] as number,
  end: ends[span.end - 1] as number,
})

/** Puts spans of several plain forms in the order of the text. Leaves out those that are a part of another one. */
export function outermost(spans: readonly Span[]): Span[] {
  let foundTo = -1
  return spans
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter(({ end }) => {
      const isInner = end <= foundTo
      foundTo = Math.max(foundTo, end)
      return !isInner
    })
}

const known = new Map<number, string>()
const mostKnown = 10_000

function plainOf(code: number): string {
  if (code < 0x80) return String.fromCharCode(code)
  const before = known.get(code)
  if (before !== undefined) return before
  const plain = computePlain(code)
  if (known.size >= mostKnown) known.clear()
  known.set(code, plain)
  return plain
}

function computePlain(code: number): string {
  const character = String.fromCodePoint(code)
  if (ignorable.test(character)) return ''
  if (space.test(character)) return ' '
  if (code === 0x2028 || code === 0x2029 || code === 0x85) return '\n'
  return alwaysAlike.get(character) ?? character
}
