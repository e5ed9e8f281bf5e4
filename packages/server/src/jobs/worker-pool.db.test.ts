import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { queryOnce } from '../testing/database-urls.ts'
import { useEmptyDatabase } from '../testing/use-empty-database.ts'
import { WorkerPool } from './worker-pool.ts'

const empty = useEmptyDatabase()

it('uses UTC, whatever the time zone of the database is', async () => {
  await queryOnce(empty.url, `alter database ${new URL(empty.url).pathname.slice(1)} set timezone = 'Europe/Berlin'`)
  const pool = new WorkerPool(empty.url)
  onTestFinished(() => pool.end())
  expect((await pool.query('show timezone')).rows).toEqual([{ TimeZone: 'UTC' }])
})

it('connect fails without an error code while PostgreSQL shuts down, so the worker does not wait minutes before it retries', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-jobs-'))
  const database = await startEmbedded({ dataDir: folder, durable: false })
  onTestFinished(async () => {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const open = new pg.Client({ connectionString: database.ownerUrl })
  open.on('error', () => {})
  await open.connect()
  onTestFinished(() => open.end())
  const pool = new WorkerPool(database.ownerUrl)
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  // PostgreSQL waits for the open connection to end. Meanwhile it refuses new connections with code 57P03.
  process.kill(database.pid, 'SIGTERM')
  await expect
    .poll(() => pool.connect().catch(({ code, message }) => ({ code, message })))
    .toEqual({
      code: undefined,
      message: 'the database system is shutting down',
    })
  const byCallback = await new Promise((resolve) => {
    pool.connect((error) => resolve(error))
  })
  expect(byCallback).toMatchObject({ message: 'the database system is shutting down', cause: { code: '57P03' } })
  expect(byCallback).not.toHaveProperty('code')
})
