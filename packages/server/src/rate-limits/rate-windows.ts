/** The uses of one subject since the start of its window. */
export interface RateWindow {
  used: number
  /** Milliseconds since the epoch. */
  endsAt: number
}

const sweepEveryMs = 10_000
/** Per rule. A client can use any number of IPv6 networks, and each is a subject. */
const mostSubjects = 100_000

/**
 * Fixed windows in memory. A window starts with the first use after the previous window ended. If a rule has too many subjects, its
 * oldest windows are dropped. The windows of other rules stay.
 */
export class RateWindows {
  private readonly rules = new Map<string, Map<string, RateWindow>>()
  private sweptAt = Date.now()

  /** Counts one use and returns the window, including this use. */
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

  /** Stores the window that several instances count together. A higher count of this instance is kept. */
  mergeShared(rule: string, subject: string, shared: RateWindow): void {
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

/** Inserts a subject's new window at the end of the map, so the first window of the map is the oldest. */
function replace(windows: Map<string, RateWindow>, subject: string, window: RateWindow): void {
  windows.delete(subject)
  const oldest = windows.size >= mostSubjects ? windows.keys().next() : undefined
  if (oldest && !oldest.done) windows.delete(oldest.value)
  windows.set(subject, window)
}
