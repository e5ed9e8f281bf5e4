import { type RateWindow, RateWindows } from './rate-windows.ts'
import { type OnChange, SharedCounter } from './shared-counter.ts'

/** How much of a window is used. */
export interface RateState {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
}

export interface RateRule {
  name: string
  limit: number
  windowSeconds: number
}

/** Counts uses per subject in fixed windows: in the process, or in Redis for several instances together. */
export interface RateLimits {
  /** Whether Redis answers. `none` without a Redis. */
  readonly redis: 'none' | 'up' | 'down'
  take(rule: RateRule, subject: string): Promise<RateState>
  close(): Promise<void>
}

/**
 * Every use is also counted in memory while Redis counts for all instances. If Redis goes away, this instance continues from the last
 * common count. When Redis is back, with or without its data, the higher count is used.
 */
export function createRateLimits(redisUrl: string | undefined, onChange: OnChange = () => {}): RateLimits {
  const windows = new RateWindows()
  const shared = redisUrl === undefined ? undefined : new SharedCounter(redisUrl, onChange)
  return {
    get redis() {
      if (!shared) return 'none'
      return shared.isUp ? 'up' : 'down'
    },
    async take(rule, subject) {
      const windowMs = rule.windowSeconds * 1000
      if (shared) await shared.tried
      const own = windows.use(rule.name, subject, windowMs)
      if (!shared?.isUp) return stateOf(rule, own)
      const key = `mandate:${rule.name}:${subject}`
      try {
        const common = await shared.use(key, windowMs, own)
        windows.mergeShared(rule.name, subject, common)
        return stateOf(rule, common)
      } catch {
        return stateOf(rule, own)
      }
    },
    async close() {
      shared?.close()
    },
  }
}

function stateOf(rule: RateRule, { used, endsAt }: RateWindow): RateState {
  return {
    allowed: used <= rule.limit,
    limit: rule.limit,
    remaining: Math.max(0, rule.limit - used),
    resetSeconds: Math.max(1, Math.ceil((endsAt - Date.now()) / 1000)),
  }
}
