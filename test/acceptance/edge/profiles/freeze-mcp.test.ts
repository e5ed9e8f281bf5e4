import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { settingsOf, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const toolServer = fileURLToPath(new URL('../tools/changing-server.ts', import.meta.url))
const soon = { timeout: 60_000 }
let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

async function toolsFile(stateDir: string): Promise<string> {
  const file = join(stateDir, 'tools.json')
  await writeFile(file, JSON.stringify([{ name: 'read', inputSchema: { type: 'object' } }]))
  return file
}

async function onStdio(agent: TestAgent): Promise<Transport> {
  const stateDir = await stateFolder()
  const env = {
    ...settingsOf(plane.server.url, agent, stateDir),
    TOOLS: await toolsFile(stateDir),
  }
  const args = ['packages/cli/bin/mandate.js', 'edge', '--server', 'files', '--', node, toolServer]
  return new StdioClientTransport({ command: node, args, env, cwd: root, stderr: 'ignore' })
}

async function overHttp(agent: TestAgent): Promise<Transport> {
  const stateDir = await stateFolder()
  const file = join(stateDir, 'servers.json')
  const files = { command: node, args: [toolServer], env: { TOOLS: await toolsFile(stateDir) } }
  await writeFile(file, JSON.stringify({ servers: { files } }))
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  const { token, output } = await startServedEdge(plane.server.url, agent, stateDir, { settings })
  const url = new URL('/mcp/files', /"mcp_url":"([^"]+)"/.exec(output())?.[1])
  return new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } })
}

it.each([
  ['on standard input and output', onStdio],
  ['over HTTP', overHttp],
])(
  'a freeze stops the MCP calls of an agent %s before it counts as confirmed, and its end lets them pass',
  async (_, transportOf) => {
    const agent = await plane.newAgent({ rules: [rule('allow', ['mcp:files/read'])] })
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(await transportOf(agent))
    onTestFinished(() => client.close())
    const textOfCall = async () => {
      const { content } = await client.callTool({ name: 'read', arguments: {} })
      return (content as { text: string }[])[0]?.text
    }
    expect(await textOfCall()).toBe('called read')
    const { id } = await plane.ask('POST', '/freezes', { scope: 'agent', agent_id: agent.id, reason: 'test' })
    const freeze = () => plane.ask('GET', `/freezes/${id}`)
    await expect.poll(async () => (await freeze()).edges.confirmed, soon).toBe(1)
    expect(await textOfCall()).toContain('the agent is frozen')
    await plane.ask('POST', `/freezes/${id}/lift`, { reason: 'over' })
    await expect.poll(textOfCall, soon).toBe('called read')
  },
)
