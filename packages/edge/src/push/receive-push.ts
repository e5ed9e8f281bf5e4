import {
  ApprovalEvent,
  CredentialEvent,
  DelegationsEvent,
  FreezeEvent,
  PinsEvent,
  ProfileEvent,
} from '@mandate/contract/edge-push'
import type { Logger } from 'pino'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { BeatOutcome, Carrier } from '../carry/carrier.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { PlaneStreams } from '../control-plane/plane-stream.ts'
import { BackOff } from '../report/back-off.ts'
import type { ApprovalNews } from './approval-news.ts'
import { LaterFetches, type Spread } from './later-fetches.ts'
import { type PushLimits, PushStream } from './push-stream.ts'
import type { PushedEvent } from './read-events.ts'

export interface PushParts {
  streams: PlaneStreams
  instanceId: string
  agents: ReadonlyMap<string, Pick<AgentStanding, 'profile' | 'isRefused'>>
  carrier: Pick<Carrier, 'fetch' | 'applyFreeze'>
  approvals: ApprovalNews
  credentials?: { take(event: CredentialEvent): void }
  pins?: { follow(named: PinsEvent): void }
  delegations?: { follow(named: DelegationsEvent): void }
  /** Called when the control plane refuses the key. If absent, the next heartbeat is sent at once. */
  onKeyRefused?(): void
  /** Called when the control plane has opened a stream. */
  onReached(): void
  /** Sends the next heartbeat within this time. */
  beatWithin(ms: number): void
  log: Logger
  limits?: Partial<PushLimits>
}

// A frozen agent is stopped without its new profile, so its edge fetches the profile later. The confirmations of all edges come first.
export const afterFreeze: Spread = { fromMs: 1_000, toMs: 10_000 }
/** A frozen agent acts again after its profile was fetched. */
export const afterLift: Spread = { fromMs: 0, toMs: 2_000 }
/** Edges report a new profile within this time, so that they do not all report at once. */
export const reportWithinMs = 2_000
/** Edges that a drill reaches send their heartbeats within this time, so that they do not all send at once. */
export const afterDrillMs = 500
const retries = { firstMs: 1_000, longestMs: 30_000 }
/** After this many failures in a row, the next heartbeat brings what changed. */
const mostTries = 5

/**
 * Follows what the control plane tells at once. An event only says that something changed. What counts is what the edge then fetches and
 * verifies. A signed freeze is the exception: it stops agents before anything is fetched.
 */
export class Push {
  private readonly parts: PushParts
  private readonly stopping = new AbortController()
  private readonly stream: PushStream
  private readonly changed = new Set<string>()
  private readonly later = new LaterFetches((agentIds) => {
    for (const agentId of agentIds) this.changed.add(agentId)
    this.fetchSoon()
  })
  /** True until the control plane knows which agents the stream is about, and the edge has compared their profiles. */
  private mustCompare = false
  private isFetching = false
  private readonly backOff = new BackOff(retries)
  private fetching: Promise<void> = Promise.resolve()
  private storing: Promise<unknown> = Promise.resolve()

  constructor(parts: PushParts) {
    this.parts = parts
    const { streams, instanceId, log, limits } = parts
    this.stream = new PushStream({
      streams,
      instanceId,
      log,
      ...(limits && { limits }),
      onOpen: () => {
        parts.onReached()
        this.mustCompare = true
        this.backOff.answered()
        this.fetchSoon()
      },
      onEvent: (event) => this.take(event),
      onKeyRefused: () => (parts.onKeyRefused ? parts.onKeyRefused() : parts.beatWithin(0)),
    })
  }

  /** Opens the stream at once if it is away. Call this when the control plane has answered a heartbeat. */
  retryNow(): void {
    this.stream.retryNow()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    this.later.close()
    await this.stream.close()
    await Promise.all([this.fetching, this.storing])
  }

  /** Events of unknown types are of later versions. */
  private async take({ type, data }: PushedEvent): Promise<void> {
    if (type === 'profile') this.takeProfile(ProfileEvent.safeParse(data).data)
    else if (type === 'freeze') await this.takeFreeze(data)
    else if (type === 'approval') this.takeApproval(ApprovalEvent.safeParse(data).data)
    else if (type === 'credential') this.takeCredential(CredentialEvent.safeParse(data).data)
    else if (type === 'pins') this.takePins(PinsEvent.safeParse(data).data)
    else if (type === 'delegations') this.takeDelegations(DelegationsEvent.safeParse(data).data)
  }

  private takeProfile(event: ProfileEvent | undefined): void {
    const standing = event && this.parts.agents.get(event.agent_id)
    if (!event || !standing) return
    const { profile } = standing
    // An event that is repeated, or that is older than the profile in force. An event with a newer number and the same hash counts: another profile
    // may be on its way, which is no longer the current one.
    if (profile && (event.profile_seq < profile.seq || isOf(event, profile))) return
    // A stopped agent needs no profile at once.
    if (standing.isRefused && this.later.has(event.agent_id)) return
    this.changed.add(event.agent_id)
    this.fetchSoon()
  }

  private takeApproval(event: ApprovalEvent | undefined): void {
    if (event) this.parts.approvals.tell(event.approval_id)
  }

  private takeCredential(event: CredentialEvent | undefined): void {
    if (event) this.parts.credentials?.take(event)
  }

  private takePins(event: PinsEvent | undefined): void {
    if (event) this.parts.pins?.follow(event)
  }

  private takeDelegations(event: DelegationsEvent | undefined): void {
    if (event) this.parts.delegations?.follow(event)
  }

  /** @throws if the freeze is refused. The stream is then closed, so that a stream of forged freezes costs one verification per attempt. */
  private async takeFreeze(document: unknown): Promise<void> {
    const { carrier, beatWithin } = this.parts
    const covered = await carrier.applyFreeze(document)
    if (covered === null) throw new Error('a freeze was refused')
    const { drill, lifted } = FreezeEvent.parse(document)
    // The heartbeat answer names the drill, and the numbers that its profiles have.
    if (drill) return beatWithin(afterDrillMs)
    if (covered.length === 0 || this.stopping.signal.aborted) return
    this.later.add(covered, lifted ? afterLift : afterFreeze)
    if (!lifted) this.storing = this.storeStop()
  }

  /** Notes on disk that agents are stopped, so that they stay stopped after a restart. Without agents to fetch, no request is sent. */
  private storeStop(): Promise<unknown> {
    return this.parts.carrier.fetch([], {}, this.stopping.signal)
  }

  private fetchSoon(): void {
    if (this.isFetching || this.stopping.signal.aborted) return
    this.isFetching = true
    this.fetching = this.fetchAll().finally(() => {
      this.isFetching = false
    })
  }

  /**
   * Fetches until nothing is left. Without the comparison, the stream is about no agents. So the edge tries it again until it is done, and gives
   * up only what changed since.
   */
  private async fetchAll(): Promise<void> {
    const { signal } = this.stopping
    for (let failures = 0; (this.mustCompare || this.changed.size > 0) && !signal.aborted; ) {
      this.backOff.begin()
      const outcome = await this.fetchOnce(signal)
      if (outcome.changed) this.parts.beatWithin(reportWithinMs)
      if (outcome.heard) {
        failures = 0
        this.backOff.succeed()
        continue
      }
      if (++failures >= mostTries) this.changed.clear()
      const wait = this.backOff.fail(outcome.error)
      if (this.mustCompare || this.changed.size > 0) await this.backOff.wait(wait, signal)
    }
  }

  private async fetchOnce(signal: AbortSignal): Promise<BeatOutcome> {
    const { agents, carrier, instanceId } = this.parts
    const { mustCompare } = this
    const wanted = mustCompare ? [...agents.keys()] : [...this.changed]
    this.changed.clear()
    this.mustCompare = false
    const outcome = await carrier.fetch(wanted, mustCompare ? { instanceId } : {}, signal)
    if (outcome.heard) return outcome
    if (mustCompare) this.mustCompare = true
    else for (const agentId of wanted) this.changed.add(agentId)
    return outcome
  }
}

const isOf = (event: ProfileEvent, { hash, seq }: Pick<ActiveProfile, 'hash' | 'seq'>) =>
  event.profile_hash === hash && event.profile_seq === seq
