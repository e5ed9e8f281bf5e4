// May take over 10 s: runs the official clients and servers as processes of their own.
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEverything } from '../../../../packages/edge/test/mcp/testing/servers.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { settingsOf, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)
let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

/** Starts `mandate edge -- node …`, as an MCP client's configuration does. */
async function onStdio(agent: TestAgent): Promise<Transport> {
  const edge = ['packages/cli/bin/mandate.js', 'edge', '--server', 'demo', '--']
  const env = settingsOf(plane.server.url, agent, await stateFolder())
  return new StdioClientTransport({
    command: node,
    args: [...edge, node, everything, 'stdio'],
    env,
    cwd: root,
    stderr: 'ignore',
  })
}

/** Starts the gateway, `mandate edge run --mcp …`, which starts the MCP server. */
const overHttp = (agent: TestAgent) => before(agent, { command: node, args: [everything, 'stdio'] })

/** Starts the gateway in front of a running HTTP+SSE server. */
async function beforeSse(agent: TestAgent): Promise<Transport> {
  const { url, stop } = await startEverything('sse')
  onTestFinished(stop)
  return await before(agent, { type: 'sse', url })
}

async function before(agent: TestAgent, demo: object): Promise<Transport> {
  const stateDir = await stateFolder()
  const file = join(stateDir, 'servers.json')
  await writeFile(file, JSON.stringify({ servers: { demo } }))
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  const { token, output } = await startServedEdge(plane.server.url, agent, stateDir, { settings })
  const url = /"mcp_url":"([^"]+)"/.exec(output())?.[1]
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  return new StreamableHTTPClientTransport(new URL('/mcp/demo', url), { requestInit })
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe.each([
  ['on stdio', onStdio],
  ['over HTTP', overHttp],
  ['over HTTP in front of an HTTP+SSE server', beforeSse],
])('an agent’s tools behind a real edge, %s', (_where, reach) => {
  it('follow the agent’s policy: allowed calls pass, and denied tools are hidden and name their rule', async () => {
    const agent = await plane.newAgent({
      default_effect: 'deny',
      rules: [
        rule('allow', ['mcp:demo/get-*', 'mcp:demo/echo']),
        rule('deny', ['mcp:demo/get-env'], { name: 'no secrets', reason: 'it shows the environment' }),
      ],
    })
    const client = await connect(await reach(agent))
    const names = await namesOf(client)
    expect(names).toContain('echo')
    expect(names).not.toContain('get-env')
    expect(names).not.toContain('gzip-file-as-resource')
    expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hello' }],
    })
    expect(await client.callTool({ name: 'get-env', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Rule "no secrets"') }],
      _meta: { 'mandate/decision': { verdict: 'deny', reason: 'it shows the environment', policy_version: 1 } },
    })
    await expect
      .poll(async () => (await plane.ask('GET', `/agents/${agent.id}`)).execution_coverage.attested, {
        timeout: 60_000,
      })
      .toMatchObject({
        mode: 'full',
        mediation_points: ['mcp:demo'],
        tools: expect.arrayContaining(['mcp:demo/get-env']),
      })
  })

  it('pass after a person’s approval, when the agent calls again', async () => {
    const agent = await plane.newAgent({ rules: [rule('require_approval', ['mcp:demo/get-sum'])] })
    const client = await connect(await reach(agent))
    const sum = { name: 'get-sum', arguments: { a: 2, b: 3 } }
    const held = await client.callTool(sum)
    expect(held).toMatchObject({ isError: true, _meta: { 'mandate/approval': { status: 'pending' } } })
    const { approval_id } = (held._meta as Record<string, { approval_id: string }>)['mandate/approval'] ?? {}
    await plane.ask('POST', `/approvals/${approval_id}/resolve`, { outcome: 'approved' })
    const passed = await client.callTool({ ...sum, _meta: { 'mandate/approval_id': approval_id } })
    expect(passed).toMatchObject({ content: [{ text: 'The sum of 2 and 3 is 5.' }] })
    expect(await client.callTool(sum)).toMatchObject({ isError: true })
  })

  it('come with resources and prompts that the policy also decides, until the agent is suspended', async () => {
    const agent = await plane.newAgent({ default_effect: 'deny', rules: [rule('allow', ['resource:demo/read'])] })
    const client = await connect(await reach(agent))
    const uri = 'demo://resource/dynamic/text/1'
    expect((await client.readResource({ uri })).contents).toHaveLength(1)
    expect((await client.listPrompts()).prompts).toEqual([])
    await expect(client.getPrompt({ name: 'simple-prompt' })).rejects.toMatchObject({ code: -32010 })
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    const isRead = () => client.readResource({ uri }).then(Boolean, () => false)
    await expect.poll(isRead, { timeout: 60_000 }).toBe(false)
    expect((await client.listResources()).resources).toEqual([])
  })

  it('change while the agent runs, when the policy changes', async () => {
    const agent = await plane.newAgent({ default_effect: 'allow' })
    const client = await connect(await reach(agent))
    expect(await namesOf(client)).toContain('echo')
    await plane.ask('POST', `/policies/${agent.policyId}/rules`, rule('deny', ['mcp:demo/echo']))
    await expect.poll(() => namesOf(client), { timeout: 60_000 }).not.toContain('echo')
  })
})
