import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { spawnNode } from './fixtures/spawn-node.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { EmbeddedInUse, lockDataDir } from './owner-lock.ts'

/** The name of this process's claim file: pid-start-machine. */
async function ownClaim(): Promise<[string, string, string]> {
  const folder = await temporaryFolder()
  const lock = await lockDataDir(folder)
  const [name = ''] = (await readdir(join(folder, 'lock'))).filter((found) => found.endsWith('.claim'))
  await lock.release()
  return name.replace('.claim', '').split('-') as [string, string, string]
}

async function folderWithClaim(claim: string): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'lock'))
  for (const suffix of ['claim', 'owner']) await writeFile(join(folder, 'lock', `${claim}.${suffix}`), '')
  return folder
}

test('of eight processes that want a folder at the same moment exactly one gets it', { tags: ['long'] }, async () => {
  const dataDir = await temporaryFolder()
  const at = String(Date.now() + 1500)
  const children = await Promise.all(
    Array.from({ length: 8 }, () => spawnNode<{ owned: boolean; error?: string }>('run-lock.ts', [dataDir, at])),
  )
  const answers = children.map((child) => child.said)
  expect(answers.filter((answer) => answer.owned)).toHaveLength(1)
  expect(answers.filter((answer) => answer.error === 'EmbeddedInUse')).toHaveLength(7)
  await Promise.all(children.filter(({ said }) => said.owned).map((child) => child.kill('SIGTERM')))
  expect(await readdir(join(dataDir, 'lock'))).toEqual([])
})

test('a claim whose pid lives but belongs to a later process is stale', async () => {
  const [, , machine] = await ownClaim()
  const folder = await folderWithClaim(`${process.ppid}-1-${machine}`)
  const lock = await lockDataDir(folder)
  expect((await readdir(join(folder, 'lock'))).every((name) => name.startsWith(`${process.pid}-`))).toBe(true)
  await lock.release()
})

test('a claim from another container counts only while its heartbeat moves, and one of another shape never', async () => {
  const [dead, live] = await Promise.all([folderWithClaim('7-1-elsewhere'), folderWithClaim('8-1-elsewhere')])
  const odd = await temporaryFolder()
  for (const name of ['x.claim', 'x.owner']) await mkdir(join(odd, 'lock', name, 'full'), { recursive: true })
  const beat = setInterval(() => {
    const now = new Date()
    utimes(join(live, 'lock', '8-1-elsewhere.claim'), now, now)
  }, 500)
  onTestFinished(() => clearInterval(beat))
  const [first, second, third] = await Promise.allSettled([dead, live, odd].map((folder) => lockDataDir(folder)))
  for (const won of [first, third]) {
    expect(won?.status).toBe('fulfilled')
    if (won?.status === 'fulfilled') await won.value.release()
  }
  expect(second?.status === 'rejected' && second.reason).toBeInstanceOf(EmbeddedInUse)
}, 10_000)

test('a released folder can be owned again, and release may be repeated', async () => {
  const folder = await temporaryFolder()
  const lock = await lockDataDir(folder)
  await expect(lockDataDir(folder)).rejects.toThrow(EmbeddedInUse)
  await lock.release()
  await lock.release()
  await (await lockDataDir(folder)).release()
})
