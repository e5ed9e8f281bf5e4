import { FreezeEvent } from '@mandate/contract/edge-push'
import type { Logger } from 'pino'
import type { AgentStanding } from './agent-standing.ts'
import type { ConfirmationNotes } from './confirmations.ts'
import type { Clock } from './freshness.ts'
import type { ProfileKeys } from './signing-keys.ts'
import type { StoredProfiles } from './stored-profiles.ts'

export interface FreezeParts {
  agents: ReadonlyMap<string, AgentStanding>
  keys: ProfileKeys
  clock: Clock
  confirmations: ConfirmationNotes
  stored: Pick<StoredProfiles, 'keepStops'>
  log: Logger
}

/**
 * Puts a freeze in force at once, before anything is fetched. Returns the agents that it covers, whose profiles must then be fetched; null if
 * the freeze is refused. It is confirmed when the stop is on disk, because an edge that confirmed must not let the agents act after a restart
 * without the control plane. A freeze that has ended, or a drill, changes nothing here: only a signed profile lets an agent act again.
 */
export async function applyFreeze(
  { agents, clock, confirmations, keys, stored, log }: FreezeParts,
  document: unknown,
): Promise<readonly string[] | null> {
  const { data: freeze } = FreezeEvent.safeParse(document)
  const isSigned = freeze && (await keys.signed(document as Record<string, unknown>).catch(() => false))
  if (!isSigned) {
    log.error({ freeze_id: freeze?.id }, 'freeze refused: its signature is not valid')
    return null
  }
  if (isOfOtherTenant(freeze, agents.values())) {
    log.error({ freeze_id: freeze.id, tenant_id: freeze.tenant_id }, 'freeze refused: it is of another organization')
    return null
  }
  const covered = [...agents.values()].filter((standing) => isCovered(standing, freeze))
  if (!freeze.lifted && !freeze.drill) {
    const from = clock()
    for (const standing of covered) standing.stop(from)
    log.warn({ freeze_id: freeze.id, scope: freeze.scope, agents: covered.length }, 'a freeze stops agents')
    if (covered.length > 0) await stored.keepStops()
    // An edge that could serve the agent confirms too that it does not let it act.
    if (covered.length > 0 || freeze.scope === 'agent') confirmations.noteFreeze(freeze.id)
  }
  return covered.map(({ agentId }) => agentId)
}

/**
 * True for a freeze of an organization that is not the one of the profiles. One key signs for all organizations of a control plane, so the
 * signature of such a freeze is valid. The ids of agents and environments belong to one organization. While no profile names its
 * organization, the freeze stops the agents.
 */
function isOfOtherTenant({ scope, tenant_id }: FreezeEvent, agents: Iterable<AgentStanding>): boolean {
  if (scope !== 'organization') return false
  return [...agents].some(
    ({ profile }) => profile !== null && profile.tenantId !== null && profile.tenantId !== tenant_id,
  )
}

/** An environment that is not known yet may be the one of the freeze. */
function isCovered({ agentId, profile }: AgentStanding, { scope, agent_id, environment_id }: FreezeEvent): boolean {
  if (scope === 'agent') return agentId === agent_id
  return scope === 'organization' || profile === null || profile.environment.id === environment_id
}
