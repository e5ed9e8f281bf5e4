import { type RateWindow, RateWindows } from './rate-windows.ts'
import { type OnChange, SharedCounter } from './shared-counter.ts'

/**
 * The rate limit of one subject in its current time window. A subject is, for example, a tenant, a user or a client network.
 */
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
 * Counts requests and other limited actions per subject, in fixed time windows. Counts in memory, or in Redis if several
 * instances must share their counts.
 */
export interface RateLimits {
  /** Whether Redis answers. `none` if no Redis is configured. */
  readonly redis: 'none' | 'up' | 'down'
  take(rule: RateRule, subject: string): Promise<RateState>
  close(): Promise<void>
}

/**
 * Creates the rate limits. With Redis, all instances share one count per subject, and each instance keeps a copy of it in
 * memory. If Redis becomes unavailable, the instance continues from its copy. When Redis is available again, the higher of the
 * two counts is used, even if Redis has lost its data.
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
