import pg from 'pg'

/** Settings of a session, by their names in PostgreSQL. `role` is the role of the session. */
export type SessionSettings = Readonly<Record<string, string>>

export type SessionConfig = pg.ClientConfig & { session?: SessionSettings }

/** What every session relies on. The database and its roles may have other defaults (`alter database … set`). */
const always: SessionSettings = {
  client_encoding: 'UTF8',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  search_path: 'public',
  row_security: 'on',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  gin_fuzzy_search_limit: '0',
  session_replication_role: 'origin',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  synchronous_commit: 'on',
}

/** Settings that only a superuser may set. */
const superuserOnly = ['session_replication_role']

/** Thrown if a session does not keep a setting. */
export class SessionUnusable extends Error {
  constructor(setting: string, found: string, wanted: string) {
    const why = superuserOnly.includes(setting)
      ? `. Only a superuser may change it: find it in pg_db_role_setting, and run alter database … reset ${setting}, or alter role … reset ${setting}`
      : ', although Mandate set it. A connection pooler may share connections between clients: use session mode, or connect to ' +
        'PostgreSQL without a pooler (docs/operations.md, "Your own PostgreSQL")'
    super(`a session of the database has ${setting} = ${found} instead of ${wanted}${why}`)
  }
}

// A database may wait for its standbys as it likes, but what a client was told must survive a crash.
const isDurable = `s.name = 'synchronous_commit' and current_setting(s.name) <> 'off'`

// Skips settings that this version of PostgreSQL does not know. Sets the role last: after that, the session may lack the right to set the others.
const set = `select s.name, set_config(s.name, s.value, false) as value from unnest($1::text[], $2::text[]) with ordinality as s (name, value, place)
  where current_setting(s.name, true) is not null and s.name <> all($3::text[]) and not (${isDurable}) order by s.place`
const check = `select s.name, s.value as wanted, case when s.name = 'role' then current_user when ${isDurable} then s.value
    else current_setting(s.name, true) end as found
  from unnest($1::text[], $2::text[]) as s (name, value)`

interface Setting {
  name: string
  value: string
}

type Connected = (error: Error | null, client?: pg.Client) => void

/**
 * A connection that sets and checks its session settings by statements before anything else uses it. A pooler may drop settings
 * of the startup packet. No variable of the environment changes a setting.
 */
export class SessionClient extends pg.Client {
  private readonly settings: SessionSettings
  private readonly settingsTimeoutMs: number

  constructor(config: SessionConfig) {
    super(config)
    const { role, ...others } = config.session ?? {}
    this.settingsTimeoutMs = config.connectionTimeoutMillis || 10_000
    this.settings = { ...always, ...others, ...(role !== undefined && { role }) }
    // The driver takes these from PGOPTIONS, PGREPLICATION, PGAPPNAME and PGCLIENT_ENCODING.
    const { connectionParameters } = this as unknown as { connectionParameters: Record<string, unknown> }
    connectionParameters.options = config.options
    connectionParameters.replication = undefined
    connectionParameters.client_encoding = 'UTF8'
    connectionParameters.application_name = config.application_name ?? 'mandate'
  }

  override connect(): Promise<pg.Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const ready = this.open()
    if (!callback) return ready
    // Not called in the promise, which would hide an error of the callback.
    ready.then(
      () => process.nextTick(callback, null, this),
      (error) => process.nextTick(callback, error),
    )
    return undefined
  }

  private async open(): Promise<pg.Client> {
    await super.connect()
    // The driver's timeout ends when the connection is open. The settings have the same time again.
    const { stream } = (this as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection
    const late = setTimeout(() => stream.destroy(new Error('timeout expired')), this.settingsTimeoutMs)
    const values = [Object.keys(this.settings), Object.values(this.settings)]
    try {
      const { rows: reported } = await this.query<Setting>(set, [...values, superuserOnly])
      // PostgreSQL writes a quantity with a unit, such as `1min` for 60000, and 0 for a setting that the connection does not have.
      const written = new Map(reported.map(({ name, value }) => [name, value]))
      const { rows } = await this.query<{ name: string; wanted: string; found: string | null }>(check, values)
      for (const { name, wanted: given, found } of rows) {
        const wanted = isQuantity(given) ? (written.get(name) ?? given) : given
        if (found !== null && found !== wanted) throw new SessionUnusable(name, found, wanted)
      }
    } catch (error) {
      // PostgreSQL may still end the session with an error, which nobody waits for.
      this.on('error', () => {})
      void this.end().catch(() => {})
      throw error
    } finally {
      clearTimeout(late)
    }
    return this
  }
}

const isQuantity = (value: string) => /^[1-9]\d*$/.test(value)
