import { edgeEndpoints, type FreezeNotice, type HeartbeatResponse } from '@mandate/contract/edge'
import { FreezeEvent } from '@mandate/contract/edge-push'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { eachOf } from '../each-of.ts'
import { type InstanceRecord, writeInstance } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import { type AgentStanding, frozenReason } from './agent-standing.ts'
import type { ConfirmationNotes } from './confirmations.ts'
import { fetchProfiles } from './fetch-profiles.ts'
import { type Clock, type Instant, recalled } from './freshness.ts'
import { OutageLog } from './outage-log.ts'
import type { ProfileFiles } from './profile-files.ts'
import { type ActiveProfile, ProfileRefused, readProfile } from './read-profile.ts'
import { KeyMistrusted, type ProfileKeys } from './signing-keys.ts'

export interface CarrierParts {
  plane: ControlPlane
  keys: ProfileKeys
  files: ProfileFiles
  seat: string
  seal: StateSeal
  instance: InstanceRecord
  agents: ReadonlyMap<string, AgentStanding>
  clock: Clock
  confirmations: ConfirmationNotes
  log: Logger
  edgeVersion: string
  /** Called when the control plane answered a heartbeat, before the profiles are fetched. */
  onAnswer?: () => void
}

/** `changed` is true if an agent got another profile. The next heartbeat then reports the new profile. */
export type BeatOutcome = { heard: true; changed: boolean } | { heard: false }

const fetchesAtOnce = 8
const beatTimeoutMs = 10_000
const longestIntervalMs = 3_600_000
const notServed =
  "the control plane does not let this edge's key act for this agent: check the agent's id and environment"
const refusedBefore =
  "the control plane refused this edge's key or this agent before the restart; calls are denied until it accepts them again"
const staleAnswer = 'the control plane served another profile than the heartbeat named'

/** What `Carrier.fetch` fetches besides the profiles that changed. */
export interface FetchOptions {
  /** Set if the stream of this instance must tell changes of the agents. */
  instanceId?: string
  /** True if a profile may have the same content and a higher number, as after a drill. */
  isRenumbered?: boolean
}

/** Fetches profiles from the control plane and hands them to the agents. Sends one heartbeat, or fetches profiles, at a time. */
export class Carrier {
  private readonly parts: CarrierParts
  /** Profiles that are in force but could not be written to disk. */
  private readonly unsaved = new Map<string, Record<string, unknown>>()
  private readonly outage: OutageLog
  /** The last heartbeat or fetch. The next one begins after it, so that answers are applied in the order of their requests. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(parts: CarrierParts) {
    this.parts = parts
    this.outage = new OutageLog(parts.log, parts.clock)
  }

  /** Loads the profiles from disk and verifies the signature of each profile again. */
  async load(): Promise<void> {
    const { agents, files, keys, instance, clock, log } = this.parts
    await eachOf([...agents.values()], fetchesAtOnce, async (standing) => {
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
    })
  }

  /** Sends one heartbeat and fetches the profiles that changed. Never throws. */
  beat(signal?: AbortSignal): Promise<BeatOutcome> {
    return this.inTurn(() => this.beatNow(signal))
  }

  /** Fetches the current profiles of agents, many with one request. Never throws. */
  fetch(agentIds: readonly string[], options: FetchOptions, signal?: AbortSignal): Promise<BeatOutcome> {
    return this.inTurn(() => this.fetchNow(agentIds, options, signal))
  }

  /**
   * Puts a freeze in force at once, before anything is fetched. Returns the agents that it covers, whose profiles must then be fetched; null if
   * the signature is not valid. A freeze that has ended, or a drill, changes nothing here: only a signed profile lets an agent act again.
   */
  async applyFreeze(document: unknown): Promise<readonly string[] | null> {
    const { agents, clock, confirmations, keys, log } = this.parts
    const { data: freeze } = FreezeEvent.safeParse(document)
    const isSigned = freeze && (await keys.signed(document as Record<string, unknown>).catch(() => false))
    if (!isSigned) {
      log.error({ freeze_id: freeze?.id }, 'freeze refused: its signature is not valid')
      return null
    }
    const covered = [...agents.values()].filter((standing) => isCovered(standing, freeze))
    if (!freeze.lifted && !freeze.drill) {
      const from = clock()
      for (const standing of covered) standing.stop(frozenReason, from)
      // An edge that could serve the agent confirms too that it does not let it act.
      if (covered.length > 0 || freeze.scope === 'agent') confirmations.noteFreeze(freeze.id)
      log.warn({ freeze_id: freeze.id, scope: freeze.scope, agents: covered.length }, 'a freeze stops agents')
    }
    return covered.map(({ agentId }) => agentId)
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work)
    this.turn = mine.catch(() => {})
    return mine
  }

  private async beatNow(signal?: AbortSignal): Promise<BeatOutcome> {
    const { instance } = this.parts
    const at = this.parts.clock()
    instance.seq++
    try {
      const answer = await this.sendBeat(signal)
      this.outage.end()
      this.parts.onAnswer?.()
      instance.intervalMs = Math.min(answer.interval_s * 1000, longestIntervalMs)
      return { heard: true, changed: await this.follow(answer, at, signal) }
    } catch (error) {
      if (!signal?.aborted) this.outage.note(error)
      this.noteFailure(error)
      return { heard: false }
    } finally {
      await this.keepState()
    }
  }

  private async fetchNow(
    agentIds: readonly string[],
    { instanceId, isRenumbered = false }: FetchOptions,
    signal?: AbortSignal,
  ): Promise<BeatOutcome> {
    const { plane, clock, log } = this.parts
    const wanted = agentIds.flatMap((agentId) => this.parts.agents.get(agentId) ?? [])
    const at = clock()
    try {
      const agents = wanted.map(({ agentId, profile }) => ({ agentId, hash: isRenumbered ? undefined : profile?.hash }))
      const { documents, unchanged } = await fetchProfiles(plane, { agents, instanceId }, signal)
      let changed = false
      await eachOf(wanted, fetchesAtOnce, async (standing) => {
        const { agentId, profile } = standing
        const document = documents.get(agentId)
        if (document !== undefined) changed = (await this.takeProfile(standing, document, at)) || changed
        else if (profile !== null && unchanged.has(agentId)) this.confirm(standing, profile, at)
        else standing.refuse(notServed)
      })
      return { heard: true, changed }
    } catch (error) {
      if (!signal?.aborted) log.debug({ reason: (error as Error).message }, 'profiles not received')
      if (isKeyRefused(error)) this.noteFailure(error)
      return { heard: false }
    } finally {
      await this.keepState()
    }
  }

  /** Marks the agent as behind and puts a fetched profile in force. Returns true if the agent now has another profile. */
  private async takeProfile(standing: AgentStanding, document: unknown, at: Instant): Promise<boolean> {
    if ((document as { profile_hash?: unknown }).profile_hash !== standing.profile?.hash) {
      standing.fallBehind()
      await this.mark(standing.agentId, standing.isRefused ? 'withdrawn' : 'behind')
    }
    try {
      return await this.putInForce(standing, document, null, at)
    } catch (error) {
      this.noteRefused(standing, error)
      return false
    }
  }

  private async keepState(): Promise<void> {
    const { instance, seat, seal, log } = this.parts
    await this.withdrawRefused()
    for (const agentId of [...this.unsaved.keys()]) await this.save(agentId)
    this.noteConfirmations()
    await writeInstance(seat, seal, instance).catch((error: Error) => {
      log.error({ reason: error.message }, 'the state folder cannot be written')
    })
  }

  private async sendBeat(signal?: AbortSignal): Promise<HeartbeatResponse> {
    const { plane, instance, agents, edgeVersion } = this.parts
    const timeoutMs = Math.min(beatTimeoutMs, Math.max(instance.intervalMs, 1000))
    const body = {
      instance_id: instance.instanceId,
      seq: instance.seq,
      edge_version: edgeVersion,
      agents: [...agents.values()].map(runningOf),
      closes_after_beats: closesAfterBeats(agents.values()),
    }
    const asked = { method: 'POST', path: '/edge/heartbeat', body, timeoutMs, signal } as const
    const { data } = edgeEndpoints.sendHeartbeat.answers[200].safeParse((await plane.ask(asked)).body)
    if (!data) throw new ControlPlaneAway('invalid heartbeat response')
    if (data.interval_s < 1) throw new ControlPlaneAway('invalid heartbeat response: interval_s must be at least 1')
    return data
  }

  private async follow(answer: HeartbeatResponse, at: Instant, signal?: AbortSignal): Promise<boolean> {
    const current = new Map(answer.agents.map((agent) => [agent.agent_id, agent]))
    const freezes = answer.freezes ?? []
    const isFrozen = frozenBy(freezes)
    const behind: Behind[] = []
    for (const standing of this.parts.agents.values()) {
      const { profile_hash: hash, profile_seq: seq = 0 } = current.get(standing.agentId) ?? {}
      const { profile } = standing
      if (hash === undefined) standing.refuse(notServed)
      else if (hash !== profile?.hash) {
        standing.fallBehind()
        // Stops the agent before its new profile is fetched. The next profile that is put in force or confirmed ends this.
        if (isFrozen(standing.agentId)) standing.refuse(frozenReason, 'may_not_act')
        behind.push({ standing, hash, isRenumbered: false })
      } else {
        this.confirm(standing, profile, at)
        if (profile.seq < seq) behind.push({ standing, hash, isRenumbered: true })
      }
    }
    let changed = false
    await eachOf(behind, fetchesAtOnce, async (one) => {
      if (!one.isRenumbered) await this.mark(one.standing.agentId, one.standing.isRefused ? 'withdrawn' : 'behind')
      if (await this.fetchProfile(one, at, signal)) changed = true
    })
    for (const freeze of freezes) this.confirmFreeze(freeze, current)
    return changed
  }

  /**
   * Confirms a freeze if every agent that it covers is stopped, and a drill if every agent has the profile that the heartbeat named. Otherwise
   * the next heartbeat tries again.
   */
  private confirmFreeze({ id, scope, agent_id, drill }: FreezeNotice, named: ReadonlyMap<string, NamedProfile>): void {
    const covered = [...this.parts.agents.values()].filter(({ agentId }) => scope !== 'agent' || agentId === agent_id)
    const isInForce = (standing: AgentStanding) =>
      drill ? isCurrent(standing, named.get(standing.agentId)) : standing.closing() !== null
    if (covered.every(isInForce)) this.parts.confirmations.noteFreeze(id)
  }

  private confirm(standing: AgentStanding, profile: ActiveProfile, at: Instant): void {
    if (standing.isRefused || standing.isBehind) this.unsaved.set(standing.agentId, profile.document)
    standing.confirm(at)
    this.parts.confirmations.noteProfile(profile)
  }

  /**
   * Fetches the profile that the control plane announced and puts it in force. Returns true if the agent now has another
   * profile. If the new profile is invalid or cannot be fetched, the old profile stays in force, but is not confirmed again
   * and expires.
   */
  private async fetchProfile(
    { standing, hash: wanted, isRenumbered }: Behind,
    at: Instant,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { plane } = this.parts
    const { agentId, profile: held } = standing
    try {
      const path = `/edge/agents/${agentId}/mission-profile`
      // A drill raises the number of the profile and keeps its hash, so the tag would hide it.
      const ifNoneMatch = held && !isRenumbered ? `"${held.hash}"` : undefined
      const { status, body } = await plane.ask({ path, ifNoneMatch, signal })
      if (status === 304) throw new ControlPlaneAway(staleAnswer)
      return await this.putInForce(standing, body, wanted, at)
    } catch (error) {
      this.noteRefused(standing, error)
      return false
    }
  }

  /**
   * Verifies a profile and puts it in force. `wanted` is the hash that the control plane announced; null if any profile that is not older is
   * taken. Returns true if the agent now has another profile. @throws ProfileRefused and the errors of `ControlPlane`
   */
  private async putInForce(
    standing: AgentStanding,
    document: unknown,
    wanted: string | null,
    at: Instant,
  ): Promise<boolean> {
    const { keys, confirmations, log } = this.parts
    const { agentId, profile: held } = standing
    const profile = await readProfile(document, agentId, held, keys)
    const newer = held !== null && profile.seq > held.seq
    if (wanted !== null && profile.hash !== wanted && !newer) throw new ControlPlaneAway(staleAnswer)
    this.unsaved.set(agentId, profile.document)
    await this.save(agentId)
    standing.hold(profile, at)
    confirmations.noteProfile(profile)
    if (profile.hash === held?.hash) return false
    const { policyId: policy_id, policyVersion: policy_version, mode, seq } = profile
    log.info({ agent_id: agentId, policy_id, policy_version, mode, seq }, 'profile changed')
    return true
  }

  private noteRefused(standing: AgentStanding, error: unknown): void {
    const { log } = this.parts
    const reason = (error as Error).message
    const forged = error instanceof ProfileRefused || error instanceof KeyMistrusted
    standing.noteFault(forged ? `the edge refused the profile that the control plane sent: ${reason}` : reason)
    const text = forged ? 'profile refused' : 'profile not received'
    log[forged ? 'error' : 'warn']({ agent_id: standing.agentId, reason }, text)
  }

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

  /**
   * Marks on disk the profiles of the agents that the control plane does not let this edge serve. The edge then denies their
   * calls after a restart too. Every heartbeat repeats this, because an earlier try may have failed.
   */
  private async withdrawRefused(): Promise<void> {
    const refused = [...this.parts.agents.values()].filter(({ isRefused }) => isRefused)
    await eachOf(refused, fetchesAtOnce, ({ agentId }) => this.mark(agentId, 'withdrawn'))
  }

  /**
   * Marks the stored profile as outdated or withdrawn. Discards a profile that waits to be saved, because saving it would
   * mark it as current again.
   */
  private async mark(agentId: string, mark: 'behind' | 'withdrawn'): Promise<void> {
    const { files, log } = this.parts
    this.unsaved.delete(agentId)
    await files.mark(agentId, mark).catch((error: Error) => {
      log.error(
        { agent_id: agentId, reason: error.message },
        `cannot mark the stored profile as "${mark}" on disk; the next heartbeat tries again`,
      )
    })
  }

  /**
   * Writes the profile to disk. The profile is already in force at this point, so that a full disk does not delay a stricter
   * policy. A failed write is logged and tried again.
   */
  private async save(agentId: string): Promise<void> {
    const document = this.unsaved.get(agentId)
    if (!document) return
    try {
      await this.parts.files.write(agentId, document)
      this.unsaved.delete(agentId)
    } catch (error) {
      this.parts.log.error(
        { agent_id: agentId, reason: (error as Error).message },
        'cannot write the profile of the agent to disk; the edge uses it anyway, and the next heartbeat tries again',
      )
    }
  }

  /**
   * Saves the time at which the control plane confirmed each profile. The next start of the edge reads it. Skips a profile that
   * is not saved on disk, because the disk may then contain an older profile.
   */
  private noteConfirmations(): void {
    const { agents, instance } = this.parts
    const confirmed = [...agents.values()].flatMap(({ agentId, confirmed, profile, isRefused }) => {
      if (!profile || isRefused || this.unsaved.has(agentId)) return []
      if (confirmed) return [[agentId, { wallMs: confirmed.wallMs, profileHash: profile.hash }] as const]
      const before = instance.confirmed[agentId]
      return before?.profileHash === profile.hash ? [[agentId, before] as const] : []
    })
    instance.confirmed = Object.fromEntries(confirmed)
    const overdue = [...agents.values()].filter(({ isBehind, isRefused }) => isBehind || isRefused)
    instance.overdue = overdue.map(({ agentId }) => agentId)
  }
}

const isKeyRefused = (error: unknown) => error instanceof ControlPlaneRefused && error.status === 401

/** An environment that is not known yet may be the one of the freeze. */
function isCovered({ agentId, profile }: AgentStanding, { scope, agent_id, environment_id }: FreezeEvent): boolean {
  if (scope === 'agent') return agentId === agent_id
  return scope === 'organization' || profile === null || profile.environment.id === environment_id
}

type NamedProfile = HeartbeatResponse['agents'][number]

/** An agent whose profile must be fetched. If `isRenumbered` is true, the profile has the same content and a higher number. */
interface Behind {
  standing: AgentStanding
  hash: string
  isRenumbered: boolean
}

/** Returns whether one of the freezes covers an agent. The other freezes concern every agent of this edge's credential. */
function frozenBy(freezes: readonly FreezeNotice[]): (agentId: string) => boolean {
  const active = freezes.filter(({ drill }) => !drill)
  return (agentId) => active.some(({ scope, agent_id }) => scope !== 'agent' || agent_id === agentId)
}

/** True if the agent has the named profile or a newer one. An agent that the edge does not serve has none to wait for. */
function isCurrent({ profile }: AgentStanding, named: NamedProfile | undefined): boolean {
  if (named === undefined) return true
  return profile !== null && profile.seq >= (named.profile_seq ?? 0)
}

/** After how many missed heartbeats every agent is denied. Null if the profile of an agent stays in force without a time limit. */
function closesAfterBeats(agents: Iterable<AgentStanding>): number | null {
  let most = 1
  for (const { isRefused, closesAfterBeats: beats } of agents) {
    if (isRefused) continue
    if (beats === null) return null
    most = Math.max(most, beats)
  }
  return most
}

/** Builds the part of the heartbeat for one agent. Policy fields are left out if the agent has no policy. */
function runningOf({ agentId, profile }: AgentStanding) {
  if (!profile || profile.policyId === null || profile.policyVersion === null) return { agent_id: agentId }
  const { policyId: policy_id, policyVersion: policy_version, policyHash: policy_hash } = profile
  return { agent_id: agentId, policy_id, policy_version, policy_hash }
}
