import { chmod, chown, cp, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { canEnter, chooseAccount } from './account.ts'
import { prepareBinaries } from './binaries.ts'
import { clusterForFile } from './fixtures/prepared-folder.ts'
import { query } from './fixtures/query.ts'
import { spawnNode } from './fixtures/spawn-node.ts'
import { startForTest } from './fixtures/start-for-test.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { launcherFor, runToEnd } from './launch.ts'

const withCluster = clusterForFile()
const isRoot = process.getuid?.() === 0
const nobody = { kind: 'other' as const, uid: 65534, gid: 65534, name: 'nobody' }

test.runIf(isRoot)(
  'as root the cluster belongs to an unprivileged account, which can enter no more than it must',
  async () => {
    const dataDir = join(await temporaryFolder(), 'data')
    const { ownerUrl } = await startForTest(dataDir)
    expect((await stat(join(dataDir, 'pg'))).uid).not.toBe(0)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o710)
    expect((await stat(dataDir)).uid).toBe(0)
    expect(await query(ownerUrl, 'select 1 as alive')).toEqual([{ alive: 1 }])
  },
)

test.runIf(isRoot && canEnter(nobody, import.meta.dirname))(
  'an ordinary user starts it, with all files their own',
  async () => {
    const dataDir = await temporaryFolder()
    await chown(dataDir, nobody.uid, nobody.gid)
    const identity = { uid: nobody.uid, gid: nobody.gid, cwd: '/' }
    const child = await spawnNode<{ appUrl: string }>('run-embedded.ts', [dataDir], identity)
    expect(child.said).toHaveProperty('appUrl')
    expect(await query(child.said.appUrl, 'select current_user as me')).toEqual([{ me: 'mandate_app' }])
    for (const name of await readdir(dataDir)) expect((await stat(join(dataDir, name))).uid).toBe(nobody.uid)
  },
)

test.runIf(isRoot)(
  'as root a data folder no other account can reach is served all the same, and can move out of there',
  async () => {
    const hidden = join(await temporaryFolder(), 'hidden')
    await mkdir(hidden, { mode: 0o700 })
    const first = await startForTest(join(hidden, 'data'))
    await query(first.ownerUrl, 'create table kept as select 1 as id')
    await first.stop()
    await chmod(hidden, 0o755)
    const second = await startForTest(join(hidden, 'data'))
    expect((await stat(join(hidden, 'data', 'pg', 'PG_VERSION'))).uid).not.toBe(0)
    expect(await query(second.ownerUrl, 'select id from kept')).toEqual([{ id: 1 }])
  },
)

test('a socket folder that someone else made first is refused', { tags: ['long'] }, async () => {
  const folder = await withCluster(await temporaryFolder())
  await symlink(folder, join(folder, 'run'))
  await expect(startForTest(folder)).rejects.toThrow('belongs to another user')
})

test('binaries installed without scripts, read-only or out of reach are completed, or copied and run from the copy', {
  tags: ['long'],
}, async () => {
  const folder = await temporaryFolder()
  const installed = join(folder, 'native')
  const found = await prepareBinaries({ kind: 'self', uid: process.getuid?.() ?? 0 }, join(folder, 'unused'))
  await cp(dirname(dirname(found.postgres)), installed, { recursive: true, verbatimSymlinks: true })
  for (const entry of await readdir(join(installed, 'lib'), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(installed, 'lib', entry.name))
  }
  await chmod(join(installed, 'bin', 'initdb'), 0o644)
  const account = await chooseAccount(folder)
  const repaired = await prepareBinaries(account, join(folder, 'copy'), installed)
  expect(dirname(dirname(repaired.initdb))).toBe(installed)
  await runToEnd(launcherFor(account), repaired.initdb, ['--version'])
  if (!isRoot) return
  await chmod(installed, 0o700)
  const copied = await prepareBinaries(account, join(folder, 'copy'), installed)
  expect(dirname(dirname(copied.initdb))).toBe(join(folder, 'copy'))
  await runToEnd(launcherFor(account), copied.initdb, ['--version'])
})
