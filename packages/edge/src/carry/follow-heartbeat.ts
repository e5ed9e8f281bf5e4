import type { FreezeNotice, HeartbeatResponse } from '@mandate/contract/edge'
import type { AgentStanding } from './agent-standing.ts'
import type { Changed, ChangedProfiles } from './changed-profiles.ts'
import type { ConfirmationNotes } from './confirmations.ts'
import type { Instant } from './freshness.ts'
import type { ProfilesInForce } from './profiles-in-force.ts'
import type { StoredProfiles } from './stored-profiles.ts'

export interface FollowParts {
  agents: ReadonlyMap<string, AgentStanding>
  inForce: ProfilesInForce
  changedProfiles: ChangedProfiles
  confirmations: ConfirmationNotes
  stored: Pick<StoredProfiles, 'keepStops'>
}

type NamedProfile = HeartbeatResponse['agents'][number]

/** The reason that callers get if the control plane does not name the agent. */
export const notServed =
  "the control plane does not let this edge's key act for this agent: check the agent's id and environment"

/**
 * Applies the answer of a heartbeat: confirms the profiles that it names, fetches those that changed, and confirms freezes. `at` is the time
 * at which the heartbeat was sent. Returns true if an agent now has another profile.
 */
export async function followHeartbeat(
  parts: FollowParts,
  { agents: named, freezes = [] }: HeartbeatResponse,
  at: Instant,
  signal?: AbortSignal,
): Promise<boolean> {
  const current = new Map(named.map((agent) => [agent.agent_id, agent]))
  const changed = compareProfiles(parts, current, frozenBy(freezes), at)
  const hasNew = await parts.changedProfiles.fetch(changed, { at, signal })
  // An edge that confirmed a freeze must not let the agents act after a restart.
  if (freezes.length > 0) await parts.stored.keepStops()
  for (const freeze of freezes) confirmFreeze(parts, freeze, current)
  return hasNew
}

/** Confirms the agents whose profile is the named one. Returns the others, which are then behind. */
function compareProfiles(
  { agents, inForce }: FollowParts,
  current: ReadonlyMap<string, NamedProfile>,
  isFrozen: (agentId: string) => boolean,
  at: Instant,
): Changed[] {
  const changed: Changed[] = []
  for (const standing of agents.values()) {
    const { profile_hash: hash, profile_seq: seq = 0 } = current.get(standing.agentId) ?? {}
    const { profile } = standing
    if (hash === undefined) standing.refuse(notServed)
    else if (hash !== profile?.hash) {
      standing.fallBehind()
      // Stops the agent before its new profile is fetched. The next profile that is put in force or confirmed ends this.
      if (isFrozen(standing.agentId)) standing.freeze()
      changed.push({ standing, hash, isRenumbered: false })
    } else {
      inForce.confirm(standing, profile, at)
      if (profile.seq < seq) changed.push({ standing, hash, isRenumbered: true })
    }
  }
  return changed
}

/** Returns whether one of the freezes covers an agent. The other freezes concern every agent of this edge's credential. */
function frozenBy(freezes: readonly FreezeNotice[]): (agentId: string) => boolean {
  const active = freezes.filter(({ drill }) => !drill)
  return (agentId) => active.some(({ scope, agent_id }) => scope !== 'agent' || agent_id === agentId)
}

/**
 * Confirms a freeze if every agent that it covers is stopped, and a drill if every agent has the profile that the heartbeat named. Otherwise
 * the next heartbeat tries again.
 */
function confirmFreeze(
  { agents, confirmations }: FollowParts,
  { id, scope, agent_id, drill }: FreezeNotice,
  named: ReadonlyMap<string, NamedProfile>,
): void {
  const covered = [...agents.values()].filter(({ agentId }) => scope !== 'agent' || agentId === agent_id)
  const isInForce = (standing: AgentStanding) =>
    drill ? isCurrent(standing, named.get(standing.agentId)) : standing.closing() !== null
  if (covered.every(isInForce)) confirmations.noteFreeze(id)
}

/** True if the agent has the named profile or a newer one. An agent that the edge does not serve has none to wait for. */
function isCurrent({ profile }: AgentStanding, named: NamedProfile | undefined): boolean {
  if (named === undefined) return true
  return profile !== null && profile.seq >= (named.profile_seq ?? 0)
}
