import type { BoundPattern } from '../compile-content.ts'
import { SearchedText } from '../searched-text.ts'
import type { JsonValue } from './embedded-text.ts'
import type { PlainTexts } from './plain-text.ts'

export const isNameKey = (key: string) => /^(?:name|key)$/i.test(key)
export const isValueKey = (key: string) => /^value$/i.test(key)

/** Returns the name of a field's value: usually its key. In `{"name": "Authorization", "value": "…"}`, the name of `value` is the text of `name`. */
export function nameOfField(key: string, owner: { readonly [key: string]: JsonValue }): string {
  if (!isValueKey(key)) return key
  const name = Object.entries(owner).find(([other, item]) => isNameKey(other) && typeof item === 'string')?.[1]
  return typeof name === 'string' ? name : key
}

/** The patterns that need a name before a match. The name of a text may be the key of its field. */
export class NamedPatterns {
  readonly patterns: readonly BoundPattern[]
  private readonly plain: PlainTexts
  private readonly known = new Map<string, boolean>()

  private constructor(patterns: readonly BoundPattern[], plain: PlainTexts) {
    this.patterns = patterns
    this.plain = plain
  }

  /** Returns null if no pattern needs a name. */
  static of(patterns: readonly BoundPattern[], plain: PlainTexts): NamedPatterns | null {
    const named = patterns.filter(({ pattern }) => pattern.hasName !== null)
    return named.length === 0 ? null : new NamedPatterns(named, plain)
  }

  /** Whether a text may be the name that a pattern needs. Remembers the result, because many objects have the same keys. */
  mayBeName(name: string): boolean {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const texts = [name, ...this.plain.partsOf(name, false).map(({ text }) => text)]
    const mayBe = texts.some((text) => {
      const searched = new SearchedText(text)
      return this.patterns.some(({ pattern }) => pattern.hasName?.(searched) === true)
    })
    this.known.set(name, mayBe)
    return mayBe
  }
}
