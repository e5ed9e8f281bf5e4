import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../packages/cli/src/start/program.ts'
import * as commands from '../../packages/web/src/words/commands.ts'

// A reader copies a command from a screen. The command line must have it, with these options and as many arguments.

const program = await createProgram()
const url = 'https://mandate.example'
const agent = { id: '0190c7a2-3d41-7a6e-8b1e-5f0c1d2e3a4b', name: 'release-notes' }

/** Each command that a screen shows. The keys are the functions of `words/commands.ts`. */
const shown: { [Name in keyof typeof commands]: string[] } = {
  startEdge: [
    commands.startEdge({ url, key: 'ak_1' }),
    commands.startEdge({ url, key: 'ak_1', hasDemoServer: true }),
    commands.startEdge({ url, key: 'ek_1', agents: [agent.id, agent.id] }),
  ],
  tryCall: [commands.tryCall(agent, 'mcp:files/write_file', { path: 'draft.txt' })],
  verifyTrail: [commands.verifyTrail(url)],
  verifyReceipt: [commands.verifyReceipt(url, agent.id)],
  setPlan: [commands.setPlan(agent.id, 'pro')],
}

/** Splits a command as a shell does: words, quoted words, and lines that continue. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/'[^']*'|\S+/g) ?? []
  return words.map((word) => (word.startsWith("'") ? word.slice(1, -1) : word))
}

/** Says why the command line does not accept the command, or returns undefined. */
function faultOf(command: string): string | undefined {
  const words = wordsOf(command)
  const start = words.indexOf('npx')
  if (start < 0 || words[start + 1] !== 'mandate') return 'it does not begin with npx mandate'
  if (words.slice(0, start).some((word) => !/^[A-Z_]+=\S+$/.test(word))) return 'something is before npx mandate'
  const rest = words.slice(start + 2)
  let found: Command = program
  while (rest[0] !== undefined && found.commands.length > 0) {
    const next = found.commands.find((one) => one.name() === rest[0])
    if (!next) return `there is no command ${rest[0]}`
    found = next
    rest.shift()
  }
  if (found.commands.length > 0) return `${found.name()} needs a command`
  let positional = 0
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      positional++
      continue
    }
    const option = found.options.find(({ long, short }) => long === word || short === word)
    if (!option) return `${found.name()} has no option ${word}`
    if (option.required && rest.shift() === undefined) return `${word} needs a value`
  }
  const { registeredArguments: all } = found
  const fewest = all.filter(({ required }) => required).length
  if (positional < fewest) return `${found.name()} needs ${fewest} arguments`
  if (positional > all.length && !all.some(({ variadic }) => variadic)) return `${found.name()} takes no more arguments`
  return undefined
}

describe('every command that a screen shows', () => {
  it.each(Object.entries(shown))('%s is a command of the command line', (_, variants) => {
    for (const command of variants) expect(faultOf(command), command).toBeUndefined()
  })
})

it.each([
  ['mandate edge run', 'it does not begin with npx mandate'],
  ['npx mandate edges start', 'there is no command start'],
  ['npx mandate edge', 'edge needs a command'],
  ['npx mandate edge run --server x', 'run has no option --server'],
  ['npx mandate edge run --url', '--url needs a value'],
  ['npx mandate audit verify', 'verify needs 1 arguments'],
  ['npx mandate operator set-plan a b c', 'set-plan takes no more arguments'],
])('finds the fault of %s', (command, fault) => {
  expect(faultOf(command)).toBe(fault)
})
