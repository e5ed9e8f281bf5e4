import type { PinsVersion } from '@mandate/contract/tools'
import type { Logger } from 'pino'
import { type ListParts, newestOf } from '../carry/signed-list.ts'
import { RetriedFetch } from '../report/retried-fetch.ts'
import type { StateSeal } from '../state/state-seal.ts'
import { fetchPins } from './fetch-pins.ts'
import { type PinSet, pinsText, readPins } from './pin-set.ts'

export type { PinSet } from './pin-set.ts'

/** The pins that decide. `unknown` if the environment has pins that this edge cannot get. Null if the environment has none. */
export type CurrentPins = PinSet | 'unknown' | null

export interface PinsParts extends ListParts {
  seal: StateSeal
  /** The folder of this process. */
  seat: string
  /** The folders of other edges. One of them may have newer pins than `seat`. */
  otherSeats?: readonly string[]
  log: Logger
  /** The environment of the agents. Null if no profile names it. */
  environmentId(): string | null
  /** Called after the pins have changed. */
  onChange(): void
}

const name = 'pins'
/** After this many failures in a row, the edge no longer relies on the pins that it has. */
const mostFailures = 5

/**
 * The pins, blocks and labels of the tools in the edge's environment. Heartbeats, profiles and the stream name the current version. The edge then
 * fetches what changed, and verifies the signature of the control plane. The pins are on disk too, so that a restart does not lose a block.
 */
export class EnvironmentPins {
  private readonly parts: PinsParts
  private readonly fetching = new RetriedFetch({
    fetch: (signal) => this.fetchOnce(signal),
    onFailure: (error) => this.noteFailure(error),
  })
  private held: PinSet | null = null
  /** True if the environment had pins already when this edge started, and the edge has not got them. */
  private isUnknown = false
  /** True until the control plane first names a version, or answers without one. */
  private isFirst = true
  /** True if the control plane has been asked since it stopped naming a version. */
  private isAbsenceChecked = false
  private failures = 0

  constructor(parts: PinsParts) {
    this.parts = parts
  }

  /** Reads the newest pins from disk. `isNamed` is true if a profile in force names pins. */
  async load(isNamed: boolean): Promise<void> {
    const { seat, otherSeats = [] } = this.parts
    const own = await this.readFrom(seat)
    const others = await Promise.all(otherSeats.map((other) => this.readFrom(other)))
    this.held = newestOf(own, others, this.parts.environmentId() ?? undefined)
    this.isUnknown = isNamed && this.held === null
  }

  get current(): CurrentPins {
    if (this.failures >= mostFailures) return 'unknown'
    return this.held ?? (this.isUnknown ? 'unknown' : null)
  }

  /** Notes the version that the control plane names. Undefined: the answer of a heartbeat names none. */
  follow(named: PinsVersion | undefined): void {
    // The first pins of an environment must not stop the calls of running edges until they are fetched.
    if (named !== undefined && this.isFirst && this.held === null) this.isUnknown = true
    this.isFirst = false
    const hasNone = this.held === null && !this.isUnknown
    if (named === undefined && (hasNone || this.isAbsenceChecked)) return
    this.isAbsenceChecked = named === undefined
    if (named !== undefined && this.isHeld(named)) return
    this.fetching.request()
  }

  /** Waits until the fetch that runs now has succeeded or failed. */
  settled(): Promise<void> {
    return this.fetching.settled()
  }

  close(): Promise<void> {
    return this.fetching.close()
  }

  private isHeld({ version }: PinsVersion): boolean {
    const environmentId = this.parts.environmentId()
    if (this.held?.version !== version) return false
    return environmentId === null || environmentId === this.held.environmentId
  }

  private async readFrom(seat: string): Promise<PinSet | null> {
    const { seal } = this.parts
    return readPins(await seal.read(seal.fileIn(seat, name), name).catch(() => undefined))
  }

  private noteFailure(error: unknown): void {
    this.failures++
    const isLost = this.failures === mostFailures
    this.parts.log[isLost ? 'error' : 'warn'](
      { reason: (error as Error).message },
      isLost
        ? 'the edge cannot get the pins of tools, so it denies the tools of MCP servers'
        : 'the edge cannot get the pins of tools; it tries again',
    )
    if (isLost) this.parts.onChange()
  }

  private async fetchOnce(signal: AbortSignal): Promise<void> {
    const before = this.current
    const found = await fetchPins(this.parts, this.held, signal)
    this.held = found
    this.isUnknown = false
    this.failures = 0
    if (before !== found) this.parts.onChange()
    // The pins count already. After a failed write, a restarted edge has older pins until its first heartbeat.
    const { seal, seat, log } = this.parts
    await seal.replace(seal.fileIn(seat, name), name, pinsText(found)).catch((error: unknown) => {
      log.warn({ reason: (error as Error).message }, 'the edge cannot write the pins of tools to disk')
    })
  }
}
