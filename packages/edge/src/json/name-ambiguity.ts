import { type Ambiguity, findAmbiguity, type JsonLimits } from './find-ambiguity.ts'

/** Levels of nesting that a text may have. */
export const maxDepth = 128

/** What a local caller may send: requests, calls of a hook, MCP messages of a client. */
export const callerLimits = { depth: maxDepth, keys: 10_000, values: 50_000, entries: 10_000 } satisfies JsonLimits

/** What a tool server may send in one message. Numbers of every precision pass to the client as they are. */
export const serverLimits = {
  depth: maxDepth,
  keys: 500_000,
  values: 1_000_000,
  entries: 500_000,
  anyNumber: true,
} satisfies JsonLimits

const faults: Record<Ambiguity, string> = {
  repeated_key: 'An object holds the same key twice',
  inexact_number: 'A number cannot be carried exactly; send it as a string',
  too_deep: `Nested deeper than ${maxDepth} levels`,
  too_many: 'Too many keys or values',
}

/** Why a text is refused before it is parsed, in words; null if it may be parsed. See `findAmbiguity`. */
export function nameAmbiguity(text: string, limits: JsonLimits = callerLimits): string | null {
  const ambiguity = findAmbiguity(text, limits)
  return ambiguity && faults[ambiguity]
}
