import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startMandate, temporaryFolder } from './mandate-process.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the tour completes against a new server', async () => {
  const server = await startMandate({ DATA_DIR: await temporaryFolder() })
  const env = { ...process.env, DATA_DIR: server.dataDir }
  const child = spawn('npm', ['run', 'tour', '--', server.url], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(output).toContain('steps, all with the expected result')
  expect(code).toBe(0)
})
