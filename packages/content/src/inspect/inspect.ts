import type { BoundPattern, CompiledSide } from '../compile-content.ts'
import type { ContentSide } from '../definition.ts'
import { SearchedText } from '../searched-text.ts'
import { type EmbeddedKind, embeddedKind, type JsonValue } from './embedded-text.ts'
import { deepestJson, findInText, findWithName, type Sought, type TextFindings, Uninspectable } from './find-in-text.ts'
import { isJsonText, stringTokens } from './json-tokens.ts'
import { NamedPatterns, nameOfField } from './named-patterns.ts'
import { type NumberSource, textsOfNumber } from './number-texts.ts'
import { PlainTexts } from './plain-text.ts'
import { replacementFor, rewriteText } from './rewrite-text.ts'

/** Maximum size of all texts of a value in UTF-8. */
export const maxTextBytes = 1_048_576
/**
 * Maximum number of characters of the texts with replaced matches, in the redacted and the masked value together. A replacement may be many times as
 * long as its match, and the event loop copies both values from the worker thread.
 */
const mostRewritten = 8 * maxTextBytes
/** Maximum levels of a value that are inspected. */
const deepest = 128

/** What was found in a value. It has no part of the value, except `redacted` and `masked`, which have no match. */
export interface Inspection {
  /** How often each pattern matched, by its id. */
  readonly counts: ReadonlyMap<string, number>
  /** Why a part of the value could not be inspected. Null if all of it was inspected. */
  readonly uninspected: string | null
  /** Whether a match that must be redacted is in a value that is not a string, or in a key. */
  readonly isStuck: boolean
  /** The value with the matches redacted that must be. Undefined if nothing is redacted, or if it cannot be. */
  readonly redacted: JsonValue | undefined
  /** The value with all matches replaced, for people to read. Undefined if nothing matched or if it was not asked for. */
  readonly masked: JsonValue | undefined
}

export const nothingFound: Inspection = {
  counts: new Map(),
  uninspected: null,
  isStuck: false,
  redacted: undefined,
  masked: undefined,
}

/** Returns the inspection of a value that was not inspected. */
export const notInspected = (reason: string): Inspection => ({ ...nothingFound, uninspected: reason })

export interface InspectOptions {
  /** Values that are searched too, and in which nothing can be redacted. */
  readonly unchangeable?: readonly JsonValue[]
  readonly masks?: boolean
  /** Where the digits of integers above 2^53 are. Without it, a value with such an integer may be not inspected. */
  readonly numbers?: NumberSource | undefined
}

/** Searches every string of a value, its keys, its numbers and the texts in base64 that it has. */
export function inspect(
  side: CompiledSide,
  value: JsonValue,
  { unchangeable = [], masks = false, numbers }: InspectOptions = {},
): Inspection {
  try {
    const plain = new PlainTexts()
    const texts = new TextCollector(side, { numbers, plain })
    texts.collect(value)
    for (const other of unchangeable) texts.collect(other)
    const candidates = texts.candidates(side.bound)
    if (candidates.length === 0) return nothingFound
    const search = new Search(
      { patterns: candidates, plain, named: NamedPatterns.of(candidates, plain) },
      side.side,
      numbers,
    )
    search.visit(value)
    search.visitFixed(unchangeable)
    return search.result(value, masks)
  } catch (error) {
    if (error instanceof Uninspectable) return notInspected(error.message)
    throw error
  }
}

/** Reads all texts of a value, to find out which patterns can match at all. */
class TextCollector {
  private readonly texts: string[] = []
  /** The plain forms of texts. They do not count as text of the value. */
  private readonly plainTexts: string[] = []
  private readonly plain: PlainTexts
  private readonly side: ContentSide
  private readonly needsDigits: boolean
  private readonly numbers: NumberSource | undefined
  private readonly longNumbers = new Set<number>()
  private bytes = 0

  constructor(
    { side, bound }: CompiledSide,
    { numbers, plain }: { numbers: NumberSource | undefined; plain: PlainTexts },
  ) {
    this.side = side
    this.needsDigits = bound.some(findsDigits)
    this.plain = plain
    this.numbers = numbers
  }

  collect(value: JsonValue, depth = 0): void {
    if (typeof value === 'string') this.add(value)
    else if (typeof value === 'number') this.addNumber(value)
    else if (typeof value === 'object' && value !== null) {
      if (depth === deepest) throw new Uninspectable('it is nested too deeply')
      if (Array.isArray(value)) for (const item of value) this.collect(item, depth + 1)
      else
        for (const [key, item] of Object.entries(value)) {
          this.add(key)
          if (typeof item !== 'string') this.collect(item, depth + 1)
          else {
            const embedded = embeddedKind(key, item, value, this.side)
            if (embedded.kind === 'broken') throw new Uninspectable(embedded.reason)
            for (const text of textsOf(item, embedded)) this.add(text)
          }
        }
    }
  }

  // The number goes on with the digits that the sender wrote, which a number of this size no longer has here.
  private addNumber(value: number): void {
    // The source has the texts of all places where the number is.
    if (this.longNumbers.has(value)) return
    if (!Number.isSafeInteger(value) || (typeof this.numbers === 'object' && this.numbers.has(value)))
      this.longNumbers.add(value)
    const texts = textsOfNumber(value, this.numbers)
    if (texts === null && this.needsDigits) throw new Uninspectable('a number has more digits than can be read exactly')
    for (const text of texts ?? [String(value)]) {
      this.bytes += text.length
      if (this.bytes > maxTextBytes) throw new Uninspectable('it has more than 1 MiB of text')
      this.texts.push(text)
    }
  }

  /** Also adds the values of the strings of a JSON text, because a reader of the JSON gets these. */
  private add(text: string, jsonDepth = 0): void {
    this.bytes += text.length
    if (this.bytes > maxTextBytes) throw new Uninspectable('it has more than 1 MiB of text')
    if (!text.isWellFormed()) throw new Uninspectable('a text is not well-formed Unicode')
    this.texts.push(text)
    const isJson = text.includes('\\') && isJsonText(text)
    for (const part of this.plain.partsOf(text, isJson)) this.plainTexts.push(part.text)
    if (!isJson) return
    if (jsonDepth === deepestJson) throw new Uninspectable('too many JSON texts are in one another')
    for (const { start, end, hasEscapes } of stringTokens(text)) {
      if (hasEscapes) this.add(JSON.parse(text.slice(start, end + 1)), jsonDepth + 1)
    }
  }

  candidates(bound: readonly BoundPattern[]): readonly BoundPattern[] {
    const all = this.texts.join('\n')
    if (Buffer.byteLength(all) > maxTextBytes + this.texts.length)
      throw new Uninspectable('it has more than 1 MiB of text')
    const searched = new SearchedText(this.plainTexts.length === 0 ? all : [all, ...this.plainTexts].join('\n'))
    return bound.filter(({ pattern }) => pattern.mayMatch(searched))
  }
}

/** Whether a pattern may match the digits of a long number. */
const findsDigits = ({ pattern: { definition } }: BoundPattern) => !definition.builtin || definition.check === 'card'

class Search {
  private readonly sought: Sought
  private readonly side: ContentSide
  private readonly counts = new Map<string, number>()
  private readonly findings = new Map<string, TextFindings | null>()
  private readonly numbers: NumberSource | undefined
  private readonly writtenNumbers = new Set<number>()
  private isStuck = false
  private needsRewrite = false
  private losesDigits = false
  private rewritten = 0

  constructor(sought: Sought, side: ContentSide, numbers: NumberSource | undefined) {
    this.sought = sought
    this.side = side
    this.numbers = numbers
  }

  /** The items of a list have the name of the list. */
  visit(value: JsonValue, name: string | null = null): void {
    if (typeof value === 'string') this.note(this.findIn(name, value))
    else if (typeof value === 'number') this.visitNumber(value)
    else if (Array.isArray(value)) for (const item of value) this.visit(item, name)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        this.noteFixed(this.find(key))
        const name = nameOfField(key, value)
        if (typeof item !== 'string') this.visit(item, name)
        else this.visitField(name, item, embeddedKind(key, item, value, this.side))
      }
  }

  private visitField(name: string, item: string, embedded: EmbeddedKind): void {
    const found = textsOf(item, embedded).map((text) => this.findIn(name, text))
    for (const findings of found) this.note(findings)
    // One reader decodes the string, another one does not. No changed string redacts the matches for both.
    if (found.length > 1 && found.every((findings) => findings !== null && mustRedact(findings))) this.isStuck = true
  }

  private visitNumber(value: number): void {
    const written = typeof this.numbers === 'object' ? this.numbers.get(value) : undefined
    if (written !== undefined) {
      // The source has the texts of all places where the number is.
      if (this.writtenNumbers.has(value)) return
      this.writtenNumbers.add(value)
      if (!written.isAlike) this.losesDigits = true
    }
    for (const text of textsOfNumber(value, this.numbers) ?? [String(value)]) this.noteFixed(this.find(text))
  }

  visitFixed(values: readonly JsonValue[]): void {
    const { needsRewrite } = this
    this.needsRewrite = false
    for (const value of values) this.visit(value)
    if (this.needsRewrite) this.isStuck = true
    this.needsRewrite = needsRewrite
  }

  result(value: JsonValue, masks: boolean): Inspection {
    const { counts } = this
    // Several integers of the text are the same double, so the redacted text could not have the digits of each.
    const isStuck = this.isStuck || (this.needsRewrite && this.losesDigits)
    if (counts.size === 0) return nothingFound
    const redacted = this.needsRewrite && !isStuck ? this.rewrite(value, ({ redacts }) => redacts, false) : undefined
    const masked = masks ? this.rewrite(value, () => true, true) : undefined
    return { counts, uninspected: null, isStuck, redacted, masked }
  }

  private find(text: string): TextFindings | null {
    const known = this.findings.get(text)
    if (known !== undefined) return known
    const findings = findInText(text, this.sought)
    this.findings.set(text, findings)
    return findings
  }

  /** Returns what is found in a text, also what needs the name of the text. */
  private findIn(name: string | null, text: string): TextFindings | null {
    return findWithName(name, text, this.sought, this.find(text))
  }

  private note(findings: TextFindings | null): void {
    if (findings === null) return
    for (const { bound, isStuck } of findings.found) {
      this.count(bound)
      if (!bound.redacts) continue
      if (isStuck) this.isStuck = true
      else this.needsRewrite = true
    }
    for (const { findings: inner } of findings.inner) this.note(inner)
  }

  private noteFixed(findings: TextFindings | null): void {
    if (findings === null) return
    for (const { bound } of findings.found) {
      this.count(bound)
      if (bound.redacts) this.isStuck = true
    }
    for (const { findings: inner } of findings.inner) this.noteFixed(inner)
  }

  private count({ pattern }: BoundPattern): void {
    const { id } = pattern.definition
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1)
  }

  /** `everywhere` is true if keys and numbers are replaced too. */
  private rewrite(
    value: JsonValue,
    isReplaced: (bound: BoundPattern) => boolean,
    everywhere: boolean,
    name: string | null = null,
  ): JsonValue {
    if (typeof value === 'string') return this.rewriteFound(value, this.findIn(name, value), isReplaced)
    if (typeof value === 'number') {
      const texts = everywhere ? (textsOfNumber(value, this.numbers) ?? [String(value)]) : []
      const found = texts.flatMap((text) => this.find(text)?.found ?? [])[0]
      return found ? this.countRewritten(replacementFor(found.bound)) : value
    }
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item, isReplaced, everywhere, name))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => {
      const newKey = everywhere ? this.rewriteFound(key, this.find(key), isReplaced) : key
      const own = nameOfField(key, value)
      if (typeof item !== 'string') return [newKey, this.rewrite(item, isReplaced, everywhere, own)]
      return [newKey, this.rewriteField(own, item, embeddedKind(key, item, value, this.side), isReplaced)]
    })
    return Object.fromEntries(entries)
  }

  private rewriteField(
    name: string,
    item: string,
    embedded: EmbeddedKind,
    isReplaced: (bound: BoundPattern) => boolean,
  ): string {
    const rewriteValue = (value: string) => this.rewriteFound(value, this.findIn(name, value), isReplaced)
    if (embedded.kind === 'binary') return item
    if (embedded.kind !== 'text') return rewriteValue(item)
    const { text, isWritten } = embedded
    const asWritten = isWritten ? rewriteValue(item) : item
    const rewritten = rewriteValue(text)
    if (rewritten === text) return asWritten
    // Both the string and the decoded text have a match. In base64, the match of one of them would stay.
    return asWritten === item ? Buffer.from(rewritten, 'utf8').toString('base64') : rewritten
  }

  private rewriteFound(
    text: string,
    findings: TextFindings | null,
    isReplaced: (bound: BoundPattern) => boolean,
  ): string {
    if (findings === null) return text
    const stuck = findings.found.find(({ isStuck, bound }) => isStuck && isReplaced(bound))
    return this.countRewritten(stuck ? replacementFor(stuck.bound) : rewriteText(findings, isReplaced))
  }

  private countRewritten(text: string): string {
    this.rewritten += text.length
    if (this.rewritten > mostRewritten) throw new Uninspectable('it is too long once its matches are replaced')
    return text
  }
}

/** Returns the texts that readers may take from a field. Returns none for data that is not text. */
function textsOf(item: string, embedded: EmbeddedKind): readonly string[] {
  if (embedded.kind === 'binary') return []
  if (embedded.kind !== 'text') return [item]
  return embedded.isWritten ? [item, embedded.text] : [embedded.text]
}

function mustRedact({ found, inner }: TextFindings): boolean {
  return found.some(({ bound }) => bound.redacts) || inner.some(({ findings }) => mustRedact(findings))
}
