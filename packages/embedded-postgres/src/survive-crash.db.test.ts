import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectEmbedded } from './connect-embedded.ts'
import { clusterForFile } from './fixtures/prepared-folder.ts'
import { query } from './fixtures/query.ts'
import { spawnNode } from './fixtures/spawn-node.ts'
import { startForTest } from './fixtures/start-for-test.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { processStart } from './process-identity.ts'

type Said = { ownerUrl: string; pid: number }

const withCluster = clusterForFile()

test('after kill -9 of its process a start finds every committed row', async () => {
  const dataDir = await withCluster(await temporaryFolder())
  const child = await spawnNode<Said>('run-embedded.ts', [dataDir])
  await query(child.said.ownerUrl, 'create table kept as select generate_series(1, 1000) as id')
  await child.kill('SIGKILL')
  const { ownerUrl, pid } = await startForTest(dataDir)
  expect(pid).not.toBe(child.said.pid)
  expect(processStart(child.said.pid)).toBeNull()
  expect(await query(ownerUrl, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
})

test('a server that outlives its killed process (no setpriv) is stopped, and the folder is started again', {
  tags: ['long'],
}, async () => {
  const folder = await temporaryFolder()
  await withCluster(join(folder, 'data'))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await symlink('/usr/bin/id', join(bin, 'id'))
  const child = await spawnNode<Said>('run-embedded.ts', [join(folder, 'data')], { env: { PATH: bin } })
  await query(child.said.ownerUrl, 'create table kept as select generate_series(1, 1000) as id')
  await child.kill('SIGKILL')
  expect(await connectEmbedded(join(folder, 'data'))).not.toBeNull()
  expect(processStart(child.said.pid)).not.toBeNull()
  const { ownerUrl } = await startForTest(join(folder, 'data'))
  expect(processStart(child.said.pid)).toBeNull()
  expect(await query(ownerUrl, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }])
})

test('a killed server whose pid went to another process does not block the next start', {
  tags: ['long'],
}, async () => {
  const dataDir = await withCluster(await temporaryFolder())
  const first = await startForTest(dataDir)
  // The backend is busy computing, so it does not notice immediately that its server process has ended.
  const busy = query(first.ownerUrl, 'select count(*) from generate_series(1, 10000000)').catch(() => 'lost')
  const active = `select from pg_stat_activity where query like '%generate_series(1,%' and pid <> pg_backend_pid()`
  while ((await query(first.ownerUrl, active)).length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const exited = first.exited
  process.kill(first.pid, 'SIGKILL')
  expect(await exited).toEqual({ code: null, signal: 'SIGKILL' })
  await first.stop()
  const pidFile = join(dataDir, 'pg', 'postmaster.pid')
  const { uid, gid } = await stat(pidFile)
  const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  onTestFinished(() => void stranger.kill())
  await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(stranger.pid)))
  expect(await connectEmbedded(dataDir)).toBeNull()
  const { ownerUrl } = await startForTest(dataDir)
  await busy
  expect(stranger.exitCode).toBeNull()
  expect(await query(ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
})

test('damaged passwords are refused, and lost ones replaced on the existing cluster', async () => {
  const dataDir = await withCluster(await temporaryFolder())
  const first = await startForTest(dataDir)
  await query(first.ownerUrl, 'create table kept as select 1 as id')
  await first.stop()
  await writeFile(join(dataDir, 'database.json'), '{')
  await expect(startForTest(dataDir)).rejects.toThrow(
    'database.json, which has the passwords of the database, is damaged',
  )
  await rm(join(dataDir, 'database.json'))
  const second = await startForTest(dataDir)
  expect(second.ownerUrl).not.toBe(first.ownerUrl)
  expect(await query(second.ownerUrl, 'select id from kept')).toEqual([{ id: 1 }])
  expect(await query(second.appUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
})

test('a first start interrupted half way leaves nothing the next one trips over', { tags: ['long'] }, async () => {
  const dataDir = await temporaryFolder()
  await mkdir(join(dataDir, 'pg.new-1', 'base'), { recursive: true })
  await chmod(join(dataDir, 'pg.new-1'), 0o700)
  const { ownerUrl } = await startForTest(dataDir)
  expect(await query(ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
  await expect(stat(join(dataDir, 'pg.new-1'))).rejects.toThrow('ENOENT')
})
