import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'
import type { BackOff } from './back-off.ts'
import type { DecisionSigning } from './decision-signing.ts'
import { type ChainedRecord, unchained } from './record-chain.ts'
import { windowAt, windowLengthMs } from './segment-name.ts'
import { KeyUnknown, type Refusals, sendDecisions, sendSigned } from './send-decisions.ts'
import { sendStats } from './send-stats.ts'
import type { Batch, Spool } from './spool.ts'

export interface ReporterParts {
  plane: ControlPlane
  spool: Spool
  signing: DecisionSigning
  /** The waits after failures. */
  backOff: BackOff
  refusals: Refusals
  /** Takes over the spools of edges that have ended. */
  adopt(): Promise<void>
  agentIds: readonly string[]
  offsetMs: number
  now: () => number
  log: Logger
}

const batchRecords = 1000
// The limit for a request body is 1 MiB.
const batchBytes = 500_000
const gatherMs = 250
const tickMs = 2_000
/** A reporting window counts as complete this long after its end. */
const settleMs = 3_000
/** Interval at which the counts of an idle agent are reported, so that the evidence about this agent does not become stale. */
const idleReportMs = 5 * 60_000
const closeLimitMs = 5_000
/** Interval at which the edge looks for spools of edges that have ended. */
const adoptMs = 60_000
/**
 * How long the edge waits before it takes over spools. A client often starts several edges at once, and each of them should
 * continue with its own spool.
 */
const firstAdoptMs = 3_000
const sendsNow = 'the control plane answered a heartbeat: the edge sends its decisions now'
const notSent = 'cannot send decisions or their counts to the control plane; they stay on disk and are sent later'

/** Sends the decisions in the spool, and their counts, to the control plane. Runs until it is closed. */
export class Reporter {
  private readonly parts: ReporterParts
  private readonly stopping = new AbortController()
  private readonly reportedAtMs = new Map<string, number>()
  private readonly startedAtMs: number
  private wake: () => void = () => {}
  private running: Promise<void> | null = null
  private adoptAtMs = performance.now() + firstAdoptMs

  constructor(parts: ReporterParts) {
    this.parts = parts
    this.startedAtMs = parts.now()
  }

  start(): void {
    this.parts.spool.onAppend = () => this.wake()
    this.running = this.run()
  }

  /** Sends the recorded decisions, for a few seconds at most. Decisions that are not sent in this time stay on disk. */
  async close(): Promise<void> {
    this.stopping.abort()
    this.wake()
    await this.running
    await this.sendAll(AbortSignal.timeout(closeLimitMs)).catch((error: Error) => {
      this.parts.log.warn(
        { reason: error.message },
        'the edge stops before all decisions are sent; it sends the others after its next start',
      )
    })
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    const { backOff, log } = this.parts
    while (!signal.aborted) {
      backOff.begin()
      try {
        await this.parts.signing.prepare(signal)
        await this.sendAll(signal)
        await this.adopt(signal)
        await this.reportWindows(this.parts.now())
        if (backOff.succeed()) log.info('the control plane accepts decisions and their counts again')
        await this.somethingToDo()
      } catch (error) {
        const wait = backOff.fail(error)
        log.warn({ reason: (error as Error).message, wait_ms: Math.round(wait.waitMs) }, notSent)
        if ((await backOff.wait(wait, signal)) === 'answered') log.info(sendsNow)
      }
    }
  }

  private async sendAll(signal: AbortSignal): Promise<void> {
    const { spool, log } = this.parts
    for (
      let batch = await spool.next(batchRecords, batchBytes);
      batch;
      batch = await spool.next(batchRecords, batchBytes)
    ) {
      if (batch.damaged > 0)
        log.error(
          { lines: batch.damaged },
          'damaged lines in the spool (the decisions on disk) cannot be read and are not sent',
        )
      await this.send(batch, signal)
      batch.sent()
    }
  }

  private async send({ kid, records, kept }: Batch, signal: AbortSignal): Promise<void> {
    const { signing, refusals, log } = this.parts
    const plane: ControlPlane = { ask: (asked) => this.parts.plane.ask({ ...asked, signal }) }
    if (kid === null) return await sendDecisions(plane, { decisions: records, kept }, refusals, log)
    const key = await signing.keyFor(kid, signal)
    if (key === null) return await sendDecisions(plane, { decisions: records.map(unchained), kept }, refusals, log)
    const decisions = records as ChainedRecord[]
    try {
      await sendSigned(plane, { decisions, kept, key }, refusals, log)
    } catch (error) {
      if (!(error instanceof KeyUnknown)) throw error
      log.warn({ kid, reason: error.message }, 'the control plane does not know the key; the edge registers it again')
      await signing.renew(kid, signal)
      // The batch stays in the spool, and is sent again.
      throw new ControlPlaneAway(error.message)
    }
  }

  /** Takes over spools only while the control plane can be reached, so that they are free again after a short time. */
  private async adopt(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.adoptAtMs) return
    this.adoptAtMs = performance.now() + adoptMs
    await this.parts.adopt()
    await this.sendAll(signal)
  }

  private async reportWindows(nowMs: number): Promise<void> {
    const { plane, spool, log } = this.parts
    for (const window of spool.ended(nowMs - settleMs)) {
      const agents = [...window.counts.keys()]
      await sendStats(plane, window, agents, log)
      spool.markReported(window.startMs)
      for (const agentId of agents) this.reportedAtMs.set(agentId, nowMs)
    }
    await spool.clean(nowMs - settleMs)
    await this.reportIdle(nowMs)
  }

  private async reportIdle(nowMs: number): Promise<void> {
    const { plane, agentIds, offsetMs, log } = this.parts
    const startMs = windowAt(nowMs - settleMs, offsetMs) - windowLengthMs
    if (startMs < this.startedAtMs) return
    const idle = agentIds.filter((agentId) => nowMs - (this.reportedAtMs.get(agentId) ?? 0) >= idleReportMs)
    await sendStats(plane, { startMs, endMs: startMs + windowLengthMs, counts: new Map() }, idle, log)
    for (const agentId of idle) this.reportedAtMs.set(agentId, nowMs)
  }

  /** Waits until a decision is recorded, but at most `tickMs`. Then waits a short time, so that a batch can fill. */
  private async somethingToDo(): Promise<void> {
    const { signal } = this.stopping
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, tickMs)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (signal.aborted) this.wake()
    })
    await pause(gatherMs, undefined, { signal }).catch(() => {})
  }
}
