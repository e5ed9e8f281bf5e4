import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { backupEmbedded } from '../backup.ts'
import { query } from '../fixtures/query.ts'
import { startForTest } from '../fixtures/start-for-test.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'
import { startEmbedded } from '../start-embedded.ts'
import { ArchiveDamaged } from './read-archive.ts'
import { restoreEmbedded, TargetNotEmpty } from './restore.ts'
import { createArchive } from './write-archive.ts'

/** An archive of a real cluster with one table. Created once for all tests. */
let backup: string

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-test-'))
  backup = join(folder, 'backup.tar.gz')
  const database = await startEmbedded({ dataDir: join(folder, 'data'), durable: false })
  await query(database.ownerUrl, 'create table kept as select 1 as id')
  await backupEmbedded({ dataDir: join(folder, 'data'), to: backup })
  await database.stop()
  return () => rm(folder, { recursive: true, force: true })
})

async function smallArchive(folder: string): Promise<Buffer> {
  const writer = createArchive(join(folder, 'small.tar.gz'))
  await writer.addDirectory('pg')
  await writer.addBytes('pg/noise', randomBytes(20_000))
  await writer.addBytes('pg/hba', Buffer.from('local all all scram-sha-256'))
  await writer.finish({ postgresVersion: '18.4' })
  return readFile(join(folder, 'small.tar.gz'))
}

test.each<[string, (whole: Buffer) => Buffer, RegExp]>([
  ['a flipped byte', (whole) => whole.fill(whole[9000]! ^ 0xff, 9000, 9001), /damaged/],
  ['its end missing', (whole) => whole.subarray(0, whole.length - 200), /unexpected end of file/],
  [
    'changed content',
    (whole) => withText(whole, 'scram-sha-256', 'trust-anybody'),
    /pg\/hba differs from the manifest/,
  ],
  ['an unlisted file', (whole) => withText(whole, '"pg/hba"', '"pg/hbx"'), /pg\/hbx is missing/],
  ['another format', (whole) => withText(whole, '"format":1', '"format":2'), /cannot read archive format 2/],
  ['nothing of an archive inside', () => Buffer.from('not an archive'), /incorrect header check/],
])('an archive with %s is refused, and what was in the folder stays', async (_what, damage, message) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'damaged.tar.gz'), damage(await smallArchive(folder)))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'secrets.json'), 'mine')
  const refusal = await restoreEmbedded({ from: join(folder, 'damaged.tar.gz'), dataDir, force: true }).catch((e) => e)
  expect(refusal).toBeInstanceOf(ArchiveDamaged)
  expect(refusal.message).toMatch(message)
  expect((await readdir(dataDir)).sort()).toEqual(['lock', 'secrets.json'])
  expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).toBe('mine')
})

/**
 * Returns a copy of the archive in which a text is replaced by another text of the same length. All checksums are corrected,
 * except the one in the manifest.
 */
function withText(archive: Buffer, text: string, replacement: string): Buffer {
  const tar = gunzipSync(archive)
  tar.write(replacement, tar.indexOf(text))
  return gzipSync(tar)
}

test('an archive that names a path outside the folder is refused', async () => {
  const target = await temporaryFolder()
  const writer = createArchive(join(target, 'evil.tar.gz'))
  await writer.addBytes('../evil', Buffer.from('x'))
  await writer.finish({ postgresVersion: '18.4' })
  const attempt = restoreEmbedded({ from: join(target, 'evil.tar.gz'), dataDir: join(target, 'data') })
  await expect(attempt).rejects.toThrow('the archive contains the unsafe path "../evil"')
  await expect(stat(join(target, 'evil'))).rejects.toThrow('ENOENT')
})

test('a folder that is not empty is refused, replaced with force, and kept even so while a server runs there', {
  tags: ['long'],
}, async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  await restoreEmbedded({ from: backup, dataDir })
  const old = await startForTest(dataDir)
  await query(old.ownerUrl, 'create table old as select 1 as id')
  await expect(restoreEmbedded({ from: backup, dataDir, force: true })).rejects.toThrow('in use by process')
  expect(await query(old.ownerUrl, 'select id from old')).toEqual([{ id: 1 }])
  await old.stop()
  await expect(restoreEmbedded({ from: backup, dataDir })).rejects.toThrow(TargetNotEmpty)
  await restoreEmbedded({ from: backup, dataDir, force: true })
  const copy = await startForTest(dataDir)
  expect(await query(copy.ownerUrl, 'select id from kept')).toEqual([{ id: 1 }])
  await expect(query(copy.ownerUrl, 'select id from old')).rejects.toThrow('does not exist')
})

test('a restore interrupted while it moves into place is finished by the next start', async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  await restoreEmbedded({ from: backup, dataDir })
  await mkdir(join(dataDir, '.verified'))
  await rename(join(dataDir, 'pg'), join(dataDir, '.verified', 'pg'))
  await mkdir(join(dataDir, 'pg'))
  const copy = await startForTest(dataDir)
  expect(await query(copy.ownerUrl, 'select id from kept')).toEqual([{ id: 1 }])
}, 90_000)
