import { contentHash } from '@mandate/proofs/canonical'

/** What decides the profile of an agent. */
export interface ProfileState {
  agent_id: string
  agent_name: string
  status: 'registered' | 'active' | 'suspended' | 'archived'
  /** All three or none: an agent of a connected platform has no environment. */
  environment_id: string | null
  environment_name: string | null
  environment_slug: string | null
  is_production: boolean
  lifecycle_status: 'proposed' | 'approved' | 'blocked' | 'retired'
  gate: 'off' | 'alert' | 'enforce'
  /** Null without a policy, and without an environment to inherit from. */
  governance_mode: 'enforce' | 'monitor' | null
  policy_id: string | null
  policy_version: number | null
  /** The content hash of that version; null when there is no such version to carry. */
  policy_hash: string | null
}

/** The part of a profile that stays the same until something changes, with the policy as its content hash. */
export interface StablePart {
  agent_id: string
  agent_name: string
  status: ProfileState['status']
  environment: { id: string; name: string; slug: string } | null
  governance_mode: 'enforce' | 'monitor'
  policy_id: string | null
  policy_version: number | null
  policy_hash: string
  /** Why the profile denies everything; absent where it carries the agent's policy. */
  denied_because?: DeniedBecause
}

export type DeniedBecause =
  | 'archived'
  | 'suspended'
  | 'blocked'
  | 'retired'
  | 'not_approved'
  | 'not_approved_in_production'
  | 'no_policy'

export const denyAll = { default_effect: 'deny' as const, rules: [] }
const denyAllHash = contentHash(denyAll)

/** Whether an agent may do nothing now, whatever its policy allows. */
export function mayNotAct(state: Pick<ProfileState, 'status' | 'lifecycle_status' | 'gate'>): boolean {
  return whyNotAct({ ...state, is_production: false }) !== null
}

/** Whether an agent gets a profile that denies everything: it may not act now, or there is no policy to hold it to. */
export function deniesAll(state: ProfileState): boolean {
  return whyDenied(state) !== null
}

function whyDenied(state: ProfileState): DeniedBecause | null {
  return whyNotAct(state) ?? (state.policy_hash === null ? 'no_policy' : null)
}

type Acting = Pick<ProfileState, 'status' | 'lifecycle_status' | 'gate' | 'is_production'>

function whyNotAct({ status, lifecycle_status, gate, is_production }: Acting): DeniedBecause | null {
  if (status === 'archived' || status === 'suspended') return status
  if (lifecycle_status === 'blocked' || lifecycle_status === 'retired') return lifecycle_status
  if (gate !== 'enforce' || lifecycle_status === 'approved') return null
  return is_production ? 'not_approved_in_production' : 'not_approved'
}

export function stablePart(state: ProfileState): StablePart {
  const { agent_id, agent_name, status, governance_mode, policy_id, policy_version, policy_hash } = state
  const agent = { agent_id, agent_name, status, environment: environmentOf(state) }
  const denied_because = whyDenied(state)
  if (denied_because !== null || policy_hash === null) {
    const nothing = { policy_id: null, policy_version: null, policy_hash: denyAllHash }
    return { ...agent, governance_mode: 'enforce', ...nothing, denied_because: denied_because ?? 'no_policy' }
  }
  return { ...agent, governance_mode: governance_mode ?? 'enforce', policy_id, policy_version, policy_hash }
}

function environmentOf({ environment_id: id, environment_name: name, environment_slug: slug }: ProfileState) {
  return id !== null && name !== null && slug !== null ? { id, name, slug } : null
}

/** The `profile_hash` of a stable part. */
export function profileHash(stable: StablePart): string {
  return contentHash(stable)
}
