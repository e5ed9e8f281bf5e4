import type { ProfileDenial } from '@mandate/contract/words/denial-words'
import { contentHash } from '@mandate/proofs/canonical'
import { contentDigest } from '../../content/profile-content.ts'

/** The database columns from which an agent's profile is made. */
export interface ProfileState {
  agent_id: string
  agent_name: string
  status: 'registered' | 'active' | 'suspended' | 'archived'
  /** Null for an agent of a connected platform, like `environment_name` and `environment_slug`. */
  environment_id: string | null
  environment_name: string | null
  environment_slug: string | null
  is_production: boolean
  lifecycle_status: 'proposed' | 'approved' | 'blocked' | 'retired'
  gate: 'off' | 'alert' | 'enforce'
  /** True while an active freeze covers the agent. */
  frozen: boolean
  /**
   * Null if the agent has no policy, or if its policy inherits the mode of the environment and the agent has no environment.
   */
  governance_mode: 'enforce' | 'monitor' | null
  policy_id: string | null
  policy_version: number | null
  /** The content hash of the policy version; null if the agent has no policy. */
  policy_hash: string | null
  /** The version and the hash of the content bindings that apply; null if none apply. */
  bindings_version: number | null
  bindings_hash: string | null
  /** Whether the environment keeps what conditions read of arguments. */
  keep_arguments: boolean
  /** Version of the pins of the environment. Null if it never had a tool or a change of `tool_pinning`. */
  pins_version: number | null
}

/**
 * The part of a profile that stays the same until the agent or its policy changes. It has the content hash of the policy instead of
 * its rules.
 */
export interface StablePart {
  agent_id: string
  agent_name: string
  status: ProfileState['status']
  environment: { id: string; name: string; slug: string } | null
  governance_mode: 'enforce' | 'monitor'
  /** Left out if the environment keeps no arguments. */
  keep_arguments_for_replay?: true
  policy_id: string | null
  policy_version: number | null
  policy_hash: string
  /** Digest of the content rules. Left out if none apply. */
  content_hash?: string
  /** The reason why the profile denies everything. Left out if the profile contains the agent's policy. */
  denied_because?: ProfileDenial
}

export const denyAll = { default_effect: 'deny' as const, rules: [] }
const denyAllHash = contentHash(denyAll)

/** True if the agent may not do anything now, whatever its policy allows. */
export function mayNotAct(state: Pick<ProfileState, 'status' | 'lifecycle_status' | 'gate' | 'frozen'>): boolean {
  return whyNotAct({ ...state, is_production: false }) !== null
}

/** True if the agent's profile denies everything, because the agent may not act or has no policy. */
export function deniesAll(state: ProfileState): boolean {
  return whyDenied(state) !== null
}

function whyDenied(state: ProfileState): ProfileDenial | null {
  return whyNotAct(state) ?? (state.policy_hash === null ? 'no_policy' : null)
}

type Acting = Pick<ProfileState, 'status' | 'lifecycle_status' | 'gate' | 'frozen' | 'is_production'>

// `frozen` comes before the reasons that a review can end, so that a freeze always shows. A suspended or archived agent is
// stopped already, and a freeze gives it no other profile.
function whyNotAct({ status, lifecycle_status, gate, frozen, is_production }: Acting): ProfileDenial | null {
  if (status === 'archived' || status === 'suspended') return status
  if (frozen) return 'frozen'
  if (lifecycle_status === 'blocked' || lifecycle_status === 'retired') return lifecycle_status
  if (gate !== 'enforce' || lifecycle_status === 'approved') return null
  return is_production ? 'not_approved_in_production' : 'not_approved'
}

/** The fields are in canonical order, because a part in this order is hashed faster. */
export function stablePart(state: ProfileState): StablePart {
  const { agent_id, agent_name, status, governance_mode, policy_id, policy_version, policy_hash } = state
  const agent = { agent_id, agent_name }
  const environment = environmentOf(state)
  const denied_because = whyDenied(state)
  if (denied_because !== null || policy_hash === null) {
    return {
      ...agent,
      denied_because: denied_because ?? 'no_policy',
      environment,
      governance_mode: 'enforce',
      policy_hash: denyAllHash,
      policy_id: null,
      policy_version: null,
      status,
    }
  }
  return {
    ...agent,
    ...(state.bindings_hash !== null && { content_hash: contentDigest(state.bindings_hash) }),
    environment,
    governance_mode: governance_mode ?? 'enforce',
    ...(state.keep_arguments && { keep_arguments_for_replay: true as const }),
    policy_hash,
    policy_id,
    policy_version,
    status,
  }
}

function environmentOf({ environment_id: id, environment_name: name, environment_slug: slug }: ProfileState) {
  return id !== null && name !== null && slug !== null ? { id, name, slug } : null
}

/**
 * Returns the `profile_hash` of a profile: the hash of its `StablePart`, without the sequence number, the time and the
 * signature.
 */
export function profileHash(stable: StablePart): string {
  return contentHash(stable)
}
