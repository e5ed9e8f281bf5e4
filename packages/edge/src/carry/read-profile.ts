import { MissionProfile } from '@mandate/contract/edge'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import type { PolicyDocument } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import type { ProfileKeys } from './signing-keys.ts'

/** A profile that its signature holds for, ready to decide by. Never changes. */
export interface ActiveProfile {
  /** As it was signed. */
  document: Record<string, unknown>
  agentId: string
  status: string
  mode: 'enforce' | 'monitor'
  policyId: string | null
  policyVersion: number | null
  /** SHA-256 over the RFC 8785 form of the policy. */
  policyHash: string
  /** Why it denies everything, as the control plane says; null where it does not say. */
  deniedBecause: string | null
  hash: string
  seq: number
  issuedAtMs: number
  policy: CompiledPolicy
  /** Whether the policy denies every call, so that nothing passes in enforce mode. */
  deniesAll: boolean
  ruleNames: ReadonlyMap<string, string>
  /** What conditions beginning with `agent.` and `environment.` are asked about. */
  agent: Record<string, unknown>
  environment: Record<string, unknown>
}

/** A profile that does not count. */
export class ProfileRefused extends Error {
  override readonly name = 'ProfileRefused'
}

/**
 * Reads a profile meant for an agent, newer than or the same as the one held.
 * @throws ProfileRefused for another agent's, a forged, malformed or older one; as the control plane does
 */
export async function readProfile(
  received: unknown,
  agentId: string,
  held: ActiveProfile | null,
  keys: ProfileKeys,
): Promise<ActiveProfile> {
  const { data } = MissionProfile.safeParse(received)
  if (!data) throw new ProfileRefused('it is no mission profile')
  const document = received as Record<string, unknown>
  if (document.agent_id !== agentId) throw new ProfileRefused('it is the profile of another agent')
  if (!(await holds(keys, document))) throw new ProfileRefused(await keys.explain())
  if (held && data.profile_seq < held.seq) {
    throw new ProfileRefused(`it is number ${data.profile_seq}, older than number ${held.seq}, which is held already`)
  }
  if (held && data.profile_seq === held.seq && data.profile_hash !== held.hash) {
    throw new ProfileRefused(`it differs from the one held and has the same number, ${held.seq}`)
  }
  return activate(document, data)
}

// A document without a canonical form was never signed.
function holds(keys: ProfileKeys, document: Record<string, unknown>): Promise<boolean> {
  return keys.signed(document).catch((error: unknown) => {
    if (error instanceof TypeError || error instanceof RangeError) return false
    throw error
  })
}

function activate(document: Record<string, unknown>, profile: MissionProfile): ActiveProfile {
  const policy = document.policy as PolicyDocument
  return {
    document,
    agentId: profile.agent_id,
    status: profile.status,
    mode: profile.governance_mode,
    policyId: profile.policy_id,
    policyVersion: profile.policy_version,
    policyHash: contentHash(policy),
    deniedBecause: profile.denied_because ?? null,
    hash: profile.profile_hash,
    seq: profile.profile_seq,
    issuedAtMs: Date.parse(profile.issued_at),
    policy: compilePolicy(policy),
    deniesAll: profile.governance_mode === 'enforce' && deniesAll(policy),
    ruleNames: new Map(policy.rules.map((rule) => [rule.id, rule.name])),
    agent: { id: profile.agent_id, name: profile.agent_name, status: profile.status },
    environment: profile.environment ?? {},
  }
}

function deniesAll({ default_effect, rules }: PolicyDocument): boolean {
  const canPass = rules.some(({ enabled, effect }) => enabled !== false && effect !== 'deny')
  return !canPass && default_effect !== 'allow' && default_effect !== 'require_approval'
}
