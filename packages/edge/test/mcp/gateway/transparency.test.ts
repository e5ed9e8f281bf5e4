// May take over 10 s: runs official MCP clients with official servers, first directly and then through the edge.
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWorld } from '../testing/gateway-world.ts'
import { allowAll } from '../testing/policy-guard.ts'
import type { Recorded } from '../testing/record-session.ts'
import { behindEdge, everything, filesystem, memory, startEverything } from '../testing/servers.ts'
import { plainClient, runSession, useEverything, useFiles, useMemory } from '../testing/sessions.ts'

const node = process.execPath
let folder: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mandate-mcp-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const references = {
  everything: { args: () => [everything, 'stdio'], session: useEverything, client: undefined },
  filesystem: {
    args: () => [filesystem, folder],
    session: (client: Parameters<typeof useFiles>[0]) => useFiles(client, folder),
    client: plainClient,
  },
  memory: { args: () => [memory], session: useMemory, client: undefined },
}
type Reference = (typeof references)[keyof typeof references]

const environment = () => ({ MEMORY_FILE_PATH: join(folder, 'memory.jsonl') })
const runOnStdio = ({ session, client }: Reference, args: string[]) =>
  runSession(
    new StdioClientTransport({ command: node, args, env: environment(), stderr: 'ignore' }),
    session,
    client?.(),
  )

async function clearFolder(): Promise<void> {
  await rm(folder, { recursive: true })
  await mkdir(folder)
}

function expectSame(throughEdge: Recorded, direct: Recorded): void {
  expect(direct.answers.length).toBeGreaterThan(5)
  expect(throughEdge).toEqual(direct)
}

describe.each(Object.entries(references))(
  'a client of the reference server %s sees no difference with an edge',
  (_name, reference) => {
    it('between client and server on stdio', async () => {
      const direct = await runOnStdio(reference, reference.args())
      await clearFolder()
      expectSame(await runOnStdio(reference, behindEdge('server', allowAll, [node, ...reference.args()])), direct)
    })

    it('with a started server over HTTP', async () => {
      const direct = await runOnStdio(reference, reference.args())
      await clearFolder()
      const world = await startWorld({ server: { command: node, args: reference.args(), env: environment() } })
      const { session, client } = reference
      const throughEdge = await runSession(world.transport('server'), session, client?.()).finally(world.close)
      expectSame(throughEdge, direct)
    })
  },
)

it('a client of the reference server everything sees no difference between two HTTP connections', async () => {
  const server = await startEverything()
  const world = await startWorld({ server: { url: server.url } })
  try {
    const direct = await runSession(new StreamableHTTPClientTransport(new URL(server.url)), useEverything)
    expectSame(await runSession(world.transport('server'), useEverything), direct)
  } finally {
    await world.close()
    await server.stop()
  }
})

it('a client of the reference server everything sees no difference with a server of HTTP+SSE', async () => {
  const server = await startEverything('sse')
  const world = await startWorld({ server: { url: server.url, transport: 'sse' } })
  try {
    const direct = await runSession(new SSEClientTransport(new URL(server.url)), useEverything)
    expectSame(await runSession(world.transport('server'), useEverything), direct)
  } finally {
    await world.close()
    await server.stop()
  }
})
