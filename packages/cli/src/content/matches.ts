import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { dataFormat, type OutputOptions } from '../output/format.ts'
import { patternsForNames } from './patterns.ts'

type Match = Schema<'ContentMatch'>

/** Names by the ids of patterns. */
export type PatternNames = ReadonlyMap<string, string>

/** The edge names this pattern for a value that it could not inspect. */
const uninspectedId = 'c0de0000-0000-4000-8000-000000000000'

/** Returns the names of patterns for people. Reads no patterns if there are no matches, or if programs read the output. */
export async function patternNames(
  client: Client,
  matches: readonly Match[],
  options: OutputOptions,
): Promise<PatternNames> {
  if (matches.length === 0 || dataFormat(options)) return new Map()
  const named = (await patternsForNames(client)).map(({ id, name }) => [id, name] as const)
  return new Map([...named, [uninspectedId, 'a value that could not be inspected']])
}

/** Matches in words, such as `AWS access key id (2 in results, redact)`. A pattern that was deleted is named by its id. */
export function matchesText(matches: readonly Match[], nameOf: PatternNames): string {
  return matches
    .map(({ pattern_id: id, on, count, action }) => `${nameOf.get(id) ?? id} (${count} in ${on}, ${action})`)
    .join(', ')
}
