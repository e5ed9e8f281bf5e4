import { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

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
  take(rule: RateRule, subject: string): Promise<RateState>
  close(): Promise<void>
}

export function createRateLimits(redisUrl: string | undefined): RateLimits {
  const redis = redisUrl ? new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: true }) : undefined
  redis?.on('error', () => {})
  const limiters = new Map<string, RateLimiterAbstract>()
  const limiterOf = (rule: RateRule): RateLimiterAbstract => {
    let limiter = limiters.get(rule.name)
    if (!limiter) {
      const options = { keyPrefix: `mandate:${rule.name}`, points: rule.limit, duration: rule.windowSeconds }
      // While Redis is away, each instance counts alone rather than refusing everyone or no one.
      limiter = redis
        ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new RateLimiterMemory(options) })
        : new RateLimiterMemory(options)
      limiters.set(rule.name, limiter)
    }
    return limiter
  }
  return {
    async take(rule, subject) {
      try {
        return stateOf(rule, true, await limiterOf(rule).consume(subject))
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        return stateOf(rule, false, refused)
      }
    },
    async close() {
      redis?.disconnect()
    },
  }
}

function stateOf(rule: RateRule, allowed: boolean, used: RateLimiterRes): RateState {
  return {
    allowed,
    limit: rule.limit,
    remaining: Math.max(0, used.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(used.msBeforeNext / 1000)),
  }
}
