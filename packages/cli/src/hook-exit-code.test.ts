import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const program = join(import.meta.dirname, '../bin/mandate.js')
const call = JSON.stringify({ tool_name: 'Bash', tool_input: {} })

/** The exit code of a hook whose edge is away, so that the call is stopped. */
async function codeOf(output: 'pipe' | number): Promise<number> {
  const hook = spawn(process.execPath, [program, 'edge', 'hook', '--edge', 'http://127.0.0.1:1'], {
    stdio: ['pipe', output, output],
    env: { ...process.env, MANDATE_EDGE_TOKEN: 'x'.repeat(40) },
  })
  hook.stdout?.destroy()
  hook.stderr?.destroy()
  hook.stdin?.end(call)
  const [code] = await once(hook, 'exit')
  return code
}

it('a hook that stops a call ends with 2, though nobody reads what it says', async () => {
  expect(await codeOf('pipe')).toBe(2)
})

it.skipIf(!existsSync('/dev/full'))('a hook that stops a call ends with 2, though it cannot write', async () => {
  const full = openSync('/dev/full', 'w')
  expect(await codeOf(full)).toBe(2)
  closeSync(full)
})
