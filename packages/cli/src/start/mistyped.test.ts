import { expect, test } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const run = (...args: string[]) => runInProcess(args, { env: {}, cwd: '/' })

test.each([
  ['a command', ['polcies'], 'policies'],
  ['a subcommand', ['policies', 'psh'], 'push'],
  ['a command of help', ['help', 'agents', 'creat'], 'create'],
  ['an option', ['agents', 'list', '--serch', 'x'], '--search'],
  ['a choice', ['policies', 'list', '--sort', 'nam'], 'name'],
  ['a choice of another command', ['keys', 'list', '--state', 'activ'], 'active'],
])('names the closest word for %s that is mistyped', async (_, args, word) => {
  const { code, stderr } = await run(...args)
  expect([code, stderr.toLowerCase()]).toEqual([2, expect.stringContaining(`did you mean ${word}?`)])
})

test('a choice like no other gets only the list of choices', async () => {
  const { stderr } = await run('policies', 'list', '--sort', 'xyzzy')
  expect(stderr).toContain('Allowed choices are created_at, name, updated_at.\n(add --help')
})

test.each([
  ['policies', 'restore', 'Readers', '--version', '1'],
  ['agents', 'list', '-V'],
])('does not take an option of the program after a command as a success: %s %s', async (...args) => {
  expect(await run(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('unknown option') })
})

test.each([
  [['login', '--url', 'localhost:8080'], 'did you mean http://localhost:8080?'],
  [['register', '--url', 'http://127.0.0.1:80800'], 'it must have a port from 1 to 65535'],
  [['login', '--url', 'https://user:secret@mandate.example.com'], 'must not contain a user or a password'],
  [['edge', 'hook', '--edge', 'localhost:8089'], 'did you mean http://localhost:8089?'],
  [['try', 'mcp:files/read', '--edge', 'ftp://127.0.0.1'], 'ftp://127.0.0.1 must be a URL beginning with'],
])('explains an address that is no URL of a server: %s', async (args, reason) => {
  const { code, stderr } = await run(...args)
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(reason)])
})

test.each([['agents'], ['environments'], ['content'], ['credentials'], ['users']])(
  '%s update refuses a command line that changes nothing',
  async (group) => {
    const { code, stderr } = await run(group, 'update', 'Reader')
    expect([code, stderr]).toEqual([2, expect.stringContaining('mandate: give --')])
  },
)

test.each([
  ['usage', '--from', '2026-11-27T09:00'],
  ['usage', '--to', 'yesterday'],
  ['reports', 'create', '--to', '2026-02-30'],
])('%s refuses a text that is no day, and names the option and the forms', async (...args) => {
  const [option, text] = args.slice(-2)
  const { code, stderr } = await run(...args)
  const forms = '2026-01-31, or its start, 2026-01-31T00:00'
  expect([code, stderr]).toEqual([2, `mandate: ${option} takes a day in UTC such as ${forms}; not ${text}\n`])
})
