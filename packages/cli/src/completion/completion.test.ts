import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../start/program.ts'
import { bashScript } from './bash-script.ts'
import { describeCommands } from './describe-commands.ts'
import { fishScript } from './fish-script.ts'
import { zshScript } from './zsh-script.ts'

const commands = describeCommands(await createProgram())

/** The words that bash suggests for the last word of a command line, which may be empty. */
function offered(line: string): string[] {
  const words = line.split(' ')
  const script = `${bashScript(commands)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_mandate; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter(Boolean)
}

describe('bash', () => {
  test.each([
    ['mandate pol', ['policies']],
    ['mandate policies pu', ['pull', 'push']],
    ['mandate policies push --dr', ['--dry-run']],
    ['mandate --json agents li', ['list']],
    ['mandate reviews list --status pe', ['pending']],
    ['mandate reviews resolve 01a1 at', ['attest']],
    ['mandate completion ', ['bash', 'zsh', 'fish', '--help']],
    ['mandate keys create --expires ', []],
  ])('completes "%s" with %j', (line, words) => {
    expect(offered(line)).toEqual(words)
  })
})

describe('every shell', () => {
  test('has every command and every option in its script', () => {
    for (const script of [bashScript, zshScript, fishScript]) {
      const text = script(commands)
      for (const { path, options } of commands) {
        expect(text).toContain(path)
        for (const { flags } of options) for (const flag of flags) expect(text).toContain(flag.replace(/^-+/, ''))
      }
    }
  })

  test.runIf(spawnSync('zsh', ['--version']).status === 0)('zsh parses its script', () => {
    expect(spawnSync('zsh', ['-n'], { input: zshScript(commands), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  test.runIf(spawnSync('fish', ['--version']).status === 0)('fish parses its script', () => {
    expect(spawnSync('fish', ['-n'], { input: fishScript(commands), encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})
