// May take over 10 s: starts, saves and restores real PostgreSQL clusters.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { restoreEmbedded } from './archive/restore.ts'
import { backupEmbedded } from './backup.ts'
import { clusterForFile } from './fixtures/prepared-folder.ts'
import { query } from './fixtures/query.ts'
import { spawnNode } from './fixtures/spawn-node.ts'
import { startForTest } from './fixtures/start-for-test.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'

const withCluster = clusterForFile()
const variables = { PGOPTIONS: '-c x', PGREPLICATION: 'true', PGCLIENT_ENCODING: 'x', PGSSLNEGOTIATION: 'direct' }

/**
 * Writes the same number to two tables in each transaction, until it is told to stop. It also makes checkpoints, so that
 * PostgreSQL recycles files of its write-ahead log.
 */
async function startWriting(ownerUrl: string) {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  await client.query('create table debit (id int primary key, filler text); create table credit (id int primary key)')
  await client.query('alter table debit alter filler set storage plain')
  const load = { committed: 0, stopping: false }
  const ended = (async () => {
    while (!load.stopping) {
      const next = load.committed + 1
      await client.query('begin')
      await client.query(`insert into debit values ($1, repeat('x', 6000))`, [next])
      await client.query('insert into credit values ($1)', [next])
      if (next % 7 === 0) await client.query(`update debit set filler = 'y' where id = $1`, [next - 6])
      await client.query(`select pg_logical_emit_message(true, 'volume', repeat('x', 200000))`)
      await client.query('commit')
      load.committed = next
      if (next % 50 === 0) await client.query('checkpoint')
    }
    await client.end()
  })()
  async function stop() {
    load.stopping = true
    await ended
  }
  return { load, stop }
}

test('a backup taken under write load restores to one consistent moment, secrets and mail with it', async () => {
  const folder = await temporaryFolder()
  const dataDir = await withCluster(join(folder, 'data'))
  const to = join(folder, 'backup.tar.gz')
  const database = await startForTest(dataDir, { settings: { max_wal_size: '32MB', min_wal_size: '32MB' } })
  await writeFile(join(dataDir, 'secrets.json'), '{"key":"k"}', { mode: 0o600 })
  await mkdir(join(dataDir, 'mail'))
  await writeFile(join(dataDir, 'mail', '1.eml'), 'hello')
  const { load, stop } = await startWriting(database.ownerUrl)
  while (load.committed < 100) await new Promise((resolve) => setTimeout(resolve, 10))
  const before = load.committed
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  await backupEmbedded({ dataDir, to }).finally(() => vi.unstubAllEnvs())
  const after = load.committed
  await stop()
  expect(after).toBeGreaterThan(before)
  expect((await stat(to)).mode & 0o777).toBe(0o600)
  const slots = 'select count(*)::int as remaining from pg_replication_slots'
  expect(await query(database.ownerUrl, slots)).toEqual([{ remaining: 0 }])
  await database.stop()

  const restored = join(folder, 'restored')
  await restoreEmbedded({ from: to, dataDir: restored })
  const copy = await startForTest(restored)
  const [rows] = await query<{ debit: number; credit: number; last: number }>(
    copy.ownerUrl,
    `select (select count(*)::int from debit where filler in ('y', repeat('x', 6000))) as debit,
            (select count(*)::int from credit) as credit, (select max(id) from credit) as last`,
  )
  expect(rows).toEqual({ debit: rows?.last, credit: rows?.last, last: rows?.last })
  expect(rows?.last).toBeGreaterThanOrEqual(before)
  expect(rows?.last).toBeLessThanOrEqual(after + 1)
  expect(await query(copy.appUrl, 'select current_user as me')).toEqual([{ me: 'mandate_app' }])
  expect(await readFile(join(restored, 'secrets.json'), 'utf8')).toBe('{"key":"k"}')
  expect((await stat(join(restored, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(restored, 'mail', '1.eml'), 'utf8')).toBe('hello')
}, 90_000)

test('a backup is taken from a process beside the running server, and of a stopped server too', {
  tags: ['long'],
}, async () => {
  const folder = await temporaryFolder()
  const dataDir = await withCluster(join(folder, 'data'))
  const archives = { beside: join(folder, 'beside.tar.gz'), stopped: join(dataDir, 'stopped.tar.gz') }
  const server = await spawnNode<{ ownerUrl: string }>('run-embedded.ts', [dataDir])
  await query(server.said.ownerUrl, `create table kept as select 'beside' as how`)
  await backupEmbedded({ dataDir, to: archives.beside })
  await query(server.said.ownerUrl, `update kept set how = 'stopped'`)
  await server.kill('SIGTERM')
  await backupEmbedded({ dataDir, to: archives.stopped })
  for (const [how, from] of Object.entries(archives)) {
    await restoreEmbedded({ from, dataDir: join(folder, how) })
    const copy = await startForTest(join(folder, how))
    expect(await query(copy.ownerUrl, 'select how from kept')).toEqual([{ how }])
  }
})

test('a backup that would replace a file, or finds no database, is refused and leaves nothing behind', async () => {
  const folder = await temporaryFolder()
  const nowhere = backupEmbedded({ dataDir: folder, to: join(folder, 'x.tar.gz') })
  await expect(nowhere).rejects.toThrow('There is no embedded database')
  const dataDir = await withCluster(join(folder, 'data'))
  await writeFile(join(folder, 'taken.tar.gz'), 'mine')
  await expect(backupEmbedded({ dataDir, to: join(folder, 'taken.tar.gz') })).rejects.toThrow('already exists')
  expect((await readdir(folder)).sort()).toEqual(['data', 'taken.tar.gz'])
  expect(await readFile(join(folder, 'taken.tar.gz'), 'utf8')).toBe('mine')
})

test('a backup that fails half way leaves no archive behind', async () => {
  const folder = await temporaryFolder()
  const dataDir = await withCluster(join(folder, 'data'))
  await mkdir(join(dataDir, 'pg', 'pg_tblspc', '16500'))
  await expect(backupEmbedded({ dataDir, to: join(folder, 'x.tar.gz') })).rejects.toThrow('has tablespaces')
  expect(await readdir(folder)).toEqual(['data'])
})
