import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const program = join(import.meta.dirname, '../../bin/mandate.js')
const nowhere = { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: `mk_${'0'.repeat(64)}` }
const run = (...args: string[]) =>
  spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env: { ...process.env, ...nowhere } })

it('freeze without a target runs only drills, so a forgotten target never looks like a freeze', () => {
  const { status, stderr } = run('freeze', '--reason', 'a key leaked')
  expect([status, stderr]).toEqual([2, expect.stringContaining("required option '--drill' not specified")])
})

it('freeze --drill without a target asks the server for a drill', () => {
  const { status, stderr } = run('freeze', '--drill', '--reason', 'monthly drill')
  expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be reached')])
})
