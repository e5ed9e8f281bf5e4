import type { Span } from '../definition.ts'

/**
 * The plain form of a part of a text: without what hides something from a search, which are invisible characters, letters and spaces that look like
 * ASCII, and escapes. `starts` has the place of each unit in the whole text, and the end of the part. `changes` has the places that differ.
 */
export interface PlainPart {
  readonly text: string
  readonly starts: Uint32Array
  readonly changes: readonly number[]
  /** Returns the end of the character or escape at a place in the whole text. */
  readonly endAt: (place: number) => number
}

/** How much of the text around a place that differs is searched again. A longer match is found only in this part. */
const around = 4_096
/** How far a place that differs may be from a match. Less than `around`, because the end of a part may cut what is around a match. */
const context = around / 2
const backslash = 0x5c
const isAscii = /^[^\x80-\u{10ffff}]*$/u
const anyEscape = /\\(?:u[0-9a-fA-F]{4}|[nrt"\\/])/
/** Characters that people do not see, spaces, hyphens, and letters and digits that look like ASCII in every text. Not the parts of an emoji. */
const changed =
  /[\p{Default_Ignorable_Code_Point}\u{85}\u{2028}\u{2029}\u{2010}\u{2011}\u{2212}\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}](?<!\p{Extended_Pictographic}\u{fe0f}?[\u{fe0f}\u{200d}])|(?! )\p{Zs}/u
/** Cyrillic and Greek letters look like ASCII in a word that has letters of both scripts. */
const mixed = /[A-Za-z][\d_-]*[\u{370}-\u{52f}]|[\u{370}-\u{52f}][\d_-]*[A-Za-z]/u
const otherLetters = /[\u{370}-\u{52f}]/gu
/** A word from its first letter of another script on. */
const wordFromOther = /[\u{370}-\u{52f}][\w\u{370}-\u{52f}-]*/gu
const differs = new RegExp(`${changed.source}|${mixed.source}`, 'gu')
const differsOrEscape = new RegExp(`${changed.source}|${mixed.source}|${anyEscape.source}`, 'gu')
const ignorable = /^\p{Default_Ignorable_Code_Point}$/u
const space = /^\p{Zs}$/u
const lookAlikes = new Map(
  Object.entries({
    ...{ a: 'аα', c: 'с', d: 'ԁ', e: 'е', h: 'һ', i: 'іι', j: 'ј', k: 'кκ', m: 'м', n: 'п', o: 'оο', p: 'рρ', q: 'ԛ' },
    ...{
      s: 'ѕ',
      t: 'тτ',
      u: 'υ',
      v: 'νѵ',
      w: 'ԝ',
      x: 'х',
      y: 'уγ',
      A: 'АΑ',
      B: 'ВΒ',
      C: 'С',
      E: 'ЕΕ',
      H: 'НΗ',
      I: 'ІΙ',
    },
    ...{ J: 'Ј', K: 'КΚ', M: 'МΜ', N: 'Ν', O: 'ОΟ', P: 'РΡ', S: 'Ѕ', T: 'ТΤ', X: 'ХΧ', Y: 'ҮΥ', Z: 'Ζ' },
  }).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const)),
)
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

/** The plain forms of texts. Each text is read once, although it is searched twice. */
export class PlainTexts {
  private readonly known = new Map<string, readonly PlainPart[]>()

  /**
   * Returns the parts of a text that have another plain form, each with this form. Set `isJson` for a JSON text: the
   * caller inspects its strings by themselves. Escapes of any other text are decoded, because it may be a part of JSON or of a program.
   */
  partsOf(text: string, isJson: boolean): readonly PlainPart[] {
    const decodes = !isJson && text.includes('\\')
    if (!decodes && isAscii.test(text)) return []
    const before = this.known.get(text)
    if (before !== undefined) return before
    const parts = plainParts(text, decodes)
    this.known.set(text, parts)
    return parts
  }
}

/** Returns the parts of a text that have another plain form, each with this form. Set `decodes` to decode escapes in the text. */
function plainParts(text: string, decodes: boolean): PlainPart[] {
  const changes = Array.from(text.matchAll(decodes ? differsOrEscape : differs), ({ index }) => index)
  const parts: PlainPart[] = []
  for (let first = 0; first < changes.length; ) {
    let next = first + 1
    while (next < changes.length && (changes[next] as number) - (changes[next - 1] as number) <= 2 * around) next++
    const [from, to] = [(changes[first] as number) - around, (changes[next - 1] as number) + around]
    parts.push(plainPart(text, [pairStart(text, from), pairStart(text, to)], changes.slice(first, next), decodes))
    first = next
  }
  return parts
}

/** Returns a place within the text that is not inside a pair of surrogates. */
function pairStart(text: string, place: number): number {
  const at = Math.min(Math.max(place, 0), text.length)
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

function plainPart(
  text: string,
  [from, to]: [number, number],
  changes: readonly number[],
  decodes: boolean,
): PlainPart {
  const readAt = decodes ? unescapedAt : codeAt
  const starts = new Uint32Array(to - from + 1)
  let plainText = ''
  let length = 0
  let at = from
  // The text since this place has only characters that stay as they are.
  let kept = from
  while (at < to) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80 && (unit !== backslash || !decodes)) {
      starts[length++] = at++
      continue
    }
    const { code, size } = readAt(text, at)
    const plain = plainOf(code)
    const isSame = plain.length === size
    for (let index = 0; index < plain.length; index++) starts[length++] = at + (isSame ? index : 0)
    if (!isSame || !text.startsWith(plain, at)) {
      plainText += text.slice(kept, at) + plain
      kept = at + size
    }
    at += size
  }
  starts[length] = at
  plainText += text.slice(kept, at)
  return { text: inOneScript(plainText), starts, changes, endAt: (place) => place + readAt(text, place).size }
}

/** Writes the letters that look like ASCII as ASCII, in the words that also have letters of ASCII. */
function inOneScript(text: string): string {
  return text.replace(wordFromOther, (word, at: number) =>
    /[A-Za-z]/.test(word) || isAfterLetter(text, at)
      ? word.replace(otherLetters, (letter) => lookAlikes.get(letter) ?? letter)
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
 * Returns where matches in a part are in the whole text. Leaves out those that are not near a place that differs: the text has them too. A match
 * may be found by what is before or after it, so it need not have such a place in it.
 */
export function originalSpans({ starts, changes, endAt }: PlainPart, spans: readonly Span[]): Span[] {
  let next = 0
  return spans.flatMap((span) => {
    if (span.start === span.end) return []
    // Invisible characters after the match are not a part of it.
    const [start, end] = [starts[span.start] as number, endAt(starts[span.end - 1] as number)]
    while (next < changes.length && (changes[next] as number) < start - context) next++
    return next < changes.length && (changes[next] as number) <= end + context ? [{ start, end }] : []
  })
}

function codeAt(text: string, at: number): { code: number; size: number } {
  const code = text.codePointAt(at) as number
  return { code, size: code > 0xffff ? 2 : 1 }
}

function unescapedAt(text: string, at: number): { code: number; size: number } {
  if (text[at] !== '\\') return codeAt(text, at)
  const next = text[at + 1] ?? ''
  const unit = next === 'u' ? escapedUnit(text, at) : null
  if (unit !== null) {
    const low = unit >= 0xd800 && unit <= 0xdbff ? escapedUnit(text, at + 6) : null
    const isPair = low !== null && low >= 0xdc00 && low <= 0xdfff
    return isPair ? { code: 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), size: 12 } : { code: unit, size: 6 }
  }
  const plain = Object.hasOwn(escaped, next) ? escaped[next] : undefined
  return plain === undefined ? codeAt(text, at) : { code: plain.charCodeAt(0), size: 2 }
}

/** Returns the unit of UTF-16 that is written as `\\u` and four digits. Null if none is at this place. */
function escapedUnit(text: string, at: number): number | null {
  const digits = text.startsWith('\\u', at) ? text.slice(at + 2, at + 6) : ''
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : null
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
  if (code === 0x2010 || code === 0x2011 || code === 0x2212) return '-'
  if ((code >= 0xff01 && code <= 0xff5e) || (code >= 0x1d400 && code <= 0x1d7ff)) {
    const ascii = character.normalize('NFKC')
    if (ascii.length === 1 && ascii < '\x80') return ascii
  }
  return character
}
