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
  const redis = redisUrl ? connectTo(redisUrl) : undefined
  const triedOnce = redis && new Promise<void>((resolve) => redis.once('ready', resolve).once('error', () => resolve()))
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
      await triedOnce
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

/** A command that cannot be sent, or is not answered soon, fails: no request waits for a Redis that is away. */
function connectTo(redisUrl: string): Redis {
  const redis = new Redis(redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: 500,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  })
  redis.on('error', () => {})
  return redis
}

function stateOf(rule: RateRule, allowed: boolean, used: RateLimiterRes): RateState {
  return {
    allowed,
    limit: rule.limit,
    remaining: Math.max(0, used.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(used.msBeforeNext / 1000)),
  }
}
