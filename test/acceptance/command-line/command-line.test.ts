import { expect, test } from 'vitest'
import { mandate, runProgram } from '../mandate-process.ts'

test('npx mandate runs in the repository’s folder', async () => {
  expect(await runProgram('npx', ['mandate', 'version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' })
})

test('help lists every command', async () => {
  const { code, stdout } = await mandate(['--help'])
  expect(code).toBe(0)
  for (const command of [
    'up',
    'operator',
    'backup',
    'restore',
    'login',
    'agents',
    'policies',
    'reviews',
    'approvals',
    'findings',
    'users',
    'organization',
    'gate',
    'keys',
    'environments',
    'edges',
    'platforms',
    'reports',
    'api',
    'audit',
    'completion',
    'version',
  ]) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'))
  }
})

test('a command whose output is closed early exits with 0 and prints no error', async () => {
  const script = 'set -o pipefail; node_modules/.bin/mandate --help | true'
  expect(await runProgram('bash', ['-c', script])).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('an unknown command or a missing argument is reported with exit code 2', async () => {
  expect(await mandate(['fly'])).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown command 'fly'") })
  expect(await mandate(['backup'])).toMatchObject({ code: 2, stderr: expect.stringContaining("'file'") })
})
