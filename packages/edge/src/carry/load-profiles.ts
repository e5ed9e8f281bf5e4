import type { Logger } from 'pino'
import { eachOf } from '../each-of.ts'
import type { InstanceRecord } from '../state/instance-record.ts'
import type { AgentStanding } from './agent-standing.ts'
import { type Clock, recalled } from './freshness.ts'
import type { ProfileFiles } from './profile-files.ts'
import { readProfile } from './read-profile.ts'
import type { ProfileKeys } from './signing-keys.ts'
import { filesAtOnce } from './stored-profiles.ts'

export interface LoadParts {
  agents: ReadonlyMap<string, AgentStanding>
  files: ProfileFiles
  keys: ProfileKeys
  instance: InstanceRecord
  clock: Clock
  log: Logger
}

const refusedBefore =
  "the control plane refused this edge's key or this agent before the restart; calls are denied until it accepts them again"

/** Loads the profiles from disk and verifies the signature of each profile again. */
export async function loadProfiles(parts: LoadParts): Promise<void> {
  await eachOf([...parts.agents.values()], filesAtOnce, (standing) => loadProfile(standing, parts))
}

async function loadProfile(standing: AgentStanding, { files, keys, instance, clock, log }: LoadParts): Promise<void> {
  const kept = await files.read(standing.agentId)
  if (kept === null) return
  if (kept.mark === 'withdrawn') standing.refuse(refusedBefore)
  try {
    const profile = await readProfile(kept.document, standing.agentId, null, keys)
    const confirmed = instance.confirmed[standing.agentId]
    const isSame = confirmed?.profileHash === profile.hash
    standing.hold(profile, isSame && !standing.isRefused ? recalled(confirmed.wallMs, clock()) : null)
    // A profile without a recorded confirmation counts as outdated, because someone may have copied an older file over the
    // current one.
    if (kept.mark === 'behind' || !isSame || instance.overdue.includes(standing.agentId)) standing.fallBehind()
  } catch (error) {
    const reason = (error as Error).message
    log.error(
      { agent_id: standing.agentId, reason },
      'the stored profile of the agent is not valid; the edge fetches it again from the control plane',
    )
  }
}
