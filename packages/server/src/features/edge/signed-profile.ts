import type { MissionProfile } from '@mandate/contract/edge'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { Services } from '../../services.ts'
import { deniesAll, denyAll, type ProfileState, stablePart } from './profile.ts'

/** Builds and signs the profile of an agent. `snapshot` is the content of its policy version; null if it has none. */
export function signedProfile(
  { now, services }: { now: string; services: Pick<Services, 'signingKey'> },
  state: ProfileState,
  { hash, seq }: { hash: string; seq: number },
  snapshot: Record<string, unknown> | null,
): MissionProfile {
  const { policy_hash: _, ...stable } = stablePart(state)
  const profile = {
    ...stable,
    policy: deniesAll(state) ? denyAll : (snapshot as MissionProfile['policy']),
    profile_hash: hash,
    profile_seq: seq,
    issued_at: now,
  }
  return { ...profile, signature: services.signingKey.sign(canonicalJson(profile)) }
}
