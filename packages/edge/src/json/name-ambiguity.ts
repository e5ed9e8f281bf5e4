import { type Ambiguity, findAmbiguity } from './find-ambiguity.ts'

/** Levels of nesting that a text may have. */
export const maxDepth = 128

const faults: Record<Ambiguity, string> = {
  repeated_key: 'An object holds the same key twice',
  inexact_number: 'A number cannot be carried exactly; send it as a string',
  too_deep: `Nested deeper than ${maxDepth} levels`,
}

/** Tells the sender of a text that `JSON.parse` has accepted why two parsers could read it differently; null where none could. */
export function nameAmbiguity(text: string): string | null {
  const ambiguity = findAmbiguity(text, maxDepth)
  return ambiguity && faults[ambiguity]
}
