import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const program = join(import.meta.dirname, '../../bin/mandate.js')

/** Starts a server that answers 503. `requests` counts its requests. */
async function listen() {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, requests: () => requests }
}

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
  const { port } = await listen()
  const { code, stderr } = await run(['run', '--mcp', 'servers.json'], { MANDATE_EDGE_MCP_PORT: String(port) })
  expect([code, stderr]).toEqual([1, expect.stringContaining(`port ${port} on 127.0.0.1 is in use by another process`)])
  expect(stderr).toContain('MANDATE_EDGE_MCP_PORT')
})

it('an edge with a file of servers starts no demonstration server', async () => {
  const plane = await listen()
  const settings = { MANDATE_URL: `http://127.0.0.1:${plane.port}` }
  const { code, stderr } = await run(['run', '--demo-server', '--mcp', 'servers.json'], settings)
  expect([code, stderr]).toEqual([1, expect.stringContaining('--demo-server without --mcp')])
  expect(plane.requests()).toBe(0)
})

it('an edge whose port is in use names the port and --port, and never calls the control plane', async () => {
  const plane = await listen()
  const { port } = await listen()
  const { code, stderr } = await run(['run', '--port', String(port)], { MANDATE_URL: `http://127.0.0.1:${plane.port}` })
  expect(code).toBe(1)
  expect(stderr).toContain(
    `port ${port} on 127.0.0.1 is in use by another process; stop that process, or choose another port with --port or MANDATE_EDGE_PORT`,
  )
  expect(plane.requests()).toBe(0)
})

it('an edge exits if its MCP server command cannot be started', async () => {
  const { code } = await run(['--server', 'files', '--', ''], {})
  expect(code).toBe(127)
})
