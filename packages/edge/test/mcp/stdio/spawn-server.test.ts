import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const spawn = `spawnServer({ command: 'true', env: { PATH: process.env.PATH } }, 'files', process.stderr)`
const module = new URL('../../../src/mcp/stdio/spawn-server.ts', import.meta.url)
const program = `
  import { closeSync, openSync } from 'node:fs'
  import { setImmediate } from 'node:timers/promises'
  import { spawnServer } from '${module}'
  const taken = []
  const takeAll = () => { for (;;) taken.push(openSync('/dev/null')) }
  try { takeAll() } catch {}
  try { ${spawn} } catch {}
  await setImmediate()
  for (const file of taken) closeSync(file)
  console.log('exited', await ${spawn}.exited)`

it('only the server without free file descriptors fails, and the next one starts', async () => {
  const limited = 'ulimit -n 100; exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program])
  expect(stdout).toBe('exited 0\n')
})
