import { builtinPatterns } from '@mandate/content/builtin/catalogue'
import type { PatternDefinition } from '@mandate/content/definition'
import type { ContentPattern, HeldPattern } from '@mandate/contract/content'
import type { PatternRow } from './pattern-queries.ts'

/** A pattern as sets of bindings and profiles have it. */
export function heldPattern({
  id,
  name,
  group,
  kind,
  expression,
  words,
  builtin,
  check,
}: PatternDefinition): HeldPattern {
  return {
    id,
    name,
    group,
    kind,
    ...(expression !== undefined && { expression }),
    ...(words !== undefined && { words: [...words] }),
    ...(check !== undefined && { check }),
    builtin,
  }
}

export function definitionOf({ id, name, group, kind, expression, words }: PatternRow): PatternDefinition {
  const found = kind === 'regex' ? { expression: expression ?? '' } : { words: words ?? [] }
  return { id, name, group, kind, ...found, builtin: false }
}

export function patternAnswer(row: PatternRow): ContentPattern {
  return { ...heldPattern(definitionOf(row)), created_at: row.created_at }
}

/** The patterns of the product, as sets of bindings and profiles have them. */
export const heldBuiltins: readonly HeldPattern[] = builtinPatterns.map(heldPattern)

export const builtinAnswers: readonly ContentPattern[] = heldBuiltins.map((held) => ({ ...held, created_at: null }))
