/** A time window of one subject, such as a tenant. `used` is the number of requests counted since the window started. */
export interface RateWindow {
  used: number
  /** The end of the window, in milliseconds since 1970. */
  endsAt: number
}

const sweepEveryMs = 10_000
/** Maximum number of subjects per rule. A client can use any number of IPv6 networks, and each network is a subject. */
const mostSubjects = 100_000

/**
 * Counts requests in fixed time windows, in memory. A window starts with the first request after the previous window has ended.
 * If a rule has too many subjects, its oldest windows are dropped. Windows of other rules are not affected.
 */
export class RateWindows {
  private readonly rules = new Map<string, Map<string, RateWindow>>()
  private sweptAt = Date.now()

  /** Counts one request of a subject. Returns a copy of the subject's current window, which includes this request. */
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

  /** Stores the count that several instances share. If this instance has counted more requests, its own count is kept. */
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

/**
 * Stores a new window of a subject as the last entry of the map. The first entry is therefore always the oldest window. If the
 * map is full, the oldest window is deleted.
 */
function replace(windows: Map<string, RateWindow>, subject: string, window: RateWindow): void {
  windows.delete(subject)
  const oldest = windows.size >= mostSubjects ? windows.keys().next() : undefined
  if (oldest && !oldest.done) windows.delete(oldest.value)
  windows.set(subject, window)
}
