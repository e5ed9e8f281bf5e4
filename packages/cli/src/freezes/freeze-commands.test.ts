import { expect, it } from 'vitest'
import { runInProcess } from '../testing/run-in-process.ts'

const nowhere = { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: `mk_${'0'.repeat(64)}` }
const run = (...args: string[]) => runInProcess(args, { cwd: import.meta.dirname, env: nowhere })

it('freeze without a target runs only drills, so a forgotten target never looks like a freeze', async () => {
  const { code, stderr } = await run('freeze', '--reason', 'a key leaked')
  expect([code, stderr]).toEqual([2, expect.stringContaining("required option '--drill' not specified")])
})

it('freeze --drill without a target asks the server for a drill', async () => {
  const { code, stderr } = await run('freeze', '--drill', '--reason', 'monthly drill')
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be reached')])
})
