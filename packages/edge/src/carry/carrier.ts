import type { CredentialVersion } from '@mandate/contract/credentials'
import type { HeartbeatResponse } from '@mandate/contract/edge'
import type { PinsVersion } from '@mandate/contract/tools'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { eachOf } from '../each-of.ts'
import type { InstanceRecord } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import type { AgentStanding } from './agent-standing.ts'
import { applyFreeze } from './apply-freeze.ts'
import { ChangedProfiles } from './changed-profiles.ts'
import type { ConfirmationNotes } from './confirmations.ts'
import { fetchProfiles, type ProfilesPage } from './fetch-profiles.ts'
import { followHeartbeat, notServed } from './follow-heartbeat.ts'
import type { Clock, Instant } from './freshness.ts'
import { loadProfiles, type RecalledSeat } from './load-profiles.ts'
import { OutageLog } from './outage-log.ts'
import type { ProfileFiles } from './profile-files.ts'
import { ProfilesInForce } from './profiles-in-force.ts'
import { sendHeartbeat } from './send-heartbeat.ts'
import type { ProfileKeys } from './signing-keys.ts'
import { StoredProfiles } from './stored-profiles.ts'

export interface CarrierParts {
  plane: ControlPlane
  keys: ProfileKeys
  files: ProfileFiles
  /** Other seats of edges with this credential. */
  others?: readonly RecalledSeat[]
  seat: string
  seal: StateSeal
  instance: InstanceRecord
  agents: ReadonlyMap<string, AgentStanding>
  clock: Clock
  confirmations: ConfirmationNotes
  /** Gets the versions of credentials that a heartbeat's answer names. */
  credentials?: { follow(versions: readonly CredentialVersion[] | undefined): void }
  /** Gets the version of the pins that a heartbeat's answer names. */
  pins?: { follow(named: PinsVersion | undefined): void }
  /** Gets the version of the list of ended delegations that a heartbeat's answer names, and when the heartbeat was sent. */
  delegations?: { followHeartbeat(named: HeartbeatResponse['delegations'], sent: Instant): void }
  /** Gets the address of the dashboard that a heartbeat's answer names. */
  dashboard?: { follow(named: string | undefined): void }
  log: Logger
  edgeVersion: string
  /** See `HeartbeatParts`. */
  heartbeatMs?: (() => number) | undefined
  /** Called when the control plane answered a heartbeat, before the profiles are fetched. */
  onAnswer?: () => void
}

export interface BeatOutcome {
  /** True if the control plane answered everything that was asked. */
  heard: boolean
  /** True if an agent got another profile. The next heartbeat then reports the new profile. */
  changed: boolean
  /** Why a fetch was not answered. */
  error?: unknown
}

/** What `Carrier.fetch` fetches besides the profiles that changed. */
export interface FetchOptions {
  /** Set if the stream of this instance must tell changes of the agents. */
  instanceId?: string
  /** True if a profile may have the same content and a higher number, as after a drill. */
  isRenumbered?: boolean
}

const profilesAtOnce = 8
const longestIntervalMs = 3_600_000

/** Fetches profiles from the control plane and hands them to the agents. Sends one heartbeat, or fetches profiles, at a time. */
export class Carrier {
  private readonly parts: CarrierParts
  private readonly stored: StoredProfiles
  private readonly inForce: ProfilesInForce
  private readonly changedProfiles: ChangedProfiles
  private readonly outage: OutageLog
  /** The last heartbeat or fetch. The next one begins after it, so that answers are applied in the order of their requests. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(parts: CarrierParts) {
    this.parts = parts
    this.stored = new StoredProfiles(parts)
    this.inForce = new ProfilesInForce({ ...parts, stored: this.stored })
    this.changedProfiles = new ChangedProfiles({ plane: parts.plane, stored: this.stored, inForce: this.inForce })
    this.outage = new OutageLog(parts.log, parts.clock)
  }

  /** Loads the profiles from disk and verifies the signature of each profile again. */
  load(): Promise<void> {
    return loadProfiles({ others: [], ...this.parts, stored: this.stored })
  }

  /** Sends one heartbeat and fetches the profiles that changed. Never throws. */
  beat(signal?: AbortSignal): Promise<BeatOutcome> {
    return this.inTurn(() => this.beatNow(signal))
  }

  /** Fetches the current profiles of agents, many with one request. Never throws. */
  fetch(agentIds: readonly string[], options: FetchOptions, signal?: AbortSignal): Promise<BeatOutcome> {
    return this.inTurn(() => this.fetchNow(agentIds, options, signal))
  }

  /** Puts a signed freeze in force at once, as `applyFreeze` describes. Does not wait for a heartbeat or a fetch. */
  applyFreeze(document: unknown): Promise<readonly string[] | null> {
    return applyFreeze({ ...this.parts, stored: this.stored }, document)
  }

  /** Denies every call at once, because the control plane refused the key on some request. The next heartbeat that it answers ends this. */
  refuseKey(error: ControlPlaneRefused): void {
    this.noteFailure(error)
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work)
    this.turn = mine.catch(() => {})
    return mine
  }

  private async beatNow(signal?: AbortSignal): Promise<BeatOutcome> {
    const { parts, stored, inForce, changedProfiles, outage } = this
    const { instance } = parts
    const at = parts.clock()
    // The control plane stores no heartbeat with a number below the last one. If the state folder was restored from a backup, its number
    // is below. The time is above it.
    instance.seq = Math.max(instance.seq + 1, Math.floor(at.wallMs))
    try {
      const answer = await sendHeartbeat(parts, signal)
      outage.end()
      parts.onAnswer?.()
      parts.credentials?.follow(answer.credentials)
      parts.dashboard?.follow(answer.dashboard_url)
      instance.intervalMs = Math.min(answer.interval_s * 1000, longestIntervalMs)
      parts.delegations?.followHeartbeat(answer.delegations, at)
      const follow = followHeartbeat({ ...parts, stored, inForce, changedProfiles }, answer, at, signal)
      const changed = await follow.finally(() => parts.pins?.follow(answer.pins))
      return { heard: true, changed }
    } catch (error) {
      if (!signal?.aborted) outage.note(error)
      this.noteFailure(error)
      return { heard: false, changed: false }
    } finally {
      await stored.keep()
    }
  }

  private async fetchNow(
    agentIds: readonly string[],
    { instanceId, isRenumbered = false }: FetchOptions,
    signal?: AbortSignal,
  ): Promise<BeatOutcome> {
    const { plane, clock, log } = this.parts
    const wanted = agentIds.flatMap((agentId) => this.parts.agents.get(agentId) ?? [])
    const agents = wanted.map(({ agentId, profile }) => ({ agentId, hash: isRenumbered ? undefined : profile?.hash }))
    const at = clock()
    let changed = false
    try {
      for await (const page of fetchProfiles(plane, { agents, instanceId }, signal))
        if (await this.takePage(page, at)) changed = true
      return { heard: true, changed }
    } catch (error) {
      if (!signal?.aborted) log.debug({ reason: (error as Error).message }, 'profiles not received')
      if (isKeyRefused(error)) this.noteFailure(error)
      return { heard: false, changed, error }
    } finally {
      await this.stored.keep()
    }
  }

  /** Applies one answer about agents. Returns true if an agent now has another profile. */
  private async takePage({ agentIds, documents, unchanged }: ProfilesPage, at: Instant): Promise<boolean> {
    const asked = agentIds.flatMap((agentId) => this.parts.agents.get(agentId) ?? [])
    let changed = false
    await eachOf(asked, profilesAtOnce, async (standing) => {
      const { agentId, profile } = standing
      const document = documents.get(agentId)
      if (document !== undefined) changed = (await this.takeProfile(standing, document, at)) || changed
      else if (profile !== null && unchanged.has(agentId)) this.inForce.confirm(standing, profile, at)
      else standing.refuse(notServed)
    })
    return changed
  }

  /** Marks the agent as behind and puts a fetched profile in force. Returns true if the agent now has another profile. */
  private async takeProfile(standing: AgentStanding, document: unknown, at: Instant): Promise<boolean> {
    if ((document as { profile_hash?: unknown }).profile_hash !== standing.profile?.hash) {
      standing.fallBehind()
      await this.stored.markBehind(standing)
    }
    return this.inForce.take(standing, { document, wanted: null, at })
  }

  /** Notes for each agent that a request failed. Stops the agents if the control plane refused the key. */
  private noteFailure(error: unknown): void {
    const { agents, log } = this.parts
    const reason = (error as Error).message
    const keyRefused = isKeyRefused(error)
    for (const standing of agents.values()) {
      if (keyRefused)
        standing.refuse("the control plane refuses this edge's key: give the edge a valid key", 'key_refused')
      else standing.noteFault(reason)
      const { closed } = standing.now()
      if (standing.tellChange() && closed)
        log.error(
          { agent_id: standing.agentId, reason: closed },
          'failing closed: the edge denies every call of the agent',
        )
    }
  }
}

const isKeyRefused = (error: unknown) => error instanceof ControlPlaneRefused && error.status === 401
