import type { Logger } from 'pino'
import { eachOf } from '../each-of.ts'
import { type InstanceRecord, readRecord } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import type { AgentStanding } from './agent-standing.ts'
import { type Clock, recalled } from './freshness.ts'
import { type ProfileFiles, readStoredProfile } from './profile-files.ts'
import { type ActiveProfile, readProfile } from './read-profile.ts'
import type { ProfileKeys } from './signing-keys.ts'
import { filesAtOnce, type StoredProfiles } from './stored-profiles.ts'

/** A seat of the state folder in which an edge with this credential has written: its record, and its stored profiles. */
export interface RecalledSeat {
  record: Pick<InstanceRecord, 'confirmed' | 'overdue' | 'writtenMs'>
  files: Pick<ProfileFiles, 'read'>
}

export interface LoadParts {
  agents: ReadonlyMap<string, AgentStanding>
  files: ProfileFiles
  keys: ProfileKeys
  instance: InstanceRecord
  /** The seats of other edges. */
  others: readonly RecalledSeat[]
  stored: Pick<StoredProfiles, 'add'>
  clock: Clock
  log: Logger
}

const refusedBefore =
  "the control plane refused this edge's key or this agent before the restart; calls are denied until it accepts them again"

/** Finds the seats in which edges with this credential have written a record. `seal` must not log files of other credentials. */
export async function recallSeats(seats: readonly string[], seal: StateSeal): Promise<RecalledSeat[]> {
  const found: RecalledSeat[] = []
  for (const seat of seats) {
    const record = await readRecord(seat, seal).catch(() => null)
    if (record) found.push({ record, files: { read: (agentId) => readStoredProfile(seat, seal, agentId) } })
  }
  return found
}

/**
 * Loads the profiles from disk and verifies the signature of each profile again. An edge may start in another seat than before, or in a seat that
 * no edge has used for a long time. So another seat may have a newer profile of an agent, or a later stop.
 */
export async function loadProfiles(parts: LoadParts): Promise<void> {
  await eachOf([...parts.agents.values()], filesAtOnce, async (standing) => {
    await loadProfile(standing, parts)
    for (const seat of parts.others) await takeNewer(standing, seat, parts)
    applyStops(standing, parts)
  })
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

/** Takes the profile of another seat if that seat confirmed it and it is newer. */
async function takeNewer(standing: AgentStanding, { record, files }: RecalledSeat, parts: LoadParts): Promise<void> {
  const { agentId } = standing
  const confirmation = record.confirmed[agentId]
  if (confirmation === undefined || confirmation.profileHash === standing.profile?.hash) return
  const profile = await newerIn(files, standing, parts)
  if (profile?.hash !== confirmation.profileHash) return
  standing.confirmed = null
  standing.hold(profile, standing.isRefused ? null : recalled(confirmation.wallMs, parts.clock()))
  if (record.overdue.includes(agentId)) standing.fallBehind()
  parts.stored.add(profile)
}

/** Returns the stored profile if it is newer than the one that is held. Logs nothing about a profile that cannot be used, because the edge does not need it. */
async function newerIn(
  files: RecalledSeat['files'],
  { agentId, profile: held }: AgentStanding,
  { keys }: Pick<LoadParts, 'keys'>,
): Promise<ActiveProfile | null> {
  try {
    const document = (await files.read(agentId))?.document as { profile_seq?: unknown } | undefined
    const isNewer = Number(document?.profile_seq) > (held?.seq ?? -1)
    return isNewer ? await readProfile(document, agentId, held, keys) : null
  } catch {
    return null
  }
}

/**
 * Denies the agent's calls until the control plane confirms the profile, if the agent was stopped. A stop in the record of this seat always counts. A
 * stop in the record of another seat counts if it was written after the profile was confirmed.
 */
function applyStops(standing: AgentStanding, { instance, others }: LoadParts): void {
  const { agentId, confirmed } = standing
  const isStopped = ({ confirmed, overdue }: RecalledSeat['record']) =>
    overdue.includes(agentId) && confirmed[agentId] === undefined
  const isLater = ({ writtenMs }: RecalledSeat['record']) => writtenMs >= (confirmed?.wallMs ?? 0)
  if (!isStopped(instance) && !others.some(({ record }) => isStopped(record) && isLater(record))) return
  standing.confirmed = null
  standing.fallBehind()
}
