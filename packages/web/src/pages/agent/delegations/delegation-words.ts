import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../../ui/page/state.tsx'

type Delegation = Pick<Schema<'Delegation'>, 'state' | 'ended_because' | 'expires_at'>

export const delegationStates: Record<Delegation['state'], StateLook> = {
  active: { glyph: 'allow', word: 'Active', tone: 'allow' },
  expired: { glyph: 'retired', word: 'Expired', tone: 'off' },
  ended: { glyph: 'close', word: 'Ended', tone: 'off' },
}

/** The state now. A delegation expires without an event, so the one that was read can be old. */
export const stateAt = ({ state, expires_at }: Pick<Delegation, 'state' | 'expires_at'>, now: number) =>
  state === 'active' && Date.parse(expires_at) <= now ? 'expired' : state

/** Such as "delegation of Ana to support-triage to mail-writer". */
export const delegationName = ({ chain }: Pick<Schema<'Delegation'>, 'chain'>) =>
  `delegation of ${chain.map(({ name }) => name).join(' to ')}`

const ends: Record<NonNullable<Delegation['ended_because']>, string> = {
  revoked: 'This delegation or its parent was revoked.',
  access_lost: 'The person may no longer delegate to the first agent.',
  suspended: 'An agent of the chain was suspended.',
  archived: 'An agent of the chain was archived.',
  blocked: 'An agent of the chain was blocked.',
  retired: 'An agent of the chain was retired.',
}

/** Why a delegation ended before its time. Empty if it did not. */
export const endOf = ({ ended_because: why }: Pick<Delegation, 'ended_because'>): string =>
  why === null ? '' : ends[why]
