import type { ProfileContent } from '@mandate/contract/content'
import type { MissionProfile } from '@mandate/contract/edge'
import { canonicalJson } from '@mandate/proofs/canonical'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { deniesAll, denyAll, type ProfileState, stablePart } from './profile.ts'

/** The content of the policy version, null if the profile has no policy, and the content rules that apply. */
export interface ProfileParts {
  snapshot: Record<string, unknown> | null
  content: ProfileContent | undefined
}

/**
 * Splits a policy into the rules that every edge understands, and those with limits. An edge of a version without limits would ignore a limit
 * and let every call pass. Without the rule it decides at least as strictly.
 */
function policyParts(policy: MissionProfile['policy']): Pick<MissionProfile, 'policy' | 'limited_rules'> {
  const [limited, others] = [policy.rules.filter(hasLimit), policy.rules.filter((rule) => !hasLimit(rule))]
  return limited.length === 0 ? { policy } : { policy: { ...policy, rules: others }, limited_rules: limited }
}

const hasLimit = ({ limit }: MissionProfile['policy']['rules'][number]) => limit !== undefined && limit !== null

/** Builds and signs the profile of an agent. A profile that denies every call has no policy and no content rules. */
export function signedProfile(
  { now, services, actor }: Pick<Ctx<EdgeActor>, 'now' | 'services' | 'actor'>,
  state: ProfileState,
  { hash, seq }: { hash: string; seq: number },
  { snapshot, content }: ProfileParts,
): MissionProfile {
  const { policy_hash: _policy, content_hash: _content, ...stable } = stablePart(state)
  const denies = deniesAll(state)
  const profile = {
    ...stable,
    ...(content && !denies && { content }),
    tenant_id: actor.tenantId,
    ...(denies ? { policy: denyAll } : policyParts(snapshot as MissionProfile['policy'])),
    ...(state.pins_version !== null && { pins: { version: state.pins_version } }),
    profile_hash: hash,
    profile_seq: seq,
    issued_at: now,
  }
  return { ...profile, signature: services.signingKey.sign(canonicalJson(profile)) }
}
