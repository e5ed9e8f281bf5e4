import type { Schema } from '@mandate/sdk'
import { isolated } from '../ui/texts/direction/isolated.ts'
import { numberOf } from './words.ts'

type Match = Schema<'ContentMatch'>

const actions: Record<Match['action'], string> = {
  flag: 'flag',
  label: 'label the session',
  redact: 'redact',
  require_approval: 'ask a person',
  deny: 'deny',
}

const sides: Record<Match['on'], string> = { arguments: 'in the arguments', results: 'in the result' }

/** The edge names this pattern for a value that it could not inspect. */
const uninspectedId = 'c0de0000-0000-4000-8000-000000000000'

/** A match in words, such as "AWS access key id: 2 in the arguments, ask a person". A pattern that was deleted has its id. */
export function matchText(
  { pattern_id: id, on, count, action }: Match,
  patterns: readonly Pick<Schema<'ContentPattern'>, 'id' | 'name'>[],
): string {
  const name = patterns.find((pattern) => pattern.id === id)?.name ?? `Pattern ${id}`
  const what = id === uninspectedId ? 'A value that could not be inspected' : isolated(name)
  return `${what}: ${numberOf(count)} ${sides[on]}, ${actions[action]}`
}
