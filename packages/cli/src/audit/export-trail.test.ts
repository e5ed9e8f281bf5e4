import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@mandate/sdk/testing/serve'
import { expect, onTestFinished, test } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const lines = '{"seal":{}}\n{"end":{}}\n'

/** Runs `audit export --file` in a folder, once for each of the files. */
async function run(cwd: string, ...files: string[]) {
  const { url } = await serve(() => ({ status: 200, text: lines, headers: { 'content-type': 'application/x-ndjson' } }))
  const env = { MANDATE_URL: url, MANDATE_API_KEY: `mk_${'0'.repeat(64)}` }
  return await Promise.all(files.map((file) => runInProcess(['audit', 'export', '--file', file], { env, cwd })))
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-export-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('an export to a link replaces the file that it leads to, and leaves no other file', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'old'), 'old')
  await symlink('old', join(folder, 'link'))
  await symlink('new', join(folder, 'broken'))
  for (const { code } of await run(folder, 'link', 'link', 'broken', 'other')) expect(code).toBe(0)
  expect(await readlink(join(folder, 'link'))).toBe('old')
  expect((await stat(join(folder, 'other'))).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).sort()).toEqual(['broken', 'link', 'new', 'old', 'other'])
  for (const file of ['old', 'new', 'other']) expect(await readFile(join(folder, file), 'utf8')).toBe(lines)
})

test.skipIf(process.platform === 'win32')('an export to a pipe or a device writes into it', async () => {
  const folder = await makeFolder()
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [[ended], text] = await Promise.all([run(folder, 'pipe'), readFile(pipe, 'utf8')])
  expect([ended?.code, text]).toEqual([0, lines])
  expect((await stat(pipe)).isFIFO()).toBe(true)
})
