import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { SessionClient } from '../db/connections/session-client.ts'
import { lockSessionName } from '../jobs/worker-locks.ts'

/**
 * Warns if another instance uses the database and this one has no Redis: each instance then counts requests by itself. Call it before this
 * instance starts its worker.
 */
export async function warnOfOtherInstances(
  ownerUrl: string,
  { databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>,
  log: Logger,
): Promise<void> {
  // Nothing else is connected to an embedded database that has just started.
  if (redisUrl || !databaseUrl) return
  const client = new SessionClient(connectionConfig(ownerUrl))
  await client.connect()
  try {
    const { rowCount } = await client.query(
      'select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
      [lockSessionName],
    )
    if (rowCount === 0) return
    log.warn(
      'another instance uses the same database, and REDIS_URL is not set: each instance applies the rate limits separately, so clients get more than the limits. Set REDIS_URL on all instances',
    )
  } finally {
    await client.end()
  }
}
