import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { replaceFile } from './private-files.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-private-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('concurrent replacements all succeed and leave the text of one of them', async () => {
  const folder = await newFolder()
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(1000))
  await Promise.all(texts.map((text) => replaceFile(join(folder, 'file'), text)))
  expect(await readdir(folder)).toEqual(['file'])
  expect(texts).toContain(await readFile(join(folder, 'file'), 'utf8'))
})

test('a failed replacement leaves no temporary file', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'file'))
  await expect(replaceFile(join(folder, 'file'), 'text')).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['file'])
})
