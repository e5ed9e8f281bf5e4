import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const program = join(import.meta.dirname, '../../bin/mandate.js')
const call = JSON.stringify({ tool_name: 'Bash', tool_input: {} })

/** Starts a hook that cannot reach its edge, so it stops the call. */
const startHook = (output: 'pipe' | number, env: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, [program, 'edge', 'hook', '--edge', 'http://127.0.0.1:1'], {
    stdio: ['pipe', output, output],
    env: { ...process.env, MANDATE_EDGE_TOKEN: 'x'.repeat(40), ...env },
  })

async function codeOf(output: 'pipe' | number): Promise<number> {
  const hook = startHook(output)
  hook.stdout?.destroy()
  hook.stderr?.destroy()
  hook.stdin?.end(call)
  const [code] = await once(hook, 'exit')
  return code
}

it('a hook that stops a call exits with 2, even if nobody reads its output', async () => {
  expect(await codeOf('pipe')).toBe(2)
})

it.skipIf(!existsSync('/dev/full'))('a hook that stops a call exits with 2, even if it cannot write', async () => {
  const full = openSync('/dev/full', 'w')
  expect(await codeOf(full)).toBe(2)
  closeSync(full)
})

it('a hook reads no proxy variables, because it calls its edge directly', async () => {
  const hook = startHook('pipe', { ALL_PROXY: 'socks5://proxy.example:1080' })
  hook.stdin?.end(call)
  const said = await text(hook.stderr!)
  expect(said).toContain('127.0.0.1:1')
  expect(said).not.toContain('PROXY')
})
