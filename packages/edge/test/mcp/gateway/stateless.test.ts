import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { type Recorded, record } from '../testing/record-session.ts'
import { behindEdge, everything } from '../testing/servers.ts'
import { startStateless } from '../testing/stateless-http.ts'

const node = process.execPath
const program = join(import.meta.dirname, '../testing/stateless-process.ts')
const command = { command: node, args: [program], env: {} }
let upstream: Awaited<ReturnType<typeof startStateless>>
let world: GatewayWorld

beforeAll(async () => {
  upstream = await startStateless()
  world = await startWorld({
    http: { url: upstream.url },
    started: command,
    everything: { command: node, args: [everything, 'stdio'], env: {} },
  })
})
afterAll(async () => {
  await world.close()
  await upstream.stop()
})

function statelessClient(mode: 'auto' | { pin: string } = { pin: '2026-07-28' }, listChanged?: () => void): Client {
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
      ...(listChanged && { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: listChanged } } }),
    },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }))
  return client
}

async function runStateless(transport: Transport): Promise<Recorded> {
  const client = statelessClient()
  const recorded = record(transport)
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(4)
    const located = await client.callTool({ name: 'locate', arguments: { region: 'Hawaiʻi ' } })
    expect(located.content).toEqual([{ type: 'text', text: 'Hawaiʻi ' }])
    await client.callTool({ name: 'count', arguments: { to: 4 } }, { onprogress: () => {} })
    const named = await client.callTool({ name: 'ask_name', arguments: {} })
    expect(named.content).toEqual([{ type: 'text', text: 'hello Ada' }])
    await client.callTool({ name: 'none', arguments: {} }).catch(() => {})
    await Promise.all([1, 2, 3].map((n) => client.callTool({ name: 'echo', arguments: { message: `no ${n}` } })))
    expect(recorded().said.filter((message) => message.includes('notifications/progress'))).toHaveLength(4)
    return recorded()
  } finally {
    await client.close()
  }
}

// A list for one user must not be cached for another. This is the only intended difference.
const asPrivate = (recorded: Recorded): Recorded =>
  JSON.parse(JSON.stringify(recorded).replaceAll('"cacheScope":"public"', '"cacheScope":"private"'))

describe('a client of the revision without sessions sees no difference with an edge', () => {
  it('between two HTTP connections, or with a started server over HTTP', async () => {
    const direct = asPrivate(await runStateless(new StreamableHTTPClientTransport(new URL(upstream.url))))
    expect(asPrivate(await runStateless(world.transport('http')))).toEqual(direct)
    expect(asPrivate(await runStateless(world.transport('started')))).toEqual(direct)
  })

  it('between client and server on stdio', async () => {
    const run = (args: string[]) => runStateless(new StdioClientTransport({ command: node, args, stderr: 'ignore' }))
    const direct = asPrivate(await run([program]))
    expect(asPrivate(await run(behindEdge('server', allowAll, [node, program])))).toEqual(direct)
  })
})

it('a client of both kinds of revision falls back to a handshake if the server needs it', async () => {
  const client = statelessClient('auto')
  await client.connect(world.transport('everything'))
  const { content } = await client.callTool({ name: 'echo', arguments: { message: 'old' } })
  expect(content).toEqual([{ type: 'text', text: 'Echo: old' }])
  await client.close()
})

describe.each(['http', 'started'])('without sessions, on a server that is %s', (server) => {
  const rules = rulesFor({ [`mcp:${server}/echo`]: 'deny' })

  it('answers a stopped call by a complete result, and makes a filtered list private', async () => {
    const own = await startWorld({ http: { url: upstream.url }, started: command }, { guard: policyGuard(rules) })
    const client = statelessClient()
    const transport = own.transport(server)
    const recorded = record(transport)
    await client.connect(transport)
    const { tools } = await client.listTools()
    const denied = await client.callTool({ name: 'echo', arguments: { message: 'x' } })
    await client.close()
    await own.close()
    expect(tools.map(({ name }) => name)).toEqual(['locate', 'ask_name', 'count'])
    expect(denied).toMatchObject({ isError: true, _meta: { 'mandate/decision': { verdict: 'deny' } } })
    const { answers } = recorded()
    expect(answers.at(-1)).toMatchObject({ result: { resultType: 'complete' } })
    expect(answers.find((one) => JSON.stringify(one).includes('"tools":['))).toMatchObject({
      result: { cacheScope: 'private' },
    })
  })

  it('tells subscribers of tool changes when the rules change', async () => {
    const guard = policyGuard(allowAll)
    const own = await startWorld({ http: { url: upstream.url }, started: command }, { guard })
    const told = Promise.withResolvers<void>()
    const client = statelessClient({ pin: '2026-07-28' }, told.resolve)
    await client.connect(own.transport(server))
    await client.listen({ toolsListChanged: true })
    guard.change(rules)
    await told.promise
    await client.close()
    await own.close()
  })
})
