/** Uses of one subject since its window began. */
export interface RateWindow {
  used: number
  /** Milliseconds since the epoch. */
  endsAt: number
}

const sweepEveryMs = 10_000

/** Fixed windows in memory. A window begins with the first use after the one before it ended. */
export class RateWindows {
  private readonly windows = new Map<string, RateWindow>()
  private sweptAt = Date.now()

  /** Counts one use. Returns the window with it. */
  use(key: string, windowMs: number): RateWindow {
    const now = Date.now()
    if (now - this.sweptAt > sweepEveryMs) this.sweep(now)
    const known = this.windows.get(key)
    const window = known && known.endsAt > now ? known : { used: 0, endsAt: now + windowMs }
    window.used++
    if (window !== known) this.windows.set(key, window)
    return { ...window }
  }

  /** Takes over a window that several instances count together; a higher count of this instance stays. */
  learn(key: string, shared: RateWindow): void {
    const known = this.windows.get(key)
    const used = known && known.endsAt > Date.now() ? Math.max(known.used, shared.used) : shared.used
    this.windows.set(key, { used, endsAt: shared.endsAt })
  }

  private sweep(now: number): void {
    this.sweptAt = now
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key)
  }
}
