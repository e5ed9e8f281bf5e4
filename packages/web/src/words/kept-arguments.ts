import { missingValueTexts } from '@mandate/contract/words/policy-words'
import type { Schema } from '@mandate/sdk'

type Kept = NonNullable<Schema<'Decision'>['kept_arguments']>[number]

/** Why the value of an argument is not known. A later edge may give reasons that are not listed. */
export function whyMissing(because: string | undefined): string {
  return missingValueTexts[because ?? ''] ?? 'the edge did not keep it'
}

/** What a record has at a path instead of a value. Undefined for a value. */
export function keptNote({ state, because }: Pick<Kept, 'state' | 'because'>): string | undefined {
  if (state === 'value') return undefined
  if (state === 'not_kept') return `Not kept: ${whyMissing(because)}.`
  return state === 'absent' ? 'The call does not have it.' : 'The path leads through a value without fields.'
}
