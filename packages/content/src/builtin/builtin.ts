import type { CheckName, PatternDefinition } from '../definition.ts'

/** A pattern of the product, with what makes its search fast. */
export interface BuiltinPattern extends PatternDefinition {
  readonly expression: string
  /** Texts in lower case. A text without any of them has no match, so it is not searched. Empty: every text is searched. */
  readonly keywords: readonly string[]
  /**
   * Set if a match can begin before its keyword with many possible characters. Only the text around each keyword is searched: at most
   * `before` characters before it and `after` characters from its beginning. `tail` is the part of the expression from the keyword on.
   * A keyword that it does not match is skipped, without a search before the keyword. `leading` is the class of all characters that a match
   * may have before the keyword. The search then begins one character before them.
   */
  readonly around?: {
    readonly before: number
    readonly after: number
    readonly tail?: string
    readonly leading?: string
  }
  /** A text has no match if it does not have this run of characters. */
  readonly run?: Run
  /**
   * Set if a match needs a name before it, so that the key of a field is searched together with the value of the field. It is the part of the
   * expression behind the name.
   */
  readonly afterName?: string
}

export interface Run {
  readonly of: RunKind
  readonly atLeast: number
}

/** Kinds of characters: those of base64 without `=`, and hexadecimal digits with spaces. */
export type RunKind = 'base64' | 'hex'

interface Given {
  name: string
  expression: string
  keywords: readonly string[]
  around?: BuiltinPattern['around']
  run?: Run
  afterName?: string
  check?: CheckName
}

/** Returns a function that creates the patterns of a group. The number is the end of the pattern's id, and never changes. */
export function patternsOf(group: string) {
  return (number: number, { name, expression, keywords, around, run, afterName, check }: Given): BuiltinPattern => ({
    id: `c0de0000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name,
    group,
    kind: 'regex',
    expression,
    builtin: true,
    keywords,
    ...(around && { around }),
    ...(run && { run }),
    ...(afterName && { afterName }),
    ...(check && { check }),
  })
}
