import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { policyPaths } from './policy-paths.ts'

const folderWith = (...files: string[]) => folderIn(tmpdir(), ...files)

async function folderIn(place: string, ...files: string[]): Promise<string> {
  const folder = await mkdtemp(join(place, 'mandate-policies-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

test('replaces a folder by the policy files in it and its subfolders, in order and without duplicates', async () => {
  const folder = await folderWith('b.yaml', 'a.yml', 'team/c.yaml', 'notes.md', '.git/d.yaml', 'node_modules/e.yaml')
  const [a, b, c] = ['a.yml', 'b.yaml', 'team/c.yaml'].map((name) => join(folder, name))
  expect(await policyPaths([folder])).toEqual([a, b, c])
  expect(await policyPaths([b!, folder, 'missing.yaml'])).toEqual([b, a, c, 'missing.yaml'])
})

test('rejects a folder without policy files', async () => {
  const folder = await folderWith('notes.md')
  await expect(policyPaths([folder])).rejects.toThrow('contains no policy files')
})

test('returns a file once, whatever path or link leads to it', async () => {
  const folder = await folderWith('a.yaml', 'team/b.yaml')
  await symlink(join(folder, 'a.yaml'), join(folder, 'team/link.yaml'))
  const [a, b] = ['a.yaml', 'team/b.yaml'].map((name) => join(folder, name))
  expect(await policyPaths([folder, `${folder}/./a.yaml`, join(folder, 'team')])).toEqual([a, b])
})

test('follows links to folders, also in circles, and takes endings in any case', async () => {
  const folder = await folderWith('A.YAML', 'A.TEST.YAML', 'real/b.Yml')
  const other = await folderWith('c.yaml')
  await symlink(other, join(folder, 'link'))
  await symlink(folder, join(other, 'back'))
  await symlink('real', join(folder, 'zebra'))
  await symlink('nowhere', join(folder, 'notes'))
  const [a, b, c] = ['A.YAML', 'real/b.Yml', 'link/c.yaml'].map((name) => join(folder, name))
  expect(await policyPaths([folder])).toEqual([a, c, b])
})

test('refuses a link to a folder that contains the given folder', async () => {
  const folder = await folderWith('team/a.yaml', 'team/deep/b.yaml', 'c.yaml')
  const team = join(folder, 'team')
  await symlink('..', join(team, 'deep/up'))
  expect(await policyPaths([team])).toEqual([join(team, 'a.yaml'), join(team, 'deep/b.yaml')])
  await symlink('../..', join(team, 'deep/out'))
  const whole = await realpath(folder)
  await expect(policyPaths([team])).rejects.toThrow(
    `the link ${join(team, 'deep/out')} leads to ${whole}, which contains ${join(whole, 'team')}: remove the link`,
  )
})

test('names a folder that cannot be read', async () => {
  const isRoot = process.getuid?.() === 0
  // The other user may not be allowed into TMPDIR.
  const folder = await folderIn(isRoot ? '/tmp' : tmpdir(), 'a.yaml', 'locked/b.yaml')
  const locked = join(folder, 'locked')
  await chmod(folder, 0o755)
  await chmod(locked, 0)
  onTestFinished(async () => {
    if (isRoot) process.seteuid?.(0)
    await chmod(locked, 0o755)
  })
  // The super-user can read each folder.
  if (isRoot) process.seteuid?.('nobody')
  await expect(policyPaths([folder])).rejects.toThrow(`cannot read the folder ${locked}: permission denied`)
})

test('leaves out files of expected decisions, in folders and beside their policy files', async () => {
  const folder = await folderWith('a.yaml', 'a.test.yaml', 'team/b.yml', 'team/b.test.yml')
  const [a, test, b] = ['a.yaml', 'a.test.yaml', 'team/b.yml'].map((name) => join(folder, name))
  expect(await policyPaths([folder])).toEqual([a, b])
  expect(await policyPaths([test!, a!])).toEqual([a])
  expect(await policyPaths([test!])).toEqual([test])
})
