import { checkNames } from '@mandate/contract/words/content-words'
import type { RE2JS } from 're2js'
import type { BuiltinPattern } from './builtin/builtin.ts'
import { builtinPattern } from './builtin/catalogue.ts'
import { checks, restSearches } from './builtin/checks.ts'
import type { CheckName, PatternDefinition, Span } from './definition.ts'
import { compileExpression, compileRe2, InvalidExpression } from './expression.ts'
import { nativeExpression } from './native-expression.ts'
import { requiredTexts } from './required-texts.ts'
import type { SearchedText } from './searched-text.ts'
import { plainParts, WordSearch } from './words.ts'

/** A pattern that is ready to search. */
export interface CompiledPattern {
  readonly definition: PatternDefinition
  /** True if the time of a search can be much longer than that of a built-in pattern. */
  readonly isSlow: boolean
  /** Whether a text may have the name that a match needs before it, which may be the key of a field. Null if it needs none. */
  readonly hasName: ((text: SearchedText) => boolean) | null
  /**
   * Whether the pattern may match one of several texts that are joined by line breaks. If the result is false, it matches none of them.
   */
  mayMatch(joined: SearchedText): boolean
  /** Returns the matches in the order of the text. They do not overlap. */
  find(text: SearchedText): Span[]
}

/** @throws InvalidExpression if the pattern cannot be compiled, or needs a check that this version does not have */
export function compilePattern(definition: PatternDefinition): CompiledPattern {
  if (definition.kind === 'words') return compileWords(definition)
  const known = definition.builtin ? builtinPattern(definition.id) : undefined
  if (known && known.expression === definition.expression && known.check === definition.check)
    return compileKnown(known)
  return compileOther(definition)
}

function compileWords(definition: PatternDefinition): CompiledPattern {
  const words = definition.words ?? []
  const search = new WordSearch(words)
  const parts = words.map(plainParts)
  return {
    definition,
    isSlow: false,
    hasName: null,
    mayMatch: (text) => parts.some((own) => own.every((part) => text.mayHave(part))) && search.isIn(text.folded),
    find: (text) => search.find(text.folded),
  }
}

/** Compiles a pattern of the product for this engine. */
export function compileKnown(pattern: BuiltinPattern): CompiledPattern {
  const { keywords, around, run, afterName, check } = pattern
  const expression = nativeExpression(pattern.expression, 'dg')
  // A name may be in another text than its value.
  const probe = nativeExpression(afterName ?? pattern.expression, '')
  const hasKeyword = (text: SearchedText) => keywords.length === 0 || keywords.some((keyword) => text.has(keyword))
  const isPossible = (text: SearchedText) => hasKeyword(text) && (run === undefined || text.hasRun(run))
  const places = around && placesFor(around)
  const search = places ? (text: SearchedText) => findAround(expression, text, keywords, places) : null
  return {
    definition: pattern,
    isSlow: false,
    hasName: afterName === undefined ? null : hasKeyword,
    // What an expression of the product finds in one of the texts, it also finds in the joined text: none of them needs the beginning or
    // the end of a text where a line break would not do.
    mayMatch: (text) => isPossible(text) && (around !== undefined || probe.test(text.text)),
    find(text) {
      if (!isPossible(text)) return []
      const found = search && text.isAligned ? search(text) : findNative(expression, text.text)
      return check === undefined ? found : checked(text.text, found, check)
    },
  }
}

/** For the patterns of the tenant, and for built-in ones that this version does not have or has in another form. */
function compileOther(definition: PatternDefinition): CompiledPattern {
  const { expression = '', check } = definition
  if (check !== undefined && !checkNames.includes(check)) {
    throw new InvalidExpression(`needs the check ${JSON.stringify(check)}, which this version does not have`)
  }
  const compiled = definition.builtin ? compileRe2(expression) : compileExpression(expression)
  const needed = requiredTexts(expression)
  return {
    definition,
    isSlow: true,
    hasName: null,
    mayMatch: (text) => needed.every((one) => text.has(one)),
    find(text) {
      if (!needed.every((one) => text.has(one)) || !compiled.test(text.text)) return []
      const found = findRe2(compiled, text.text, definition.builtin)
      return check === undefined ? found : checked(text.text, found, check)
    },
  }
}

/** Returns the matches that pass a check, and the numbers in the rest of the matches. Where they overlap, a match that passes comes first. */
function checked(text: string, matches: readonly Span[], check: CheckName): Span[] {
  const [verify, searchRest] = [checks[check], restSearches[check]]
  if (searchRest === undefined) return matches.flatMap((span) => verify(text, span) ?? [])
  const found: Span[] = []
  const foundTo = () => found.at(-1)?.end ?? 0
  for (const span of matches) {
    const passed = verify(text, span)
    if (passed !== null) {
      if (foundTo() > passed.start) found.pop()
      found.push(passed)
    }
    const start = Math.max(span.start, foundTo())
    if (start < span.end) found.push(...searchRest(text, { start, end: span.end }))
  }
  return found
}

function findRe2(compiled: RE2JS, text: string, usesGroup: boolean): Span[] {
  const found: Span[] = []
  const matcher = compiled.matcher(text)
  while (matcher.find()) {
    const group = usesGroup ? firstGroup(matcher) : 0
    const span = { start: matcher.start(group), end: matcher.end(group) }
    if (span.end > span.start) found.push(span)
  }
  return found
}

function firstGroup(matcher: ReturnType<RE2JS['matcher']>): number {
  for (let group = 1; group <= matcher.groupCount(); group++) if (matcher.start(group) >= 0) return group
  return 0
}

function findNative(expression: RegExp, text: string): Span[] {
  const found: Span[] = []
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    const span = spanOf(match)
    if (span.end > span.start) found.push(span)
    step(expression, match)
  }
  return found
}

interface Places {
  /** Where the search for the keyword at this place begins. */
  startOf(text: string, place: number): number
  /** How far it goes, from the beginning of the keyword. */
  after: number
  /** Must match at the place of a keyword. Null if every place is searched. */
  tail: RegExp | null
}

function placesFor({ before, after, tail, leading }: NonNullable<BuiltinPattern['around']>): Places {
  const isLeading = leading === undefined ? null : asciiClass(leading)
  return {
    after,
    tail: tail === undefined ? null : nativeExpression(tail, 'y'),
    startOf(text, place) {
      const first = Math.max(0, place - before)
      if (isLeading === null) return first
      let start = place
      while (start > first && isLeading[text.charCodeAt(start - 1)] === 1) start--
      return Math.max(first, start - 1)
    },
  }
}

/** Returns a table of the ASCII characters, with a 1 for each that a class matches. */
const asciiClass = (expression: string) =>
  Uint8Array.from({ length: 128 }, (_, code) => Number(new RegExp(expression).test(String.fromCharCode(code))))

function findAround(
  expression: RegExp,
  { text, lower }: SearchedText,
  keywords: readonly string[],
  { startOf, after, tail }: Places,
): Span[] {
  const found: Span[] = []
  const places = keywords.flatMap((keyword) => placesOf(lower, keyword)).sort((one, other) => one - other)
  let searchedTo = 0
  for (const place of places) {
    if (place < searchedTo || !isMatchedAt(tail, text, place)) continue
    expression.lastIndex = Math.max(searchedTo, startOf(text, place))
    // The end of the search is a part of the text, so that the search stops there. It has more characters than a match may have.
    const match = expression.exec(text.slice(0, Math.min(text.length, place + after)))
    // A match that begins later has another keyword, and the end of the search may cut it.
    if (!match || match.index > place) {
      searchedTo = Math.max(searchedTo, place)
      continue
    }
    found.push(spanOf(match))
    searchedTo = Math.max(spanOf(match).end, place + 1)
  }
  return found
}

/** Whether an expression matches at a place of the text. True without an expression. */
function isMatchedAt(expression: RegExp | null, text: string, place: number): boolean {
  if (expression === null) return true
  expression.lastIndex = place
  return expression.test(text)
}

function placesOf(lower: string, keyword: string): number[] {
  const places: number[] = []
  for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + 1)) places.push(at)
  return places
}

function spanOf(match: RegExpExecArray): Span {
  const group = match.indices?.slice(1).find((indices) => indices !== undefined)
  const [start, end] = (group ?? match.indices?.[0] ?? [match.index, match.index + match[0].length]) as [number, number]
  return { start, end }
}

// A match may end with a character that belongs to the next one. So the search goes on after the group.
function step(expression: RegExp, match: RegExpExecArray): void {
  const { end } = spanOf(match)
  if (end > match.index) expression.lastIndex = end
}
