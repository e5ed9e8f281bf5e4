import type { BoundPattern } from '../compile-content.ts'
import type { Span } from '../definition.ts'
import { SearchedText } from '../searched-text.ts'
import { isJsonText, namesOfTokens, type StringToken, stringTokens, valueOfToken } from './json-tokens.ts'
import type { NamedPatterns } from './named-patterns.ts'
import { originalSpans, outermost, type PlainTexts } from './plain-text.ts'

/** A match in a text. `isStuck` is true if it cannot be replaced, because it has a part that is no string of the JSON text. */
export interface Found extends Span {
  readonly bound: BoundPattern
  readonly isStuck: boolean
}

/** What was found in a text. */
export interface TextFindings {
  readonly text: string
  /** True if the text is JSON. A replacement must then be a part of a string. */
  readonly isJson: boolean
  readonly found: readonly Found[]
  /** The places that are replaced for each match. A match that spans several strings of a JSON text has several. */
  readonly replaced: readonly (Span & { bound: BoundPattern })[]
  /** Findings in the values of those strings that were searched by themselves, for JSON texts. The span is the text between the quotes. */
  readonly inner: readonly (Span & { findings: TextFindings })[]
}

/** How many JSON texts may be in one another. */
export const deepestJson = 4

/** Thrown if a text cannot be inspected. The message says why. */
export class Uninspectable extends Error {
  override readonly name = 'Uninspectable'
}

/** What a text is searched for. `named` has those of the patterns that need a name; it is null if there are none. `plain` remembers the plain forms of texts. */
export interface Sought {
  readonly patterns: readonly BoundPattern[]
  readonly plain: PlainTexts
  readonly named: NamedPatterns | null
}

/**
 * Searches a text. If the text is JSON, also searches the values of its strings as a reader of the JSON gets them, at most `deepestJson`
 * levels deep.
 */
export function findInText(text: string, sought: Sought, depth = 0): TextFindings | null {
  const hasEscapes = text.includes('\\')
  const isJson = (hasEscapes || sought.named !== null) && isJsonText(text)
  const spans = findSpans(text, sought, isJson)
  if (spans.length === 0 && !isJson) return null
  if (!(isJson || isJsonText(text))) {
    return {
      text,
      isJson: false,
      found: spans.map((span) => ({ ...span, isStuck: false })),
      replaced: spans,
      inner: [],
    }
  }
  const tokens = tokensOf(text, sought.named)
  const inner = depth === deepestJson ? [] : findInStrings(text, tokens, sought, depth)
  const placed = spans.flatMap((span) => placeInJson(text, span, tokens))
  if (placed.length === 0 && inner.length === 0) return null
  const replaced = placed.flatMap(({ bound, parts }) => parts.map((part) => ({ ...part, bound })))
  return { text, isJson: true, found: placed.map(({ parts: _, ...found }) => found), replaced, inner }
}

const beginsJson = /^[ \t\r\n]*[[{]/

/**
 * Searches the value of a name for what needs a name before it. Returns `own`, which was found in the value alone, together with the matches in
 * the value. A JSON text is not the value of a name.
 */
export function findWithName(
  name: string | null,
  value: string,
  { named, plain }: Sought,
  own: TextFindings | null,
): TextFindings | null {
  if (name === null || named === null || !named.mayBeName(name) || beginsJson.test(value)) return own
  const before = name.length + 2
  const known = own?.found ?? []
  const found = findSpans(`${name}: ${value}`, { patterns: named.patterns, plain }, false)
    .filter(({ end }) => end > before)
    .map(({ start, end, bound }) => ({ bound, start: Math.max(0, start - before), end: end - before, isStuck: false }))
    .filter((one) => !known.some(({ bound, start, end }) => bound === one.bound && start < one.end && one.start < end))
  if (found.length === 0) return own
  const { replaced = [], inner = [] } = own ?? {}
  return { text: value, isJson: false, found: [...known, ...found], replaced: [...replaced, ...found], inner }
}

/** Searches a text and its plain form. A match in the plain form counts unless it is in a match of the pattern in the text. */
function findSpans(text: string, { patterns, plain }: Pick<Sought, 'patterns' | 'plain'>, isJson: boolean) {
  const searched = new SearchedText(text)
  const parts = plain.partsOf(text, isJson).map((part) => ({ part, searched: new SearchedText(part.text) }))
  return patterns.flatMap((bound) => {
    const spans = bound.pattern.find(searched)
    const others = outermost(parts.flatMap(({ part, searched: own }) => originalSpans(part, bound.pattern.find(own))))
    return [...spans, ...notWithin(spans, others)].map((span) => ({ ...span, bound }))
  })
}

/** Returns the spans that are not a part of one of `outer`. Both are in the order of the text and do not overlap. */
function notWithin(outer: readonly Span[], spans: readonly Span[]): Span[] {
  let next = 0
  return spans.filter(({ start, end }) => {
    while (next < outer.length && (outer[next] as Span).end <= start) next++
    const at = outer[next]
    return at === undefined || at.start > start || at.end < end
  })
}

/** A string of a JSON text. `isSearched` is true if its value is searched by itself: it has escapes, or a name that a pattern needs. */
interface NamedToken extends StringToken {
  readonly name: string | null
  readonly isSearched: boolean
}

function tokensOf(text: string, named: NamedPatterns | null): NamedToken[] {
  const tokens = stringTokens(text)
  const names = named === null ? [] : namesOfTokens(text, tokens)
  return tokens.map((token, index) => {
    const name = names[index] ?? null
    return { ...token, name, isSearched: token.hasEscapes || (name !== null && named?.mayBeName(name) === true) }
  })
}

function findInStrings(text: string, tokens: readonly NamedToken[], sought: Sought, depth: number) {
  return tokens.flatMap((token) => {
    if (!token.isSearched) return []
    const value = valueOfToken(text, token)
    const findings = findWithName(token.name, value, sought, findInText(value, sought, depth + 1))
    return findings ? [{ start: token.start + 1, end: token.end, findings }] : []
  })
}

type Placed = Found & { parts: readonly Span[] }

/**
 * Returns where a match in a JSON text is replaced: the match itself, or each string that it touches as a whole. A match inside a string
 * is left out if the value of the string is searched by itself.
 */
function placeInJson(text: string, span: Span & { bound: BoundPattern }, tokens: readonly NamedToken[]): Placed[] {
  const { start, end } = span
  const touched = tokens.slice(firstEndingAfter(tokens, start)).filter((token) => token.start < end)
  const [only] = touched
  const isInside = touched.length === 1 && only !== undefined && only.start < start && end <= only.end
  if (isInside) return only.isSearched ? [] : [{ ...span, isStuck: false, parts: [{ start, end }] }]
  const parts = touched.map((token) => ({ start: token.start + 1, end: token.end }))
  return [{ ...span, isStuck: parts.length === 0 || hasOtherValues(text, span, touched), parts }]
}

/** Whether a part of the text has numbers, `true`, `false` or `null` outside its strings. */
function hasOtherValues(text: string, { start, end }: Span, strings: readonly StringToken[]): boolean {
  let rest = ''
  let at = start
  for (const token of strings) {
    rest += text.slice(at, Math.max(at, token.start))
    at = Math.max(at, token.end + 1)
  }
  rest += text.slice(at, Math.max(at, end))
  return /[0-9a-z]/i.test(rest)
}

function firstEndingAfter(tokens: readonly StringToken[], place: number): number {
  let low = 0
  let high = tokens.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((tokens[middle] as StringToken).end >= place) high = middle
    else low = middle + 1
  }
  return low
}
