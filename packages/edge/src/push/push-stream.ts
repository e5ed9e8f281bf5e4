import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { PlaneStreams } from '../control-plane/plane-stream.ts'
import type { Wait } from '../report/back-off.ts'
import { type PushedEvent, readEvents } from './read-events.ts'

export interface PushStreamParts {
  streams: PlaneStreams
  instanceId: string
  /** Called when a stream has opened. What changed before is not told by the stream. */
  onOpen(): void
  /** The next event is read after this resolves. If it rejects, the stream is closed, and another one is opened later. */
  onEvent(event: PushedEvent): void | Promise<void>
  /** Called when the control plane refuses the key. */
  onKeyRefused(): void
  log: Logger
  /** Stands in for `Math.random` in tests. */
  random?: () => number
  /** Stands in for a timer in tests. Resolves after this many milliseconds, or when the signal aborts the wait. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
  limits?: Partial<PushLimits>
}

export interface PushLimits {
  /** A stream without a byte for this long is dead, or a proxy holds it back. A comment comes every 15 s. */
  quietMs: number
  /** A stream that was open for less than this counts as a failed attempt, so that the waits between such streams grow. */
  steadyMs: number
  /** After a stream has ended, edges connect again within this time. All edges lose their streams at once when the server restarts. */
  spreadMs: number
  longestBackOffMs: number
}

const usualLimits: PushLimits = {
  quietMs: 40_000,
  steadyMs: 20_000,
  spreadMs: 5_000,
  longestBackOffMs: 60_000,
}
const firstBackOffMs = 1_000
/** After this number of attempts in a row without a stream, the edge warns. */
const warnedAt = 2
/** How long the edge waits before it tries again with a control plane of an earlier version. */
const unsupportedMs = 10 * 60_000

/**
 * Receives what the control plane tells at once. While there is no stream, nothing but the latency changes: heartbeats bring the same changes.
 */
export class PushStream {
  private readonly parts: PushStreamParts
  private readonly limits: PushLimits
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>
  /** Number of streams that ended soon, since one that did not. Attempts that brought no stream are not counted, so an outage adds nothing to it. */
  private shortStreams = 0
  /** Number of attempts in a row that brought no stream. */
  private missed = 0
  private isLost = false
  /** Whether the last attempt brought a stream. */
  private isReached = false
  /** Ends the wait before the next attempt. Null while there is a stream, or while a heartbeat must not end the wait. */
  private wake: AbortController | null = null

  constructor(parts: PushStreamParts) {
    this.parts = parts
    this.limits = { ...usualLimits, ...parts.limits }
    this.running = this.run()
  }

  /** Ends the wait before the next attempt. Call it after the control plane has answered another request. */
  retryNow(): void {
    this.wake?.abort()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    const { pause = pauseFor } = this.parts
    while (!signal.aborted) {
      const { askedMs, waitMs, isWoken } = await this.receive().then(
        () => this.afterEnd('the control plane ended the stream'),
        (error: Error) => this.afterEnd(error.message, error),
      )
      if (askedMs > 0) await pause(askedMs, signal)
      this.wake = isWoken ? new AbortController() : null
      await pause(waitMs - askedMs, this.wake ? AbortSignal.any([signal, this.wake.signal]) : signal)
      this.wake = null
    }
  }

  /** Receives events until the stream ends. */
  private async receive(): Promise<void> {
    const { streams, instanceId, onOpen, onEvent, log } = this.parts
    const quiet = new AbortController()
    const { quietMs, steadyMs } = this.limits
    const timer = setTimeout(() => quiet.abort(new Error('the stream is silent')), quietMs)
    let openedMs = Number.POSITIVE_INFINITY
    this.isReached = false
    try {
      const signal = AbortSignal.any([this.stopping.signal, quiet.signal])
      const chunks = await streams.open(`/edge/stream?instance_id=${encodeURIComponent(instanceId)}`, signal)
      const onChunk = () => {
        timer.refresh()
        if (openedMs < Number.POSITIVE_INFINITY) return
        // A proxy that buffers the response answers the headers, and nothing else.
        openedMs = performance.now()
        this.isReached = true
        if (this.isLost) log.info('the stream of the control plane is back')
        this.isLost = false
        onOpen()
      }
      for await (const event of readEvents(chunks, onChunk)) await onEvent(event)
    } catch (error) {
      if (quiet.signal.aborted && !this.stopping.signal.aborted) throw quiet.signal.reason
      throw error
    } finally {
      clearTimeout(timer)
      if (this.isReached) this.shortStreams = performance.now() - openedMs >= steadyMs ? 0 : this.shortStreams + 1
      quiet.abort()
    }
  }

  /** Returns how long to wait until the next attempt, and whether a heartbeat ends the wait. */
  private afterEnd(reason: string, error?: Error): Wait & { isWoken: boolean } {
    const { log, random = Math.random } = this.parts
    if (this.stopping.signal.aborted) return { askedMs: 0, waitMs: 0, isWoken: false }
    const isUnsupported = error instanceof ControlPlaneRefused && error.status === 404
    const askedMs = error instanceof ControlPlaneAway ? error.retryAfterMs : 0
    this.missed = this.isReached ? 0 : this.missed + 1
    const usualMs = isUnsupported
      ? unsupportedMs * (0.5 + random() / 2)
      : reconnectWaitMs(Math.max(this.shortStreams, this.missed), this.limits, random)
    // The usual wait comes after the time that was asked for, so that edges that were refused together do not connect together.
    const waitMs = askedMs + usualMs
    // A proxy that cuts each stream soon must not make the edge connect with every heartbeat.
    const isWoken = !this.isReached && !isUnsupported
    // A stream ends at every restart of the server. If the second attempt fails too, stops stay slow.
    const level = this.missed === warnedAt ? 'warn' : this.isLost ? 'debug' : 'info'
    log[level](
      { reason, wait_ms: Math.round(waitMs) },
      'no stream from the control plane; changes arrive with heartbeats until it is back',
    )
    this.isLost = true
    if (error instanceof ControlPlaneRefused && error.status === 401) this.parts.onKeyRefused()
    return { askedMs, waitMs, isWoken }
  }
}

const pauseFor = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => {})

/**
 * Returns how long to wait before the next attempt, in milliseconds. `failures` counts the attempts in a row that brought no stream, or the
 * streams in a row that ended soon.
 */
export function reconnectWaitMs(
  failures: number,
  { spreadMs, longestBackOffMs }: Pick<PushLimits, 'spreadMs' | 'longestBackOffMs'> = usualLimits,
  random: () => number = Math.random,
): number {
  if (failures <= 1) return spreadMs * random()
  return Math.min(firstBackOffMs * 2 ** Math.min(failures, 20), longestBackOffMs) * (0.5 + random() / 2)
}
