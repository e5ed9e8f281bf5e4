import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('makes a folder with its parents, and gives the mode to the last one only', async () => {
  await makeFolder(join(folder, 'a', 'b', 'c'), 0o700)
  expect((await stat(join(folder, 'a', 'b', 'c'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'a'))).mode & 0o100).toBe(0o100)
})

it('leaves a folder that exists as it is', async () => {
  await chmod(folder, 0o750)
  await makeFolder(folder, 0o700)
  expect((await stat(folder)).mode & 0o777).toBe(0o750)
})

it('rejects a path through a file', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

it.skipIf(process.platform !== 'linux')('rejects a path in a file system that takes no folders', async () => {
  await expect(makeFolder('/proc/mandate/data')).rejects.toMatchObject({ code: 'ENOENT' })
})
