/**
 * A time window in which the requests of one subject (for example a tenant or a client network) are counted. `used` is the
 * number of requests that were counted since the window started.
 */
export interface RateWindow {
  used: number
  /** The end of this time window, in milliseconds since 1970. */
  endsAt: number
}

const sweepEveryMs = 10_000
/**
 * Maximum number of subjects that one rate limit counts separately. There must be a maximum, because one client can use any
 * number of IPv6 networks, and each network is a subject.
 */
const mostSubjects = 100_000

/**
 * Counts requests in memory, in fixed time windows. A `rule` is the name of a rate limit. A `subject` is whose requests are
 * counted, for example a tenant or a client network. The window of a subject starts with its first request after its previous
 * window has ended. If a rule has too many subjects, its oldest windows are deleted. Windows of other rules are not affected.
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

  /**
   * Replaces the count of this instance by the count that all instances share in Redis. If this instance has counted more
   * requests, it keeps its own count.
   */
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
 * Adds the new time window of a subject at the end of the map. The first window in the map is therefore always the oldest. If
 * the map is full, the oldest window is deleted.
 */
function replace(windows: Map<string, RateWindow>, subject: string, window: RateWindow): void {
  windows.delete(subject)
  const oldest = windows.size >= mostSubjects ? windows.keys().next() : undefined
  if (oldest && !oldest.done) windows.delete(oldest.value)
  windows.set(subject, window)
}
