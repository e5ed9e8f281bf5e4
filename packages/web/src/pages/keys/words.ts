import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import type { Clause } from '../../ui/texts/sentence.tsx'
import { counted } from '../../words/words.ts'

type ApiKey = Schema<'ApiKey'>

/** A key that was not used for this many days is worth a look. */
export const unusedDays = 30
/** A key of this age should be replaced. */
export const oldDays = 90

/** Whether a key is active now. */
export function stateOf({ revoked_at, expires_at }: ApiKey, now: number): StateLook {
  if (revoked_at) return { glyph: 'blocked', word: 'Revoked', tone: 'quiet' }
  if (expires_at && Date.parse(expires_at) <= now) return { glyph: 'clock', word: 'Expired', tone: 'quiet' }
  return { glyph: 'approved', word: 'Active', tone: 'quiet' }
}

/** What the key may do. No scope, or the scope `*`, is everything that its creator may do. */
export const isUnlimited = ({ scopes }: Pick<ApiKey, 'scopes'>) => scopes.length === 0 || scopes.includes('*')

/** Returns the newest key that was created later than a key, with the same name, scopes and environment. */
export const newerOf = (keys: readonly ApiKey[], key: ApiKey): ApiKey | undefined =>
  keys
    .filter((other) => other.created_at > key.created_at && rightsOf(other) === rightsOf(key))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))[0]

const rightsOf = ({ name, scopes, environment_id }: ApiKey) => JSON.stringify([name, scopes.toSorted(), environment_id])

interface Counts {
  active: number
  unused: number
  old: number
}

/** What is wrong with the active keys. */
export function clausesOf({ unused, old }: Counts): Clause[] {
  const clauses: Clause[] = []
  if (unused > 0) {
    const text = counted(
      unused,
      `# key was not used for ${unusedDays} days`,
      `# keys were not used for ${unusedDays} days`,
    )
    clauses.push({ text, to: '/keys', search: { unused_days: String(unusedDays) }, tone: 'hold' })
  }
  if (old > 0) {
    const text = counted(old, `# key is older than ${oldDays} days`, `# keys are older than ${oldDays} days`)
    clauses.push({ text, to: '/keys', search: { older_days: String(oldDays) }, tone: 'hold' })
  }
  return clauses
}

/** How many keys are active, as what is fine. */
export const fineOf = ({ active }: Counts) =>
  active === 0 ? 'There is no active API key.' : counted(active, '# API key is active.', '# API keys are active.')
