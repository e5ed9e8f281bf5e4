import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeCommands } from '../completion/describe-commands.ts'
import { commandGroups } from './command-groups.ts'
import { createProgram, programFor } from './program.ts'

const commands = describeCommands(await createProgram()).filter(({ subcommands }) => subcommands.length === 0)
const pageOf = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../../docs/${name}.md`, import.meta.url)), 'utf8')
const commandLine = await pageOf('cli')
/** Commands for servers and edges have their own pages. */
const pages: Record<string, string> = { operator: await pageOf('operations'), edge: await pageOf('edge') }

/** Commands that print no data: they change something, or run until they are stopped. */
const silent = [
  'up',
  'version',
  'demo',
  'operator set-plan',
  'operator discover',
  'operator rotate-signing-key',
  'operator reseal-secrets',
  'operator fault',
  'backup',
  'restore',
  'register',
  'join',
  'invitations accept',
  'login',
  'logout',
  'password change',
  'email verify',
  'email resend',
  'agents suppress',
  'agents archive',
  'policies pull',
  'policies delete',
  'content delete',
  'sessions revoke',
  'users remove',
  'users revoke-sessions',
  'users revoke-grant',
  'users remove-environment',
  'environments delete',
  'edges revoke',
  'credentials delete',
  'delegations revoke',
  'platforms disconnect',
  'reports unshare',
  'reports delete',
  'audit export',
  'audit verify-now',
  'decisions receipt',
  'completion',
  'edge run',
  'edge hook',
  'help',
]

test('every command that prints data takes --output and --query', () => {
  const without = commands.filter(({ options }) => !options.some(({ flags }) => flags.includes('--output')))
  expect(without.map(({ path }) => path).sort()).toEqual([...silent].sort())
  for (const { options } of commands.filter((one) => !without.includes(one))) {
    expect(options.map(({ flags }) => flags[0])).toContain('--query')
  }
})

test('the documentation names every command', () => {
  const missing = commands.filter(({ path }) => {
    const [group = '', verb = group] = path.split(' ')
    const isNamed = (line: string) => new RegExp(`(?<![\\w-])${verb}(?![\\w-])`).test(line) && line.includes(group)
    return !(pages[group] ?? commandLine).split('\n').some(isNamed)
  })
  expect(missing.map(({ path }) => path)).toEqual([])
})

test('the documentation has one row for each group of commands', () => {
  const names = [...commandLine.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

test('each group of commands adds the commands that it names, and they are the same as in the whole program', async () => {
  const all = describeCommands(await createProgram())
  for (const { names } of commandGroups) {
    for (const name of names) {
      const [, ...alone] = describeCommands(await programFor(name))
      expect(alone.map(({ path }) => path).filter((path) => !path.includes(' '))).toEqual(names)
      expect(all).toEqual(expect.arrayContaining(alone))
    }
  }
})

test('a word that is no command, and a command that describes the others, get the whole program', async () => {
  const all = describeCommands(await createProgram())
  for (const word of [undefined, '--help', 'agent', 'help', 'completion']) {
    expect(describeCommands(await programFor(word))).toEqual(all)
  }
})
