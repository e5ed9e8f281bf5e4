import type { checkNames, contentActions, contentSides, patternKinds } from '@mandate/contract/words/content-words'

export type CheckName = (typeof checkNames)[number]
export type PatternKind = (typeof patternKinds)[number]
export type ContentSide = (typeof contentSides)[number]
export type ContentAction = (typeof contentActions)[number]

/** A pattern that finds something in text. */
export interface PatternDefinition {
  readonly id: string
  readonly name: string
  readonly group: string
  readonly kind: PatternKind
  /** RE2 syntax. Only for `regex`. If the expression has a capturing group, the first one is the match. */
  readonly expression?: string | undefined
  /** Words and phrases, found as whole words in any letter case. Only for `words`. */
  readonly words?: readonly string[] | undefined
  readonly builtin: boolean
  /** What a match must pass besides the expression. Only for built-in patterns. */
  readonly check?: CheckName | undefined
}

/** What a policy does about the matches of a pattern, or of the patterns of a group. Exactly one of `pattern_id` and `group` is set. */
export interface Binding {
  readonly pattern_id?: string | undefined
  readonly group?: string | undefined
  readonly on: ContentSide
  readonly action: ContentAction
  /** The label that the session gets. Only for the action `label`. */
  readonly label?: string | undefined
}

/** The bindings of a policy, with every pattern that they name. */
export interface ContentRules {
  readonly version: number
  readonly bindings: readonly Binding[]
  readonly patterns: readonly PatternDefinition[]
}

/** A part of a text, in UTF-16 units. `end` is not included. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Stands in decisions for the pattern of a text that cannot be inspected. Nobody can bind it. */
export const uninspectedPatternId = 'c0de0000-0000-4000-8000-000000000000'
