import { resolve } from 'node:path'
import { keepRunning } from '@mandate/embedded-postgres/keep-running'
import { startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connectionConfig } from '../db/connections/connection-config.ts'
import { createDiskRoom } from '../db/disk-room.ts'
import { StartFailure } from './failure.ts'

const oldestVersion = 15

/** The database that the server uses. It is either embedded or at DATABASE_URL. */
export interface OpenDatabase {
  /** URL for migrations and the job worker. */
  ownerUrl: string
  /**
   * Database URL for everything except migrations and the job worker. Its connections use the application's role. Row-level
   * security applies to this role.
   */
  appUrl: string
  /**
   * Resolves if the embedded database has ended and cannot be restarted. For a database at DATABASE_URL it never resolves.
   */
  lost: Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded database, or checks that the one at DATABASE_URL can be used. */
export async function openDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  if (config.databaseUrl) return await useGiven(config.databaseUrl)
  const embedded = await startEmbedded({
    dataDir: resolve(config.dataDir),
    log: (message, extra) => log.info({ database: extra }, message),
  })
  const { ownerUrl, appUrl } = embedded
  const diskRoom = createDiskRoom(config.dataDir)
  const warn = (message: string, extra: Record<string, unknown>) => log.warn({ database: extra }, message)
  return { ownerUrl, appUrl, ...keepRunning(embedded, warn, () => diskRoom.isFull()) }
}

async function useGiven(url: string): Promise<OpenDatabase> {
  const client = new pg.Client({ ...connectionConfig(url), connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as version`)
    const version: number = rows[0].version
    if (version < oldestVersion) {
      throw new StartFailure(
        `the database at DATABASE_URL is PostgreSQL ${version}; Mandate needs ${oldestVersion} or newer`,
      )
    }
  } catch (error) {
    if (error instanceof StartFailure) throw error
    const { host, pathname } = new URL(url)
    throw new StartFailure(`the database ${host}${pathname} of DATABASE_URL cannot be used: ${reasonOf(error)}`)
  } finally {
    await client.end().catch(() => {})
  }
  return { ownerUrl: url, appUrl: url, lost: new Promise(() => {}), stop: async () => {} }
}

function reasonOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return message || code || 'no answer'
}

/** True if no migration has ever run on the database. */
export async function isNewDatabase(ownerUrl: string): Promise<boolean> {
  const client = new pg.Client(connectionConfig(ownerUrl))
  await client.connect()
  try {
    const { rows } = await client.query(`select to_regclass('public.schema_migrations') is null as fresh`)
    return rows[0].fresh
  } finally {
    await client.end()
  }
}
