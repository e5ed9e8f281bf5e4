import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const program = join(import.meta.dirname, '../bin/mandate.js')

/** Runs an edge that cannot reach its control plane, until it exits. */
async function run(args: readonly string[], settings: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-edge-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'servers.json'), '{"servers":{"files":{"url":"http://127.0.0.1:9/"}}}')
  const edge = spawn(process.execPath, [program, 'edge', ...args], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      MANDATE_URL: 'http://127.0.0.1:9',
      MANDATE_EDGE_KEY: `ak_${'a'.repeat(64)}`,
      MANDATE_EDGE_AGENTS: '0190a3c5-7e00-7000-8000-000000000001',
      MANDATE_EDGE_STATE: join(folder, 'state'),
      MANDATE_EDGE_PORT: '0',
      MANDATE_EDGE_MCP_PORT: '0',
      ...settings,
    },
  })
  onTestFinished(() => void edge.kill('SIGKILL'))
  let stderr = ''
  edge.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(edge, 'close')
  return { code, stderr }
}

it('an edge that cannot listen for MCP clients exits without serving any client', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await run(['run', '--mcp', 'servers.json'], { MANDATE_EDGE_MCP_PORT: String(port) })
  expect([code, stderr]).toEqual([1, expect.stringContaining('address already in use')])
})

it('an edge exits if its MCP server command cannot be started', async () => {
  const { code } = await run(['--server', 'files', '--', ''], {})
  expect(code).toBe(1)
})
