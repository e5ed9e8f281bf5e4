import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { keepRunning } from '@mandate/embedded-postgres/keep-running'
import { startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connectionConfig, readDatabaseUrl } from '../db/connections/connection-config.ts'
import { SessionClient } from '../db/connections/session-client.ts'
import { createDiskRoom } from '../db/disk-room.ts'
import { StartFailure } from './failure.ts'

const oldestVersion = 15
/** How long a start waits for a connection to the database, and for an answer, in milliseconds. */
const waitMs = 10_000

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
  checkUrl(url)
  const client = openClient(url)
  try {
    await client.connect()
    await refuseSharedSessions(client, url)
    await refuseOtherSchema(client)
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding`,
    )
    const { version, encoding } = rows[0] as { version: number; encoding: string }
    if (version < oldestVersion) {
      throw new StartFailure(
        `the database at DATABASE_URL is PostgreSQL ${version}; Mandate needs ${oldestVersion} or newer`,
      )
    }
    if (encoding !== 'UTF8') {
      throw new StartFailure(
        `the database at DATABASE_URL has the encoding ${encoding}, which cannot store every text; create it with the encoding UTF8`,
      )
    }
  } catch (error) {
    if (error instanceof StartFailure) throw error
    // Of the client, because a part that the URL does not say comes from a variable.
    const { host = 'localhost', port, database = '' } = client
    const place = `${host}:${port}/${database}`
    throw new StartFailure(`the database ${place} of DATABASE_URL cannot be used: ${reasonOf(error)}`)
  } finally {
    await client.end().catch(() => {})
  }
  return { ownerUrl: url, appUrl: url, lost: new Promise(() => {}), stop: async () => {} }
}

function checkUrl(url: string): void {
  try {
    readDatabaseUrl(url)
  } catch (error) {
    throw new StartFailure(`DATABASE_URL ${(error as Error).message}`)
  }
}

function openClient(url: string): SessionClient {
  const client = new SessionClient({ ...connectionConfig(url), connectionTimeoutMillis: waitMs, query_timeout: waitMs })
  client.on('error', () => {}) // after a lost connection, the next query fails and reports it
  return client
}

/**
 * Refuses a pooler in transaction mode, which runs the transactions of a connection in any session: settings and locks of a session do not hold.
 * Such a pooler gives the session of `client` to the next connection that needs one.
 */
async function refuseSharedSessions(client: SessionClient, url: string): Promise<void> {
  const other = openClient(url)
  const mark = randomUUID()
  try {
    await other.connect()
    await client.query(`select set_config('mandate.session', $1, false)`, [mark])
    await other.query('begin')
    const { rows } = await client.query(`select current_setting('mandate.session', true) as mark`)
    if (rows[0].mark === mark) return
  } catch (error) {
    throw new StartFailure(`${twoSessions} (${reasonOf(error)})`)
  } finally {
    await other.end().catch(() => {})
  }
  throw new StartFailure(
    'DATABASE_URL leads to a connection pooler in transaction mode. Mandate needs its own sessions: use session mode, or ' +
      'connect to PostgreSQL without a pooler',
  )
}

const twoSessions =
  'DATABASE_URL does not give Mandate two sessions at once. A connection pooler must be in session mode, with as many connections ' +
  'as Mandate opens (docs/operations.md, "Your own PostgreSQL"); or connect to PostgreSQL without a pooler'

/** Every session uses the schema `public`. Earlier versions used the first schema of the database's `search_path`. */
async function refuseOtherSchema(client: SessionClient): Promise<void> {
  const { rows } =
    await client.query(`select quote_ident(n.nspname) as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = 'audit_entries' and to_regclass('public.audit_entries') is null
      and to_regclass(format('%I.schema_migrations', n.nspname)) is not null`)
  if (rows.length > 0)
    throw new StartFailure(
      `the tables of Mandate are in the schema ${rows[0].schema} of DATABASE_URL, and Mandate uses the schema public. ` +
        `If public is empty, run as its owner: drop schema public; alter schema ${rows[0].schema} rename to public`,
    )
}

/** Codes of Node's TLS for a certificate that it does not trust. */
const untrusted = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_.+|CERT_.+)$/

function reasonOf(error: unknown): string {
  const { message, code = '' } = error as Error & { code?: string }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return (
      `the certificate of the server is for another name (${message}). Use a name of the certificate in DATABASE_URL, or ` +
      'sslmode=no-verify, which encrypts but does not check who answers'
    )
  if (untrusted.test(code))
    return (
      `the certificate of the server is not trusted (${message.split(';')[0]}). Name the certificate of its issuer with ` +
      'sslrootcert=FILE, or use sslmode=no-verify, which encrypts but does not check who answers'
    )
  if (message.includes('client password must be a string'))
    return 'the server asks for a password. Write it into DATABASE_URL, or set PGPASSWORD'
  return message || code || 'no answer'
}

/** True if no migration has ever run on the database. */
export async function isNewDatabase(ownerUrl: string): Promise<boolean> {
  const client = new SessionClient(connectionConfig(ownerUrl))
  await client.connect()
  try {
    const { rows } = await client.query(`select to_regclass('public.schema_migrations') is null as fresh`)
    return rows[0].fresh
  } finally {
    await client.end()
  }
}
