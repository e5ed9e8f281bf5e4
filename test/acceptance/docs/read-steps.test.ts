import { expect, test } from 'vitest'
import { readSteps } from './read-steps.ts'

const fence = '```'

test('a block of sh is one step, and the block of output after it is what it prints', () => {
  const page = `Text\n\n${fence}sh\necho a\n${fence}\n\n${fence}output\na\n${fence}\n`
  expect(readSteps(page)).toEqual([
    { kind: 'commands', line: 3, commands: [{ line: 3, text: 'echo a', shown: 'a' }], exitCode: 0 },
  ])
})

test('a block of console is a command for each prompt, with the lines under it', () => {
  const page = `${fence}console\n$ echo a \\\n> b\na b\n$ true\n${fence}\n`
  expect(readSteps(page)).toMatchObject([
    {
      commands: [
        { line: 2, text: 'echo a \\\nb', shown: 'a b' },
        { line: 5, text: 'true', shown: '' },
      ],
    },
  ])
})

test('comments before a block say how it is taken, and blocks of other languages are none', () => {
  const block = (comment: string, language = 'sh') => `${comment}\n${fence}${language}\nx\n${fence}\n`
  const kinds = (page: string) => readSteps(page).map(({ kind }) => kind)
  expect(readSteps(block('<!-- not run: needs root -->'))).toMatchObject([{ kind: 'skipped', reason: 'needs root' }])
  expect(readSteps(block('<!-- run by a.test.ts -->'))).toMatchObject([{ kind: 'elsewhere', test: 'a.test.ts' }])
  expect(readSteps(block('<!-- file: a.json -->', 'json'))).toMatchObject([{ kind: 'file', path: 'a.json', text: 'x' }])
  expect(readSteps(block('<!-- ends with: 2 -->'))).toMatchObject([{ kind: 'commands', exitCode: 2 }])
  expect(readSteps(block('<!-- setup\na\nb\n-->'))).toMatchObject([
    { kind: 'setup', text: 'a\nb' },
    { kind: 'commands' },
  ])
  expect(kinds(block('', 'ts'))).toEqual([])
  expect(() => readSteps(block('<!-- not run: needs root -->', 'ts'))).toThrow('takes no such comment')
})

test('a block of commands has one of the two names', () => {
  expect(() => readSteps(`${fence}bash\ntrue\n${fence}\n`)).toThrow('name a block of commands sh or console')
  expect(() => readSteps(`${fence}\n$ true\n${fence}\n`)).toThrow('name a block of commands sh or console')
})
