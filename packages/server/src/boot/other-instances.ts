import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/**
 * Returns a function that warns of other instances on the same database, if this one has no Redis: each instance then counts requests
 * by itself. Returns undefined if nothing needs to be warned of.
 */
export function warningOfOtherInstances(
  { redisUrl }: Pick<Config, 'redisUrl'>,
  log: Logger,
): ((areThere: boolean) => void) | undefined {
  if (redisUrl) return undefined
  return (areThere) => {
    if (areThere) {
      log.warn(
        'another instance uses the same database, and REDIS_URL is not set: each instance applies the rate limits separately, so clients get more than the limits. Set REDIS_URL on all instances',
      )
    } else log.info('no other instance uses the same database any more')
  }
}
