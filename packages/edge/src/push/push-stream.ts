import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { PlaneStreams } from '../control-plane/plane-stream.ts'
import { type PushedEvent, readEvents } from './read-events.ts'

export interface PushStreamParts {
  streams: PlaneStreams
  instanceId: string
  /** Called when a stream has opened. What changed before is not told by the stream. */
  onOpen(): void
  onEvent(event: PushedEvent): void
  /** Called when the control plane refuses the key. */
  onKeyRefused(): void
  log: Logger
  /** Stands in for `Math.random` in tests. */
  random?: () => number
  limits?: Partial<PushLimits>
}

export interface PushLimits {
  /** A stream without a byte for this long is dead, or a proxy holds it back. A comment comes every 15 s. */
  quietMs: number
  /** After a stream has ended, edges connect again within this time. All edges lose their streams at once when the server restarts. */
  spreadMs: number
  longestBackOffMs: number
}

const usualLimits: PushLimits = { quietMs: 40_000, spreadMs: 5_000, longestBackOffMs: 60_000 }
const firstBackOffMs = 1_000
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
  /** Number of attempts in a row that brought no stream. */
  private failures = 0
  private isLost = false

  constructor(parts: PushStreamParts) {
    this.parts = parts
    this.limits = { ...usualLimits, ...parts.limits }
    this.running = this.run()
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      const waitMs = await this.receive().then(
        () => this.afterEnd('the control plane ended the stream'),
        (error: Error) => this.afterEnd(error.message, error),
      )
      await pause(waitMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Receives events until the stream ends. */
  private async receive(): Promise<void> {
    const { streams, instanceId, onOpen, onEvent, log } = this.parts
    const quiet = new AbortController()
    const timer = setTimeout(() => quiet.abort(new Error('the stream is silent')), this.limits.quietMs)
    try {
      const signal = AbortSignal.any([this.stopping.signal, quiet.signal])
      const chunks = await streams.open(`/edge/stream?instance_id=${encodeURIComponent(instanceId)}`, signal)
      let isHeard = false
      const onChunk = () => {
        timer.refresh()
        if (isHeard) return
        // A proxy that buffers the response answers the headers, and nothing else.
        isHeard = true
        this.failures = 0
        if (this.isLost) log.info('the stream of the control plane is back')
        this.isLost = false
        onOpen()
      }
      for await (const event of readEvents(chunks, onChunk)) onEvent(event)
    } catch (error) {
      if (quiet.signal.aborted && !this.stopping.signal.aborted) throw quiet.signal.reason
      throw error
    } finally {
      clearTimeout(timer)
      quiet.abort()
    }
  }

  /** Returns how long to wait until the next attempt. */
  private afterEnd(reason: string, error?: Error): number {
    const { log, random = Math.random } = this.parts
    if (this.stopping.signal.aborted) return 0
    const level = this.isLost ? 'debug' : 'info'
    log[level]({ reason }, 'no stream from the control plane; changes arrive with heartbeats until it is back')
    this.isLost = true
    if (error instanceof ControlPlaneRefused && error.status === 401) this.parts.onKeyRefused()
    if (error instanceof ControlPlaneRefused && error.status === 404) return unsupportedMs * (0.5 + random() / 2)
    const { spreadMs, longestBackOffMs } = this.limits
    if (this.failures++ === 0) return spreadMs * random()
    return Math.min(firstBackOffMs * 2 ** Math.min(this.failures, 20), longestBackOffMs) * (0.5 + random() / 2)
  }
}
