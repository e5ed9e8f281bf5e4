import type { Logger } from 'pino'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import type { AgentStanding } from './agent-standing.ts'
import type { ConfirmationNotes } from './confirmations.ts'
import type { Instant } from './freshness.ts'
import { type ActiveProfile, ProfileRefused, readProfile } from './read-profile.ts'
import { KeyMistrusted, type ProfileKeys } from './signing-keys.ts'
import type { StoredProfiles } from './stored-profiles.ts'

export interface InForceParts {
  keys: ProfileKeys
  stored: StoredProfiles
  confirmations: ConfirmationNotes
  log: Logger
}

/** The reason that an agent notes if the control plane sent a profile which the heartbeat before did not name. */
export const staleAnswer = 'the control plane served another profile than the heartbeat named'

/** A profile as the control plane sent it. */
export interface ReceivedProfile {
  document: unknown
  /** The hash that the control plane announced. Null if any profile that is not older is taken. */
  wanted: string | null
  /** When the request was sent that this profile, or the announcement of it, answers. */
  at: Instant
}

/** Puts the profiles that the control plane sends in force, and confirms them. */
export class ProfilesInForce {
  private readonly parts: InForceParts

  constructor(parts: InForceParts) {
    this.parts = parts
  }

  /** Notes that the control plane named the profile of the agent as the current one. `at` is the time of the request. */
  confirm(standing: AgentStanding, profile: ActiveProfile, at: Instant): void {
    if (standing.isRefused || standing.isBehind) this.parts.stored.add(profile)
    standing.confirm(at)
    this.parts.confirmations.noteProfile(profile)
  }

  /**
   * Verifies a profile and puts it in force. Returns true if the agent now has another profile. If the profile is not accepted, the profile
   * of the agent stays in force, but is not confirmed again and expires. Never throws.
   */
  async take(standing: AgentStanding, received: ReceivedProfile): Promise<boolean> {
    try {
      return await this.putInForce(standing, received)
    } catch (error) {
      this.noteRefused(standing, error)
      return false
    }
  }

  /** Notes why an agent did not get a profile. */
  noteRefused(standing: AgentStanding, error: unknown): void {
    const { log } = this.parts
    const reason = (error as Error).message
    const forged = error instanceof ProfileRefused || error instanceof KeyMistrusted
    standing.noteFault(forged ? `the edge refused the profile that the control plane sent: ${reason}` : reason)
    const text = forged ? 'profile refused' : 'profile not received'
    log[forged ? 'error' : 'warn']({ agent_id: standing.agentId, reason }, text)
  }

  /** @throws ProfileRefused and the errors of `ControlPlane` */
  private async putInForce(standing: AgentStanding, { document, wanted, at }: ReceivedProfile): Promise<boolean> {
    const { keys, stored, confirmations, log } = this.parts
    const { agentId, profile: held } = standing
    const profile = await readProfile(document, agentId, held, keys)
    const newer = held !== null && profile.seq > held.seq
    if (wanted !== null && profile.hash !== wanted && !newer) throw new ControlPlaneAway(staleAnswer)
    stored.add(profile)
    await stored.save(agentId)
    standing.hold(profile, at)
    confirmations.noteProfile(profile)
    if (profile.hash === held?.hash) return false
    const { policyId: policy_id, policyVersion: policy_version, mode, seq } = profile
    log.info({ agent_id: agentId, policy_id, policy_version, mode, seq }, 'profile changed')
    return true
  }
}
