import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { EdgeConfig } from '../config.ts'
import { claimServerName } from './claim-server-name.ts'
import { runStdio } from './run-stdio.ts'

let stateDir: string

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'mandate-names-'))
  onTestFinished(() => rm(stateDir, { recursive: true }))
})

test('binds a name to one command in the state folder and rejects a second command', async () => {
  const claim = (name: string, ...command: string[]) => claimServerName(stateDir, name, command)
  await claim('files', 'npx', 'server', '/a')
  await claim('files', 'npx', 'server', '/a')
  await claim('other', 'npx', 'server', '/b')
  await expect(claim('files', 'npx', 'server', '/b')).rejects.toThrow(
    /the server name files is taken by another command/,
  )
  await expect(claim('files', 'npx', 'server /a')).rejects.toThrow('--server')
  const file = join(stateDir, 'server-names/files.sha256')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await rm(file)
  await claim('files', 'npx', 'server', '/b')
})

test('compares paths by their files, in any working directory', async () => {
  const claim = (file: string) => claimServerName(stateDir, 'mine', ['node', file])
  await claim('package.json')
  await claim(join(process.cwd(), 'package.json'))
  await expect(claim(join(stateDir, 'package.json'))).rejects.toThrow('another command')
})

test('gives a name to one of two concurrent commands and leaves no files behind', async () => {
  const claims = ['one', 'two', 'three', 'four'].map((word) => claimServerName(stateDir, 'files', [word]))
  const outcomes = await Promise.allSettled(claims)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await readdir(join(stateDir, 'server-names'))).toEqual(['files.sha256'])
})

test('a stdio edge does not start a server whose name belongs to another command', async () => {
  await claimServerName(stateDir, 'files', ['one'])
  const config = { agentIds: ['6f0f4b7e-9d0c-4f55-8a53-0c1f8a4f8b11'], stateDir, logLevel: 'silent' } as unknown
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  stdin.write('{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}\n')
  const started = runStdio(config as EdgeConfig, ['two'], 'files', { stdin, stdout })
  await expect(started).rejects.toThrow('is taken by another command')
  const message = expect.stringMatching(/^The edge cannot start: .* is taken by another command/)
  expect(JSON.parse(String(stdout.read()))).toMatchObject({ id: 7, error: { message } })
})
