import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectEmbedded } from './connect-embedded.ts'
import { clusterForFile } from './fixtures/prepared-folder.ts'
import { query } from './fixtures/query.ts'
import { spawnNode } from './fixtures/spawn-node.ts'
import { startForTest } from './fixtures/start-for-test.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { EmbeddedInUse } from './owner-lock.ts'
import { processStart } from './process-identity.ts'
import { startEmbedded } from './start-embedded.ts'

const withCluster = clusterForFile()

test('a first start makes the database, and a later one finds what was written', async () => {
  const dataDir = join(await temporaryFolder(), 'not', 'there', 'yet')
  const messages: string[] = []
  const first = await startForTest(dataDir, { log: (message) => messages.push(message) })
  await query(first.ownerUrl, 'create table kept as select 42 as answer')
  await first.stop()
  expect(processStart(first.pid)).toBeNull()
  const second = await startForTest(dataDir, { log: (message) => messages.push(message) })
  expect(await query(second.ownerUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
  expect(messages.filter((message) => message === 'embedded database created')).toHaveLength(1)
  expect((await stat(join(dataDir, 'database.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(first.socketDir)).mode & 0o777).toBe(0o700)
})

test('the app role is no superuser, passes no row-level security and creates nothing; nothing listens on TCP', async () => {
  const { ownerUrl, appUrl } = await startForTest(await withCluster(await temporaryFolder()), {
    settings: { work_mem: '7MB' },
  })
  const role = 'rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication'
  expect(await query(appUrl, `select ${role} from pg_roles where rolname = current_user`)).toEqual([
    {
      rolcanlogin: true,
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
    },
  ])
  await expect(query(appUrl, 'create table mine (id int)')).rejects.toThrow('permission denied for schema public')
  const settings = `select current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
    current_setting('server_encoding') as encoding, current_setting('work_mem') as work_mem,
    current_setting('autovacuum_naptime') as vacuum_every,
    (select datlocale from pg_database where datname = current_database()) as locale`
  expect(await query(ownerUrl, settings)).toEqual([
    { tcp: '', fsync: 'off', encoding: 'UTF8', work_mem: '7MB', vacuum_every: '15s', locale: 'C.UTF-8' },
  ])
  const wrong = new URL(appUrl)
  wrong.password = 'guessed'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
})

test('a second start beside a live owner is refused, names its pid and folder, and does no damage', async () => {
  const dataDir = await withCluster(await temporaryFolder())
  const owner = await spawnNode<{ ownerUrl: string; pid: number }>('run-embedded.ts', [dataDir])
  const refusal = await startEmbedded({ dataDir }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(EmbeddedInUse)
  expect(String(refusal)).toContain(`in use by process ${owner.process.pid}`)
  expect(String(refusal)).toContain(dataDir)
  expect(await query(owner.said.ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
  await owner.kill('SIGTERM')
  const after = await startForTest(dataDir)
  await expect(startEmbedded({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`)
  expect(await query(after.ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
})

test('a data folder too long for a socket is served from a short one, found again by commands beside the server', async () => {
  const dataDir = join(await temporaryFolder(), 'long'.repeat(40))
  await withCluster(dataDir)
  const { socketDir, appUrl, stop } = await startForTest(dataDir)
  expect(socketDir.startsWith(dataDir)).toBe(false)
  expect((await stat(socketDir)).mode & 0o777).toBe(0o700)
  expect((await connectEmbedded(dataDir))?.appUrl).toBe(appUrl)
  await stop()
  await expect(stat(socketDir)).rejects.toThrow('ENOENT')
})

test('a data folder may have commas, quotes, spaces and other signs in its path', async () => {
  const dataDir = join(await temporaryFolder(), ` a,b "c" 'd' %p $HOME #é= ,`)
  await withCluster(dataDir)
  const { appUrl, stop } = await startForTest(dataDir)
  expect(await query(appUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
  await stop()
  await expect(startEmbedded({ dataDir: `${dataDir}\n` })).rejects.toThrow('contains a line break')
})

test('commands find the running database and none once it has stopped', async () => {
  const dataDir = await temporaryFolder()
  expect(await connectEmbedded(join(dataDir, 'nowhere'))).toBeNull()
  expect(await connectEmbedded(dataDir)).toBeNull()
  const database = await startForTest(await withCluster(dataDir))
  const found = await connectEmbedded(dataDir)
  expect(await query(found?.appUrl ?? '', 'select current_user as me')).toEqual([{ me: 'mandate_app' }])
  await Promise.all([database.stop(), database.stop()])
  expect(await connectEmbedded(dataDir)).toBeNull()
})

test('a server that cannot start says why, and frees the folder', async () => {
  const dataDir = await withCluster(await temporaryFolder())
  await expect(startEmbedded({ dataDir, durable: false, settings: { work_mem: 'plenty' } })).rejects.toThrow(
    /PostgreSQL did not start on .*pg: .*invalid value for parameter "work_mem"/s,
  )
  const { ownerUrl } = await startForTest(dataDir)
  expect(await query(ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
})
