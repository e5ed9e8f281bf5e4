import type { Schema } from '@mandate/sdk'
import type { StateLook } from '../../ui/page/state.tsx'
import { isolated } from '../../ui/texts/direction/isolated.ts'
import { stopOf } from '../../words/denials.ts'
import { clockTime } from '../../words/times.ts'
import { capital } from '../../words/words.ts'

type Approval = Schema<'Approval'>
/** What says how an approval ended. */
type Ending = Pick<Approval, 'status' | 'resolved_at' | 'ended_because'>

/** The state of a held call in words. An approved call whose approval expired unused is shown as approved, not as expired. */
export function stateOf(approval: Ending): StateLook {
  switch (approval.status) {
    case 'pending':
      return { glyph: 'hold', word: 'Waiting', tone: 'hold' }
    case 'approved':
      return approvedNotUsed
    case 'consumed':
      return { glyph: 'approved', word: 'Approved, used', tone: 'allow' }
    case 'rejected':
      return { glyph: 'deny', word: 'Denied', tone: 'deny' }
    case 'expired':
      if (approval.resolved_at !== null) return approvedNotUsed
      return stopOf(approval) === undefined
        ? { glyph: 'clock', word: 'Expired', tone: 'off' }
        : { glyph: 'blocked', word: 'Ended by a stop', tone: 'off' }
  }
}

const approvedNotUsed: StateLook = { glyph: 'approved', word: 'Approved, not used', tone: 'allow' }

/** Returns when a held call ended. Undefined while the call waits, and if the API does not say when it ended, as after a freeze. */
export function endedAt(approval: Ending & Pick<Approval, 'expires_at'>): string | undefined {
  if (approval.resolved_at !== null) return approval.resolved_at
  return approval.status === 'expired' && approval.ended_because === 'time' ? approval.expires_at : undefined
}

/** The calls that ended since a time. A call whose end is not known counts by its request. */
export const endedSince = <A extends Parameters<typeof endedAt>[0] & Pick<Approval, 'requested_at'>>(
  rows: readonly A[],
  from: string,
): A[] => rows.filter((row) => Date.parse(endedAt(row) ?? row.requested_at) >= Date.parse(from))

type ApprovedPolicy = NonNullable<Schema<'Agent'>['approved_policy']>

/**
 * Whether the policy that held a call is the approved one. For a call that waits no more: whether it was when the approval ended. The agent only has
 * the approval that is valid now. Each attestation renews it, so it does not say what was approved before it.
 */
export function approvedLook(
  approval: Ending & Pick<Approval, 'policy_id' | 'policy_hash' | 'requested_at' | 'expires_at'>,
  { id, content_hash: hash, approved_at: at }: Pick<ApprovedPolicy, 'id' | 'content_hash' | 'approved_at'>,
): StateLook | undefined {
  if (!hash) return undefined
  const isSame = id === approval.policy_id && hash === approval.policy_hash
  if (approval.status === 'pending')
    return isSame
      ? { glyph: 'same', tone: 'quiet', word: 'As approved' }
      : { glyph: 'differs', tone: 'deny', word: 'Not the approved version' }
  if (!at) return undefined
  if (Date.parse(at) > Date.parse(endedAt(approval) ?? approval.requested_at))
    return { glyph: 'unknown', tone: 'quiet', word: 'What was approved then is not known' }
  return isSame
    ? { glyph: 'same', tone: 'quiet', word: 'Was as approved' }
    : { glyph: 'differs', tone: 'deny', word: 'Was not the approved version' }
}

/** What happens next with a held call, in one sentence. */
export function nextOf(approval: Ending & Pick<Approval, 'expires_at'>, now = Date.now()): string {
  const stop = stopOf(approval)
  switch (approval.status) {
    case 'pending':
      return 'After an approval the agent repeats the call, and it then passes once.'
    case 'approved':
      return 'The agent may repeat the call. It then passes once.'
    case 'consumed':
      return 'The agent repeated the call, and it passed.'
    case 'rejected':
      return deniedUntil(approval.expires_at, now)
    case 'expired':
      if (stop !== undefined) return `Ended because ${stop}. The call is decided again if the agent repeats it.`
      return approval.resolved_at === null
        ? `${nobodyDecided(approval)} If the agent repeats the call, it is decided again.`
        : 'The agent did not repeat the call in time. If it repeats the call, it is held again.'
  }
}

/** Until when an edge denies a call that a person denied, and what happens then. A person cannot take a denial back. */
export function deniedUntil(expires_at: string, now = Date.now()): string {
  const isOver = Date.parse(expires_at) <= now
  const until = isOver ? '' : ` The same call stays denied until ${clockTime(expires_at, now)}.`
  return `The call did not pass.${until} If the agent repeats it ${isOver ? 'now' : 'after that'}, a person is asked again.`
}

/** Why an approval ended that nobody decided. */
export function nobodyDecided(approval: Pick<Approval, 'ended_because'>): string {
  const stop = stopOf(approval)
  return stop === undefined ? `${capital(undecidedClause(approval))}.` : `Ended because ${stop}.`
}

/** Says to a person who was about to decide that the call ended. `by` is the person who decided, if one did: `you` if the own decision arrived. */
export function endedMeanwhile(approval: Ending, by: string | undefined): string {
  const { word } = stateOf(approval)
  if (by === 'you') return `Your decision arrived: ${word}.`
  return `${by === undefined ? 'The call ended' : `${isolated(by)} decided the call`} meanwhile: ${word}. Your decision does not count.`
}

/** Says that nobody decided, as a part of a sentence. For an approval that no known stop of the agent ended. */
export const undecidedClause = ({ ended_because: ended }: Pick<Approval, 'ended_because'>): string =>
  ended === 'time'
    ? 'nobody decided before the time was over'
    : 'nobody decided before the time was over or the agent was stopped'
