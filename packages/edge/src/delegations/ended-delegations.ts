import type { DelegationsVersion, HeartbeatResponse } from '@mandate/contract/edge'
import type { Logger } from 'pino'
import { ageMs, type Clock, type Instant, recalled } from '../carry/freshness.ts'
import { type ListParts, newestOf } from '../carry/signed-list.ts'
import { RetriedFetch } from '../report/retried-fetch.ts'
import type { InstanceRecord } from '../state/instance-record.ts'
import type { StateSeal } from '../state/state-seal.ts'
import { type EndedSet, endedText, readEnded } from './ended-set.ts'
import { fetchEnded } from './fetch-ended.ts'

export interface EndedParts extends ListParts {
  seal: StateSeal
  /** The folder of this process. */
  seat: string
  /** The folders of other edges. One of them may have a newer list than `seat`. */
  otherSeats?: readonly string[]
  instance: Pick<InstanceRecord, 'intervalMs' | 'delegations'>
  /** The environment of the agents. Null if no profile names it. */
  environmentId(): string | null
  /** After how many missed heartbeats the list no longer counts. */
  missedBeats: number
  clock: Clock
  log: Logger
}

/** What the edge knows now: the ended delegations, and the latest time that it can be for the control plane. */
export interface KnownEnds {
  readonly set: EndedSet
  readonly nowMs: number
}

const name = 'ended delegations'
const longestWaitMs = 2_000
const fileIn = (seat: string, seal: StateSeal) => seal.fileIn(seat, 'ended-delegations')

/**
 * The list of ended delegations of the edge's environment, and the clock of the control plane. Heartbeats and the stream name the current version
 * of the list. The edge then fetches what ended, and verifies the signature of the control plane. The list is on disk too. Like a profile, it
 * counts as long as heartbeats confirm it; nothing keeps it longer.
 */
export class EndedKnowledge {
  private readonly parts: EndedParts
  private readonly fetching: RetriedFetch
  private held: EndedSet | null = null
  /** When the request was sent whose answer confirmed `held`. Null if that is unknown. */
  private confirmed: Instant | null = null
  /** The time of the control plane at an instant that was not later. */
  private anchor: { planeMs: number; at: Instant } | null = null

  constructor(parts: EndedParts) {
    this.parts = parts
    this.fetching = new RetriedFetch({
      fetch: (signal) => this.fetchOnce(signal),
      onFailure: (error) =>
        parts.log.warn(
          { reason: (error as Error).message },
          'the edge cannot get the list of ended delegations, so it denies calls with a delegation; it tries again',
        ),
    })
  }

  /** Reads the newest list from disk, and when it was confirmed. */
  async load(): Promise<void> {
    const { seat, otherSeats = [], instance, clock } = this.parts
    const own = await this.readFrom(seat)
    const others = await Promise.all(otherSeats.map((other) => this.readFrom(other)))
    this.held = newestOf(own, others, this.parts.environmentId() ?? undefined)
    const before = instance.delegations
    // Only the own list has a known confirmation.
    if (this.held === null || this.held !== own || before?.version !== this.held.version) return
    const at = recalled(before.wallMs, clock())
    if (at !== null) this.confirm(at, before.planeMs)
  }

  private async readFrom(seat: string): Promise<EndedSet | null> {
    const { seal } = this.parts
    return readEnded(await seal.read(fileIn(seat, seal), name).catch(() => undefined))
  }

  /** Returns what is known now. Null if the list is unknown, outdated, or not confirmed lately. */
  current(): KnownEnds | null {
    const { held, confirmed, anchor } = this
    if (held === null || confirmed === null || anchor === null || this.fetching.isPending) return null
    const now = this.parts.clock()
    const { missedBeats, instance } = this.parts
    if (ageMs(confirmed, now) > missedBeats * instance.intervalMs) return null
    return { set: held, nowMs: anchor.planeMs + ageMs(anchor.at, now) }
  }

  /** Fetches the list if it is not known, and waits for it for a short time. */
  async learn(): Promise<void> {
    if (this.current() !== null) return
    this.fetching.requestSoon()
    const timer = Promise.withResolvers<void>()
    const timeout = setTimeout(timer.resolve, longestWaitMs)
    await Promise.race([this.fetching.settled(), timer.promise])
    clearTimeout(timeout)
  }

  /** Notes what the answer of a heartbeat says. Undefined: it names no list. `sent` is when the heartbeat was sent. */
  followHeartbeat(named: HeartbeatResponse['delegations'], sent: Instant): void {
    if (named === undefined) {
      // The control plane has no list any more, or is of an earlier version.
      if (this.held !== null && this.confirmed !== null) this.confirmed = null
      return
    }
    if (this.isHeld(named) && !this.fetching.isPending) this.confirm(sent, Date.parse(named.at))
    else this.fetching.request()
  }

  /** Notes the version that the stream tells. */
  follow(named: DelegationsVersion): void {
    if (!this.isHeld(named)) this.fetching.request()
  }

  /** Waits until the fetch that runs now has succeeded or failed. */
  settled(): Promise<void> {
    return this.fetching.settled()
  }

  close(): Promise<void> {
    return this.fetching.close()
  }

  private isHeld({ version }: DelegationsVersion): boolean {
    const environmentId = this.parts.environmentId()
    return this.held?.version === version && (environmentId === null || environmentId === this.held.environmentId)
  }

  private confirm(at: Instant, planeMs: number): void {
    this.confirmed = at
    this.anchor = { planeMs, at }
    if (this.held !== null) this.parts.instance.delegations = { version: this.held.version, wallMs: at.wallMs, planeMs }
  }

  private async fetchOnce(signal: AbortSignal): Promise<void> {
    const { seal, seat, clock, log } = this.parts
    const sent = clock()
    const found = await fetchEnded(this.parts, this.held, signal)
    this.held = found
    this.parts.instance.delegations = null
    try {
      await seal.replace(fileIn(seat, seal), name, endedText(found))
      this.confirm(sent, found.issuedAtMs)
    } catch (error) {
      // The list counts already. A restarted edge does not have it, and denies calls with a delegation until it fetched the list.
      this.confirm(sent, found.issuedAtMs)
      this.parts.instance.delegations = null
      log.warn({ reason: (error as Error).message }, 'the edge cannot write the list of ended delegations to disk')
    }
  }
}
