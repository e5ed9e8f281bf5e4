import { type RateWindow, RateWindows } from './rate-windows.ts'
import { type OnChange, SharedCounter } from './shared-counter.ts'

/** The use of one subject in its current window. */
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

/**
 * Counts uses per subject in fixed time windows. Counts in memory, or in Redis if several instances must count together.
 */
export interface RateLimits {
  /** Whether Redis answers. `none` if no Redis is configured. */
  readonly redis: 'none' | 'up' | 'down'
  take(rule: RateRule, subject: string): Promise<RateState>
  close(): Promise<void>
}

/**
 * While Redis counts for all instances, every use is also counted in memory. If Redis becomes unavailable, this instance
 * continues from the last common count. When Redis is available again, the higher of the two counts is used. This also works if
 * Redis has lost its data.
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
