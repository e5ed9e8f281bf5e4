import type { Logger } from 'pino'
import { eachOf } from '../each-of.ts'
import { type Confirmation, type InstanceRecord, readRecord } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import type { AgentStanding } from './agent-standing.ts'
import { type Clock, recalled } from './freshness.ts'
import { type Mark, type ProfileFiles, readStoredProfile } from './profile-files.ts'
import { type ActiveProfile, readProfile } from './read-profile.ts'
import type { ProfileKeys } from './signing-keys.ts'
import { filesAtOnce, type StoredProfiles } from './stored-profiles.ts'

/** A seat of the state folder whose edge has this credential: its record, and its stored profiles. */
export interface RecalledSeat {
  record: Pick<InstanceRecord, 'confirmed' | 'overdue' | 'writtenMs'>
  files: Pick<ProfileFiles, 'read'>
}

export interface LoadParts {
  agents: ReadonlyMap<string, AgentStanding>
  /** The seats to load from. The first one is the own seat. */
  seats: readonly [RecalledSeat, ...RecalledSeat[]]
  keys: ProfileKeys
  stored: Pick<StoredProfiles, 'add'>
  clock: Clock
  log: Logger
}

/** What one seat knows of an agent. */
interface Known {
  profile: ActiveProfile | null
  mark: Mark | null
  confirmation: Confirmation | undefined
  isOverdue: boolean
  writtenMs: number
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
 * Loads the newest profile of each agent from disk and verifies its signature again. An edge may start in another seat than the one that it had
 * before, or beside an edge that has run for longer. So the newest profile, and the last stop, may be in another seat.
 */
export async function loadProfiles(parts: LoadParts): Promise<void> {
  await eachOf([...parts.agents.values()], filesAtOnce, (standing) => loadProfile(standing, parts))
}

async function loadProfile(standing: AgentStanding, parts: LoadParts): Promise<void> {
  const { seats, clock, stored } = parts
  const known: Known[] = []
  for (const seat of seats) known.push(await knownIn(seat, standing.agentId, parts))
  const profile = newestOf(known)
  const confirming = lastConfirming(known, profile)
  const confirmation = confirming?.confirmation
  // What a seat knows does not count if another one was told later that the profile is the current one.
  const counting = known.filter((one) => one === confirming || one.writtenMs >= (confirmation?.wallMs ?? 0))
  if (counting.some(({ mark }) => mark === 'withdrawn')) standing.refuse(refusedBefore)
  if (profile === null) return
  const isStopped =
    standing.isRefused || counting.some((one) => one !== confirming && one.isOverdue && one.confirmation === undefined)
  standing.hold(profile, confirmation && !isStopped ? recalled(confirmation.wallMs, clock()) : null)
  const isBehind = counting.some(
    (one) => one.isOverdue || (one.mark === 'behind' && one.profile?.hash === profile.hash),
  )
  // A profile without a recorded confirmation counts as outdated, because someone may have copied an older file over the
  // current one.
  if (isBehind || !confirmation) standing.fallBehind()
  if (profile !== known[0]?.profile) stored.add(profile)
}

async function knownIn(
  { record, files }: RecalledSeat,
  agentId: string,
  { keys, log }: Pick<LoadParts, 'keys' | 'log'>,
): Promise<Known> {
  const kept = await files.read(agentId)
  const known = {
    mark: kept?.mark ?? null,
    confirmation: record.confirmed[agentId],
    isOverdue: record.overdue.includes(agentId),
    writtenMs: record.writtenMs,
  }
  try {
    return { ...known, profile: kept && (await readProfile(kept.document, agentId, null, keys)) }
  } catch (error) {
    const reason = (error as Error).message
    log.error(
      { agent_id: agentId, reason },
      'the stored profile of the agent is not valid; the edge fetches it again from the control plane',
    )
    return { ...known, profile: null }
  }
}

/** The profile with the highest number. The first one of several. */
function newestOf(known: readonly Known[]): ActiveProfile | null {
  let newest: ActiveProfile | null = null
  for (const { profile } of known) if (profile && profile.seq > (newest?.seq ?? -1)) newest = profile
  return newest
}

/** The seat that was told last that the profile is the current one. */
function lastConfirming(known: readonly Known[], profile: ActiveProfile | null): Known | undefined {
  const confirming = known.filter(({ confirmation }) => profile && confirmation?.profileHash === profile.hash)
  return confirming.sort((a, b) => (b.confirmation?.wallMs ?? 0) - (a.confirmation?.wallMs ?? 0))[0]
}
