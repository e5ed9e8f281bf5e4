import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { callApi } from '../../call-api.ts'
import { joinControlPlane, type Organization, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { decideAt } from '../edge-process.ts'
import { type ClosableEdge, type ServedEdge, settingsOf, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const changingServer = fileURLToPath(new URL('./changing-server.ts', import.meta.url))
let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const definition = (name: string) => ({ name, inputSchema: { type: 'object' } })
const servers = { web: ['fetch'], mail: ['send'] } as const
type ServerName = keyof typeof servers

/** An agent that may read what others wrote, and that needs a person to write to others afterwards. */
async function startWorld() {
  const slug = `env-${randomUUID().slice(0, 8)}`
  const { id: environment } = await plane.ask('POST', '/environments', { name: slug, slug })
  const when = [
    { path: 'session.labels', op: 'has', value: 'untrusted_output' },
    { path: 'tool.labels', op: 'has', value: 'external_write' },
  ]
  const rule = { priority: 1, effect: 'require_approval', reason: 'it read what others wrote' }
  const { id: policyId } = await plane.ask('POST', '/policies', {
    name: slug,
    override_mode: 'enforce',
    default_effect: 'allow',
    rules: [{ ...rule, match: { tools: ['*'], when } }],
  })
  const body = { name: 'agent', environment_id: environment, policy_id: policyId }
  const { agent, agent_key: key } = await plane.ask('POST', '/agents', body)
  const stateDir = await stateFolder()
  for (const [server, names] of Object.entries(servers)) {
    const tools = names.map(definition)
    await writeFile(join(stateDir, `${server}.json`), JSON.stringify(tools))
    const report = { server, tools: names.map((name) => ({ name, input_schema: { type: 'object' } })) }
    expect((await callApi(plane.server, 'POST', '/edge/tools', { body: report, credential: key })).status).toBe(202)
  }
  const { data } = await plane.ask('GET', `/tools?environment_id=${environment}`)
  const labels: Record<string, string[]> = { fetch: ['untrusted_output'], send: ['external_write'] }
  for (const { id, name } of data) await plane.ask('PUT', `/tools/${id}/labels`, { labels: labels[name] })
  return { agent: { id: agent.id, key, policyId } as TestAgent, stateDir }
}

type World = Awaited<ReturnType<typeof startWorld>>

function onStdio({ agent, stateDir }: World, server: ServerName): Transport {
  const edge = ['packages/cli/bin/mandate.js', 'edge', '--server', server, '--']
  const env = {
    ...settingsOf(plane.server.url, agent, stateDir),
    TOOLS: join(stateDir, `${server}.json`),
  }
  const args = [...edge, node, changingServer]
  return new StdioClientTransport({ command: node, args, env, cwd: root, stderr: 'ignore' })
}

async function startEdge({ agent, stateDir }: World, more: Record<string, string> = {}): Promise<ClosableEdge> {
  const file = join(stateDir, 'servers.json')
  const started = (server: string) => [
    server,
    { command: node, args: [changingServer], env: { TOOLS: join(stateDir, `${server}.json`) } },
  ]
  await writeFile(file, JSON.stringify({ servers: Object.fromEntries(Object.keys(servers).map(started)) }))
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0', ...more }
  return await startServedEdge(plane.server.url, agent, stateDir, { settings })
}

function overHttp({ token, output }: ServedEdge, server: ServerName): Transport {
  const url = /"mcp_url":"([^"]+)"/.exec(output())?.[1]
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  return new StreamableHTTPClientTransport(new URL(`/mcp/${server}`, url), { requestInit })
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

/** Returns the text of a call's answer. */
async function textOf(client: Client, name: string, text = ''): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { text } })
  return (content as { text: string }[])[0]?.text ?? ''
}

/** Calls a tool in a session that the client names in `_meta`. */
async function textInSession(client: Client, name: string, session: string): Promise<string> {
  const _meta = { 'mandate/session_id': session }
  const { content } = await client.callTool({ name, arguments: {}, _meta })
  return (content as { text: string }[])[0]?.text ?? ''
}

const isHeld = expect.stringContaining("Held for a person's approval")

it('after a tool with untrusted output, a write to others waits for a person: over any server, after a new session and a restart', async () => {
  const world = await startWorld()
  const edge = await startEdge(world)
  const [web, mail] = [await connect(overHttp(edge, 'web')), await connect(overHttp(edge, 'mail'))]
  expect(await textOf(mail, 'send')).toBe('called send')
  expect(await textOf(web, 'fetch')).toBe('called fetch')
  expect(await textOf(mail, 'send')).toEqual(isHeld)
  const again = await connect(overHttp(edge, 'mail'))
  expect(await textOf(again, 'send')).toEqual(isHeld)
  expect((await decideAt(edge, { tool: 'mcp:mail/send', args: {} })).body.verdict).toBe('require_approval')
  await edge.close()

  const restarted = await startEdge(world)
  const last = await connect(overHttp(restarted, 'mail'))
  expect(await textOf(last, 'send', 'after')).toEqual(isHeld)
  const { data } = await plane.ask('GET', `/approvals?agent_id=${world.agent.id}`)
  const approval = data.find((one: { arguments: { text?: string } }) => one.arguments.text === 'after')
  expect(approval.labels).toEqual(['external_write', 'untrusted_output'])
  await plane.ask('POST', `/approvals/${approval.id}/resolve`, { outcome: 'approved' })
  expect(await textOf(last, 'send', 'after')).toBe('called send')
  expect(await textOf(last, 'send', 'after')).toEqual(isHeld)
})

it('edges on standard input share the session of one state folder', async () => {
  const world = await startWorld()
  const [web, mail] = [await connect(onStdio(world, 'web')), await connect(onStdio(world, 'mail'))]
  expect(await textOf(mail, 'send')).toBe('called send')
  expect(await textOf(web, 'fetch')).toBe('called fetch')
  expect(await textOf(mail, 'send')).toEqual(isHeld)
})

it('a decision route labels the session when it allows the call; MANDATE_EDGE_SESSIONS=caller separates by session_id', async () => {
  const world = await startWorld()
  const one = await startEdge(world)
  const verdictOf = async (edge: ServedEdge, tool: string, session_id: string) =>
    (await decideAt(edge, { tool, args: {}, session_id })).body.verdict
  expect(await verdictOf(one, 'mcp:web/fetch', 'a')).toBe('allow')
  expect(await verdictOf(one, 'mcp:mail/send', 'b')).toBe('require_approval')
  await one.close()

  const separate = await startWorld()
  const edge = await startEdge(separate, { MANDATE_EDGE_SESSIONS: 'caller' })
  expect(await verdictOf(edge, 'mcp:web/fetch', 'a')).toBe('allow')
  expect(await verdictOf(edge, 'mcp:mail/send', 'b')).toBe('allow')
  expect(await verdictOf(edge, 'mcp:mail/send', 'a')).toBe('require_approval')
})

it('over MCP, `_meta` separates sessions only with MANDATE_EDGE_SESSIONS=caller', async () => {
  const world = await startWorld()
  const edge = await startEdge(world)
  const [web, mail] = [await connect(overHttp(edge, 'web')), await connect(overHttp(edge, 'mail'))]
  expect(await textInSession(web, 'fetch', 'a')).toBe('called fetch')
  expect(await textInSession(mail, 'send', 'b')).toEqual(isHeld)
  await edge.close()

  const separate = await startWorld()
  const other = await startEdge(separate, { MANDATE_EDGE_SESSIONS: 'caller' })
  const [reader, writer] = [await connect(overHttp(other, 'web')), await connect(overHttp(other, 'mail'))]
  expect(await textInSession(reader, 'fetch', 'a')).toBe('called fetch')
  expect(await textInSession(writer, 'send', 'b')).toBe('called send')
  expect(await textInSession(writer, 'send', 'a')).toEqual(isHeld)
  // Calls that name no session are one session of the agent, whatever MCP session they have.
  expect(await textOf(writer, 'send')).toBe('called send')
  expect(await textOf(reader, 'fetch')).toBe('called fetch')
  expect(await textOf(await connect(overHttp(other, 'mail')), 'send')).toEqual(isHeld)
  expect(await textInSession(writer, 'send', 'b')).toBe('called send')
})
