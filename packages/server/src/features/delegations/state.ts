import type { Delegation } from '@mandate/contract/delegations'
import type { DelegationRow } from './queries.ts'

/** The state of a delegation at a time. A delegation that ended and then expired stays `ended`. */
export function stateOf(
  { ended_at, expires_at }: Pick<DelegationRow, 'ended_at' | 'expires_at'>,
  now: string,
): Delegation['state'] {
  if (ended_at !== null) return 'ended'
  return expires_at > now ? 'active' : 'expired'
}
