import { setTimeout as pause } from 'node:timers/promises'
import { ApprovalEvent, FreezeEvent, ProfileEvent } from '@mandate/contract/edge-push'
import type { Logger } from 'pino'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { BeatOutcome, Carrier } from '../carry/carrier.ts'
import type { PlaneStreams } from '../control-plane/plane-stream.ts'
import type { ApprovalNews } from './approval-news.ts'
import { type PushLimits, PushStream } from './push-stream.ts'
import type { PushedEvent } from './read-events.ts'

export interface PushParts {
  streams: PlaneStreams
  instanceId: string
  agents: ReadonlyMap<string, Pick<AgentStanding, 'profile'>>
  carrier: Pick<Carrier, 'fetch' | 'applyFreeze'>
  approvals: ApprovalNews
  /** Called when the control plane has opened a stream. */
  onReached(): void
  /** Sends the next heartbeat within this time. */
  beatWithin(ms: number): void
  log: Logger
  limits?: Partial<PushLimits>
}

/** Edges report a new profile within this time, so that they do not all report at once. */
const reportWithinMs = 2_000
const retryMs = 1_000
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
  /** True until the control plane knows which agents the stream is about, and the edge has compared their profiles. */
  private mustCompare = false
  private isFetching = false
  private fetching: Promise<void> = Promise.resolve()

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
        this.fetchSoon()
      },
      onEvent: (event) => this.take(event),
      // The heartbeat is refused too, and then the edge denies every call.
      onKeyRefused: () => parts.beatWithin(0),
    })
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.stream.close()
    await this.fetching
  }

  /** Events of unknown types are of later versions. */
  private take({ type, data }: PushedEvent): void {
    if (type === 'profile') this.takeProfile(ProfileEvent.safeParse(data).data)
    else if (type === 'freeze') void this.takeFreeze(data)
    else if (type === 'approval') this.takeApproval(ApprovalEvent.safeParse(data).data)
  }

  private takeProfile(event: ProfileEvent | undefined): void {
    const standing = event && this.parts.agents.get(event.agent_id)
    if (!event || !standing) return
    const { profile } = standing
    // An event that is repeated, or that is older than the profile in force.
    if (profile && (event.profile_seq < profile.seq || event.profile_hash === profile.hash)) return
    this.changed.add(event.agent_id)
    this.fetchSoon()
  }

  private takeApproval(event: ApprovalEvent | undefined): void {
    if (event) this.parts.approvals.tell(event.approval_id)
  }

  private async takeFreeze(document: unknown): Promise<void> {
    const { carrier, beatWithin } = this.parts
    const covered = await carrier.applyFreeze(document)
    if (covered === null) return
    // The heartbeat answer names the drill, and the numbers that its profiles have.
    if (FreezeEvent.safeParse(document).data?.drill) return beatWithin(0)
    for (const agentId of covered) this.changed.add(agentId)
    if (covered.length > 0) this.fetchSoon()
  }

  private fetchSoon(): void {
    if (this.isFetching || this.stopping.signal.aborted) return
    this.isFetching = true
    this.fetching = this.fetchAll().finally(() => {
      this.isFetching = false
    })
  }

  private async fetchAll(): Promise<void> {
    const { signal } = this.stopping
    for (let failures = 0; (this.mustCompare || this.changed.size > 0) && !signal.aborted; ) {
      const outcome = await this.fetchOnce(signal)
      if (outcome.heard && outcome.changed) this.parts.beatWithin(reportWithinMs)
      if (outcome.heard) failures = 0
      else if (++failures >= mostTries) return this.changed.clear()
      else await pause(retryMs * failures * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
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
