import { MissionProfile } from '@mandate/contract/edge'
import { type CompiledPolicy, compilePolicy } from '@mandate/policy/evaluate'
import type { PolicyDocument, Rule } from '@mandate/policy/types'
import { contentHash } from '@mandate/proofs/canonical'
import type { z } from 'zod'
import { type ProfileRules, profileRules } from './profile-rules.ts'
import { isSigned, type ProfileKeys } from './signing-keys.ts'

/** A profile with a valid signature and a compiled policy. Never changes. */
export interface ActiveProfile {
  /** The profile document in its signed form. */
  document: Record<string, unknown>
  /** Null if the profile does not name its tenant, as in profiles of earlier versions. */
  tenantId: string | null
  agentId: string
  status: string
  mode: 'enforce' | 'monitor'
  policyId: string | null
  policyVersion: number | null
  /** SHA-256 over the RFC 8785 form of the policy. */
  policyHash: string
  /** The control plane's reason why the profile denies everything. Null if the control plane gives no reason. */
  deniedBecause: string | null
  hash: string
  seq: number
  issuedAtMs: number
  policy: CompiledPolicy
  /** Whether records of decisions have what conditions read of the arguments. */
  keepsArguments: boolean
  /** The content rules that apply. Null if none apply. */
  content: ProfileRules | null
  /** True if the mode is `enforce` and the policy denies every call. */
  deniesAll: boolean
  ruleNames: ReadonlyMap<string, string>
  /** The agent's fields that conditions can test with paths such as `agent.name`. */
  agent: Record<string, unknown>
  /** The fields of the agent's environment that conditions can test with paths such as `environment.name`. */
  environment: Record<string, unknown>
}

// Content rules that this edge does not know must not keep an earlier profile in force. They are read later, and then deny every call.
// Another value of a setting that decides no call must not do so either.
const SignedProfile = MissionProfile.omit({ content: true, keep_arguments_for_replay: true })
type SignedProfile = z.output<typeof SignedProfile>

/** Thrown if the edge does not accept a profile. */
export class ProfileRefused extends Error {
  override readonly name = 'ProfileRefused'
}

/**
 * Reads and verifies a profile for an agent. The profile must be the current profile or a newer one.
 * @throws ProfileRefused if the profile is for another agent, forged, malformed or older than the current one; also the
 * errors of `ControlPlane`
 */
export async function readProfile(
  received: unknown,
  agentId: string,
  held: ActiveProfile | null,
  keys: ProfileKeys,
): Promise<ActiveProfile> {
  const { data } = SignedProfile.safeParse(received)
  if (!data) throw new ProfileRefused('it is not a mission profile')
  const document = received as Record<string, unknown>
  if (document.agent_id !== agentId) throw new ProfileRefused('it is for another agent')
  if (!(await isSigned(keys, document))) throw new ProfileRefused(await keys.explain())
  if (held && data.profile_seq < held.seq) {
    throw new ProfileRefused(
      `it is number ${data.profile_seq}, older than number ${held.seq}, the number of the current one`,
    )
  }
  if (held && data.profile_seq === held.seq && data.profile_hash !== held.hash) {
    throw new ProfileRefused(`it has the same number ${held.seq} as the current one, but other content`)
  }
  return activate(document, data)
}

function activate(document: Record<string, unknown>, profile: SignedProfile): ActiveProfile {
  const policy = wholePolicy(document)
  return {
    document,
    tenantId: profile.tenant_id ?? null,
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
    keepsArguments: document.keep_arguments_for_replay === true,
    content: profileRules(document.content),
    deniesAll: profile.governance_mode === 'enforce' && deniesAll(policy),
    ruleNames: new Map(policy.rules.map((rule) => [rule.id, rule.name])),
    agent: { id: profile.agent_id, name: profile.agent_name, status: profile.status },
    environment: profile.environment ?? {},
  }
}

/** Returns the policy with its rules that have limits, which the profile has apart from the others. */
function wholePolicy({ policy, limited_rules: limited = [] }: Record<string, unknown>): PolicyDocument {
  const { rules, ...rest } = policy as PolicyDocument
  if ((limited as Rule[]).length === 0) return policy as PolicyDocument
  return { ...rest, rules: [...rules, ...(limited as Rule[])].sort((a, b) => a.priority - b.priority) }
}

function deniesAll({ default_effect, rules }: PolicyDocument): boolean {
  const canPass = rules.some(({ enabled, effect }) => enabled !== false && effect !== 'deny')
  return !canPass && default_effect !== 'allow' && default_effect !== 'require_approval'
}
