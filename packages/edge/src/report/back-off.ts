import { setTimeout as pause } from 'node:timers/promises'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'

export interface BackOffLimits {
  /** The wait after the first failure. It doubles with each further failure. */
  firstMs: number
  longestMs: number
}

const usual: BackOffLimits = { firstMs: 1000, longestMs: 60_000 }

/** How long to wait before the next try. */
export interface Wait {
  waitMs: number
  /** The part of the wait that the control plane asked for with `Retry-After`. It never ends early. */
  askedMs: number
}

/**
 * The waits between failed tries to send something to the control plane. They grow with each failure. A wait ends early when a
 * heartbeat succeeds, because the control plane can be reached again.
 */
export class BackOff {
  private readonly limits: BackOffLimits
  private failures = 0
  private answers = 0
  private answersBefore = 0
  private wake: () => void = () => {}

  constructor(limits: BackOffLimits = usual) {
    this.limits = limits
  }

  /** Call this when the control plane answered a heartbeat. */
  answered(): void {
    this.answers++
    this.wake()
  }

  /** Call this before each try. A heartbeat that is answered during a try that fails ends the wait after it too. */
  begin(): void {
    this.answersBefore = this.answers
  }

  /** Notes a success. Returns whether a failure came before it. */
  succeed(): boolean {
    const hadFailed = this.failures > 0
    this.failures = 0
    return hadFailed
  }

  /** Notes a failure. Returns how long to wait. */
  fail(error: unknown): Wait {
    const { firstMs, longestMs } = this.limits
    const backOffMs = Math.min(firstMs * 2 ** this.failures, longestMs) * (0.5 + Math.random() / 2)
    this.failures++
    const askedMs = error instanceof ControlPlaneAway ? error.retryAfterMs : 0
    return { waitMs: Math.max(backOffMs, askedMs), askedMs }
  }

  /** Resolves when the wait is over, when the signal aborts it, or when the control plane answers a heartbeat (`answered`). */
  async wait({ waitMs, askedMs }: Wait, signal: AbortSignal): Promise<'over' | 'answered'> {
    await pause(askedMs, undefined, { signal }).catch(() => {})
    const ended = new AbortController()
    const answered = new Promise<'answered'>((resolve) => {
      this.wake = () => resolve('answered')
    })
    if (this.answers !== this.answersBefore) this.wake()
    const either = AbortSignal.any([signal, ended.signal])
    const over = pause(waitMs - askedMs, 'over' as const, { signal: either }).catch(() => 'over' as const)
    const outcome = await Promise.race([answered, over])
    ended.abort()
    this.wake = () => {}
    return outcome
  }
}
