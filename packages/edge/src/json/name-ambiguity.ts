import { type Ambiguity, findAmbiguity, type JsonLimits } from './find-ambiguity.ts'

/** Maximum levels of nesting. */
export const maxDepth = 128

/** The limits for texts from local callers: requests, hook calls, and MCP messages of a client. */
export const callerLimits = { depth: maxDepth, keys: 10_000, values: 50_000, entries: 10_000 } satisfies JsonLimits

/** The limits for one message of a tool server. Numbers of any precision are accepted here, because they pass to the client unchanged. */
export const serverLimits = {
  depth: maxDepth,
  keys: 500_000,
  values: 1_000_000,
  entries: 500_000,
  anyNumber: true,
} satisfies JsonLimits

const faults: Record<Ambiguity, string> = {
  repeated_key: 'An object holds the same key twice',
  inexact_number: 'A number cannot be represented exactly; send it as a string',
  too_deep: `Nested deeper than ${maxDepth} levels`,
  too_many: 'Too many keys or values',
}

/** Describes why a text is refused before it is parsed. Null if it may be parsed. See `findAmbiguity`. */
export function nameAmbiguity(
  text: string,
  limits: JsonLimits = callerLimits,
  onNumber?: (digits: string) => void,
): string | null {
  const ambiguity = findAmbiguity(text, limits, onNumber)
  return ambiguity && faults[ambiguity]
}
