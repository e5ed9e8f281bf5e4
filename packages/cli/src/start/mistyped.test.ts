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
