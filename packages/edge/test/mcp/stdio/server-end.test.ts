import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { describeEnd } from '../../../src/mcp/messages/server-end.ts'
import { spawnServer } from '../../../src/mcp/stdio/spawn-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'mandate-start-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string, mode: number) => {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), mode)
  return join(folder, name)
}
const plain = file('plain', 'text', 0o644)
const orphan = file('orphan', '#!/no/such/interpreter\n', 0o755)
mkdirSync(join(folder, 'inner'))
mkdirSync(join(folder, 'my tools'))
const spaced = file('my tools/server', '#!/no/such/interpreter\n', 0o755)
const noProgram = file('no-program', `#!${plain}\n`, 0o755)
const env = { PATH: '/usr/bin:/bin' }
const startErrorOf = async (command: object & { command: string }) =>
  (await spawnServer({ env, ...command }, 'files', new PassThrough()).ended).startError

// Root may run every file that anyone may run, so `plain` has no x bit at all.
it.each([
  ['a program that no folder of PATH has', { command: 'no-such-program' }, 'ENOENT', 'Install it'],
  ['a path without a file', { command: '/no/such/program' }, 'ENOENT', 'Correct the path'],
  ['a path relative to the folder', { command: './none', cwd: folder }, 'ENOENT', 'Correct the path'],
  ['a path from the home folder', { command: '~/bin/server' }, 'ENOENT', 'whole path'],
  ['quotes', { command: '"node"' }, 'ENOENT', 'quotes'],
  ['arguments in the command', { command: 'node server.js --key=hidden' }, 'ENOENT', 'each argument into args'],
  ['a missing folder', { command: 'true', cwd: join(folder, 'none') }, 'the folder does not exist', 'change cwd'],
  ['a file in place of the folder', { command: 'true', cwd: plain }, 'not a folder', 'Change cwd'],
  ['a file that may not be run', { command: plain }, 'EACCES', 'chmod +x'],
  ['a folder in place of the program', { command: join(folder, 'inner') }, 'EACCES', 'a folder'],
  ['a missing interpreter', { command: orphan }, 'ENOENT', 'interpreter'],
  ['a missing interpreter, in a folder with a space', { command: spaced }, 'ENOENT', 'interpreter'],
  ['an interpreter that is no program', { command: noProgram }, 'EACCES', 'the interpreter that its first line names'],
  ['a file in place of a folder of the path', { command: `${plain}/server` }, 'ENOTDIR', 'Correct the path'],
  ['arguments that are too long', { command: 'true', args: ['a'.repeat(5_000_000)] }, 'E2BIG', 'Shorten args'],
  ['a NUL in an argument', { command: 'true', args: ['a\0hidden'] }, 'ERR_INVALID_ARG_VALUE', 'NUL'],
  ['a NUL in a variable', { command: 'true', env: { A: 'a\0hidden' } }, 'ERR_INVALID_ARG_VALUE', 'NUL'],
] as const)(
  'a failed start names the program, the folder, the error and the remedy: %s',
  async (_what, command, error, remedy) => {
    const reason = await startErrorOf(command)
    const name = command.command === spaced ? spaced : command.command.split(' ')[0]
    expect(reason).toContain(`cannot start the program ${JSON.stringify(name)} in the folder`)
    expect(reason).toContain(error)
    expect(reason).toContain(remedy)
    expect(reason).not.toContain('hidden')
  },
)

it('property: the exit code of a server is known, however it ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 255 }), async (code) => {
      const server = spawnServer({ command: 'sh', args: ['-c', `exit ${code}`], env }, 'files', new PassThrough())
      server.stdout.resume()
      const end = await server.ended
      expect(end).toEqual({ code, signal: null, startError: null })
      expect(describeEnd(end)).toContain(`exit code ${code}`)
    }),
    { numRuns: 5 },
  )
  const server = spawnServer({ command: 'sh', args: ['-c', 'kill -SEGV $$'], env }, 'files', new PassThrough())
  server.stdout.resume()
  expect(await server.ended).toMatchObject({ code: 139, signal: 'SIGSEGV' })
})
