/** Uses of one subject since its window began. */
export interface RateWindow {
  used: number
  /** Milliseconds since the epoch. */
  endsAt: number
}

const sweepEveryMs = 10_000
/** For each rule. One client can have as many IPv6 networks as it likes, and each is a subject. */
const mostSubjects = 100_000

/**
 * Fixed windows in memory. A window begins with the first use after the one before it ended. A rule that has too many subjects forgets
 * the oldest windows; the windows of other rules stay.
 */
export class RateWindows {
  private readonly rules = new Map<string, Map<string, RateWindow>>()
  private sweptAt = Date.now()

  /** Counts one use. Returns the window with it. */
  use(rule: string, subject: string, windowMs: number): RateWindow {
    const now = Date.now()
    if (now - this.sweptAt > sweepEveryMs) this.sweep(now)
    const windows = this.windowsOf(rule)
    const known = windows.get(subject)
    const window = known && known.endsAt > now ? known : { used: 0, endsAt: now + windowMs }
    window.used++
    if (window !== known) replace(windows, subject, window)
    return { ...window }
  }

  /** Takes over a window that several instances count together; a higher count of this instance stays. */
  learn(rule: string, subject: string, shared: RateWindow): void {
    const windows = this.windowsOf(rule)
    const known = windows.get(subject)
    const used = known && known.endsAt > Date.now() ? Math.max(known.used, shared.used) : shared.used
    const window = { used, endsAt: shared.endsAt }
    if (known) windows.set(subject, window)
    else replace(windows, subject, window)
  }

  private sweep(now: number): void {
    this.sweptAt = now
    for (const windows of this.rules.values()) {
      for (const [subject, { endsAt }] of windows) if (endsAt <= now) windows.delete(subject)
    }
  }

  private windowsOf(rule: string): Map<string, RateWindow> {
    const known = this.rules.get(rule)
    if (known) return known
    const windows = new Map<string, RateWindow>()
    this.rules.set(rule, windows)
    return windows
  }
}

/** Sets a subject's new window as the latest one. The first of a map is then the oldest. */
function replace(windows: Map<string, RateWindow>, subject: string, window: RateWindow): void {
  windows.delete(subject)
  const oldest = windows.size >= mostSubjects ? windows.keys().next() : undefined
  if (oldest && !oldest.done) windows.delete(oldest.value)
  windows.set(subject, window)
}
