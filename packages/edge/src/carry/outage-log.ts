import type { Logger } from 'pino'
import { ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { Clock } from './freshness.ts'

type Kind = 'away' | 'key_refused'

/**
 * Logs once when heartbeats start to fail, and once when the control plane accepts them again. Failures in between are logged
 * at level debug.
 */
export class OutageLog {
  private readonly log: Logger
  private readonly clock: Clock
  private current: { kind: Kind; sinceMs: number; missed: number } | null = null

  constructor(log: Logger, clock: Clock) {
    this.log = log
    this.clock = clock
  }

  /** Notes a failed heartbeat. */
  note(error: unknown): void {
    const reason = (error as Error).message
    const kind = error instanceof ControlPlaneRefused && error.status === 401 ? 'key_refused' : 'away'
    const { sinceMs = this.clock().monotonicMs, missed = 0, kind: before } = this.current ?? {}
    this.current = { kind, sinceMs, missed: missed + 1 }
    if (kind === before) this.log.debug({ reason, missed: missed + 1 }, 'heartbeat missed')
    else if (kind === 'away')
      this.log.warn({ reason }, 'cannot reach the control plane; the next heartbeat tries again')
    else
      this.log.error(
        { reason },
        "the control plane refuses this edge's key, so every call is denied: give the edge a valid key",
      )
  }

  /** Notes a heartbeat that succeeded. */
  end(): void {
    if (this.current === null) return
    const { kind, sinceMs, missed } = this.current
    this.current = null
    const away_s = Math.round((this.clock().monotonicMs - sinceMs) / 1000)
    const text = kind === 'away' ? 'the control plane is back' : "the control plane accepts this edge's key again"
    this.log.info({ away_s, missed }, text)
  }
}
