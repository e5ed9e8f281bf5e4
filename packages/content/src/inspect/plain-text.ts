import type { Span } from '../definition.ts'

/**
 * The plain form of a part of a text: without what hides something from a search, which are invisible characters, letters and spaces that look like
 * ASCII, and escapes. `starts` has the place of each unit in the whole text, and the end of the part. `changes` has the places that differ.
 */
export interface PlainPart {
  readonly text: string
  readonly starts: Uint32Array
  readonly changes: readonly number[]
}

/** How much of the text around a place that differs is searched again. A longer match is found only in this part. */
const around = 4_096
const isAscii = /^[^\x80-\u{10ffff}]*$/u
const anyEscape = /\\(?:u[0-9a-fA-F]{4}|[nrt"\\/])/
/** Characters that people do not see, spaces, hyphens, and letters and digits that look like ASCII in every text. Not the parts of an emoji. */
const changed =
  /[\p{Default_Ignorable_Code_Point}\u{85}\u{2028}\u{2029}\u{2010}\u{2011}\u{2212}\u{ff01}-\u{ff5e}\u{1d400}-\u{1d7ff}](?<!\p{Extended_Pictographic}\u{fe0f}?[\u{fe0f}\u{200d}])|(?! )\p{Zs}/u
/** Cyrillic and Greek letters look like ASCII in a word that has letters of both scripts. */
const mixed = /[A-Za-z][\u{370}-\u{3ff}\u{400}-\u{52f}]|[\u{370}-\u{3ff}\u{400}-\u{52f}][A-Za-z]/u
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
  }).flatMap(([ascii, others]) => [...others].map((other) => [other.codePointAt(0) as number, ascii] as const)),
)
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

/**
 * Returns the plain forms of the parts of a text that differ from it. `hasEscapes` is true if the text may be a part of a JSON text or of a program,
 * so that its escapes are decoded.
 */
export function plainParts(text: string, hasEscapes: boolean): PlainPart[] {
  const decodes = hasEscapes && text.includes('\\')
  if (!decodes && isAscii.test(text)) return []
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
  const isMixed = decodes || mixed.test(text.slice(from, to))
  const starts = new Uint32Array(to - from + 1)
  const units: string[] = []
  let length = 0
  let at = from
  while (at < to) {
    const { code, size } = decodes ? unescapedAt(text, at) : codeAt(text, at)
    const plain = code < 0x80 ? String.fromCharCode(code) : plainOf(code, isMixed)
    for (let unit = 0; unit < plain.length; unit++) starts[length++] = at + (size === plain.length ? unit : 0)
    units.push(plain)
    at += size
  }
  starts[length] = at
  return { text: units.join(''), starts, changes }
}

/** Returns where matches in a part are in the whole text. Leaves out those that are not at a place that differs: the text has them too. */
export function originalSpans({ starts, changes }: PlainPart, spans: readonly Span[]): Span[] {
  let next = 0
  return spans.flatMap((span) => {
    const [start, end] = [starts[span.start] as number, starts[span.end] as number]
    // An escape before the match has up to six characters.
    while (next < changes.length && (changes[next] as number) < start - longestEscape) next++
    return next < changes.length && (changes[next] as number) <= end ? [{ start, end }] : []
  })
}

const longestEscape = 6

function codeAt(text: string, at: number): { code: number; size: number } {
  const code = text.codePointAt(at) as number
  return { code, size: code > 0xffff ? 2 : 1 }
}

function unescapedAt(text: string, at: number): { code: number; size: number } {
  if (text[at] !== '\\') return codeAt(text, at)
  const next = text[at + 1] ?? ''
  const digits = next === 'u' ? text.slice(at + 2, at + 6) : ''
  if (/^[0-9a-fA-F]{4}$/.test(digits)) return { code: Number.parseInt(digits, 16), size: 6 }
  const plain = Object.hasOwn(escaped, next) ? escaped[next] : undefined
  return plain === undefined ? codeAt(text, at) : { code: plain.charCodeAt(0), size: 2 }
}

const known = new Map<number, string>()
const mostKnown = 10_000

function plainOf(code: number, isMixed: boolean): string {
  if (isMixed) {
    const ascii = lookAlikes.get(code)
    if (ascii !== undefined) return ascii
  }
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
