import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { Database } from '../database.ts'
import { migrate } from '../schema/migrate.ts'
import { raw } from '../statements/statement.ts'
import { connectionConfig } from './connection-config.ts'
import { SessionClient } from './session-client.ts'

const { url, owner } = useEmptyDatabase()

const hostile = {
  TimeZone: 'Asia/Tokyo',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  bytea_output: 'escape',
  extra_float_digits: '0',
  search_path: 'nowhere',
  row_security: 'off',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  gin_fuzzy_search_limit: '5',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  statement_timeout: '30s',
  lock_timeout: '7s',
  idle_in_transaction_session_timeout: '7s',
  idle_session_timeout: '7s',
  synchronous_commit: 'off',
}
const variables = {
  PGOPTIONS: '-c TimeZone=Asia/Tokyo',
  PGAPPNAME: 'x',
  PGCLIENT_ENCODING: 'LATIN1',
  PGTZ: 'Asia/Tokyo',
  PGDATESTYLE: 'SQL',
  PGREPLICATION: 'database',
  PGSSLNEGOTIATION: 'direct',
}

beforeAll(async () => {
  const name = new URL(url).pathname.slice(1)
  await owner.query('set default_transaction_read_only = off')
  for (const [setting, value] of Object.entries(hostile))
    await owner.query(`alter database ${name} set ${setting} = ${pg.escapeLiteral(value)}`)
  Object.assign(process.env, variables)
})
afterAll(() => {
  for (const variable of Object.keys(variables)) delete process.env[variable]
})

it('every session has its own settings, whatever the database, the URL and PG variables say', async () => {
  await migrate(url)
  const options = encodeURIComponent('-c TimeZone=Europe/Berlin -c statement_timeout=5s -c role=none')
  const database = new Database({ url: `${url}&options=${options}` })
  try {
    const text = `select current_user as me, current_setting('TimeZone') as zone, current_setting('search_path') as path,
      current_setting('default_transaction_isolation') as isolation, current_setting('transaction_read_only') as read_only,
      current_setting('idle_session_timeout') as idle, current_setting('synchronous_commit') as durable,
      current_setting('client_encoding') as encoding, current_setting('application_name') as app,
      timestamptz '2026-01-02 03:04:05.6Z' as at, '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2::float8 as float, interval '1 day'::text as day`
    const expected = {
      me: 'mandate_app',
      zone: 'UTC',
      path: 'public',
      isolation: 'read committed',
      read_only: 'off',
      idle: '0',
      durable: 'on',
      encoding: 'UTF8',
      app: 'mandate',
      at: '2026-01-02T03:04:05.600Z',
      bytes: Buffer.from([0, 255]),
      float: 0.30000000000000004,
      day: '1 day',
    }
    expect(await database.global.one(raw(text, []))).toEqual(expected)
    const inTransaction = await database.transaction('', (tx) =>
      tx.one<Record<string, unknown>>(raw(`${text}, current_setting('statement_timeout') as statement`, [])),
    )
    expect(inTransaction).toEqual({ ...expected, statement: '1min' })
  } finally {
    await database.close()
  }
})

it('a connection that does not keep a setting is refused with the setting and the remedy', async () => {
  // As a pooler in transaction mode, which sends each statement to another session.
  class Forgetful extends SessionClient {}
  const client = new Forgetful(connectionConfig(url))
  const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  client.query = (async (...args: unknown[]) => {
    const answer = await send(...args)
    await send('reset all')
    return answer
  }) as typeof client.query
  await expect(client.connect()).rejects.toThrow(/has TimeZone = Asia\/Tokyo instead of UTC.*use session mode/s)
})

it.each([
  ['extra_float_digits', '1', '0', '1'],
  ['statement_timeout', '60000', '30s', '1min'],
  ['lock_timeout', '1500', '7s', '1500ms'],
])('a connection that loses %s is refused', async (setting, value, found, wanted) => {
  const client = new SessionClient(connectionConfig(url, { [setting]: value }))
  const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  client.query = (async (...args: unknown[]) => {
    const answer = await send(...args)
    await send(`reset ${setting}`)
    return answer
  }) as typeof client.query
  await expect(client.connect()).rejects.toThrow(`has ${setting} = ${found} instead of ${wanted}`)
})

it('a refused connection ends without an error that nobody handles, also if PostgreSQL ends it first', async () => {
  const client = new SessionClient(connectionConfig(url, { role: 'nobody' }))
  await expect(client.connect()).rejects.toThrow()
  expect(() => client.emit('error', new Error('terminating connection due to administrator command'))).not.toThrow()
})

it('a connection keeps settings that PostgreSQL writes with a unit', async () => {
  const settings = { statement_timeout: '60000', lock_timeout: '1500', tcp_keepalives_idle: '60' }
  const client = new SessionClient(connectionConfig(url, settings))
  await client.connect()
  const { rows } = await client.query(
    `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
  )
  expect(rows).toEqual([{ statement: '1min', lock: '1500ms' }])
  await client.end()
})

it('a setting that only a superuser may change is refused with the remedy', async () => {
  const name = new URL(url).pathname.slice(1)
  await owner.query(`alter database ${name} set session_replication_role = 'replica'`)
  try {
    const opening = new SessionClient(connectionConfig(url)).connect()
    await expect(opening).rejects.toThrow(/has session_replication_role = replica instead of origin.*reset session_rep/)
  } finally {
    await owner.query(`alter database ${name} reset session_replication_role`)
  }
})

it('a connection keeps how a database waits for its standbys', async () => {
  const name = new URL(url).pathname.slice(1)
  await owner.query(`alter database ${name} set synchronous_commit = 'remote_apply'`)
  try {
    const client = new SessionClient(connectionConfig(url))
    await client.connect()
    expect((await client.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'remote_apply' }])
    await client.end()
  } finally {
    await owner.query(`alter database ${name} set synchronous_commit = 'off'`)
  }
})

it('a role that cannot be set is refused', async () => {
  await expect(new SessionClient(connectionConfig(url, { role: 'nobody_here' })).connect()).rejects.toThrow(
    'nobody_here',
  )
})
