import { type RateWindow, RateWindows } from './rate-windows.ts'
import { type OnChange, SharedCounter } from './shared-counter.ts'

/** What a caller has used of a window. */
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

/** Counts uses of a subject in fixed windows. In the process, or in Redis so that several instances count together. */
export interface RateLimits {
  /** Whether Redis answers; `none` without one. */
  readonly redis: 'none' | 'up' | 'down'
  take(rule: RateRule, subject: string): Promise<RateState>
  close(): Promise<void>
}

/**
 * Every use is counted in memory, also while Redis counts for all instances. So while Redis is away this instance goes on from the
 * last common count, and when Redis is back, with its data or without, it takes over the higher count.
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
        windows.learn(rule.name, subject, common)
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
