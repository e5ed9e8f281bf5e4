// May take over 10 s: starts an edge and tool servers for each kind of carrier.
import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guard } from '@mandate/sdk/guard'
import { ToolDenied } from '@mandate/sdk/tool-errors'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startEverything } from '../../../../packages/edge/test/mcp/testing/servers.ts'
import { type ControlPlane, startControlPlane, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { decideAt } from '../edge-process.ts'
import { type Json, startMiddle } from '../middle.ts'
import { type ServedEdge, settingsOf, startServedEdge } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)
/** In parts, so that no tool takes the source of the test for a leak. */
const secret = ['AKIA', 'QYLPMN5HHHFPZAM2'].join('')
const masked = '[redacted:AWS access key id]'
const outputs: (() => string)[] = []
let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane({ MANDATE_DEFAULT_PLAN: 'pro' })
})
afterAll(() => plane.stop())

async function newState(): Promise<string> {
  const folder = await stateFolder()
  // Before the folder is removed, after the edge has ended.
  onTestFinished(async () => {
    expect(await filesWith(folder, secret)).toEqual({ found: [], isEmpty: false })
  })
  return folder
}

/** Searches every file in a folder for a text. */
async function filesWith(folder: string, text: string) {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
  const found: string[] = []
  for (const path of paths) if ((await readFile(path).catch(() => '')).includes(text)) found.push(path)
  return { found, isEmpty: paths.length === 0 }
}

/** Creates an agent whose policy allows everything and has these content bindings. */
async function agentWith(bindings: object[], policy: object = {}): Promise<TestAgent> {
  const agent = await plane.newAgent({ default_effect: 'allow', dlp_enabled: true, ...policy })
  await plane.ask('PUT', `/policies/${agent.policyId}/content-bindings`, { bindings })
  return agent
}

const secrets = (on: string, action: string) => ({ group: 'secrets', on, action })

async function onStdio(agent: TestAgent): Promise<Transport> {
  const edge = ['packages/cli/bin/mandate.js', 'edge', '--server', 'demo', '--']
  const env = settingsOf(plane.server.url, agent, await newState())
  const args = [...edge, node, everything, 'stdio']
  return new StdioClientTransport({ command: node, args, env, cwd: root, stderr: 'ignore' })
}

/** Starts an edge before a tool server. Returns a function that reaches the server through the edge. */
async function startGateway(agent: TestAgent, demo: object, at: string, more: object = {}): Promise<() => Transport> {
  const stateDir = await newState()
  const file = join(stateDir, 'servers.json')
  await writeFile(file, JSON.stringify({ servers: { demo } }))
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0', ...more }
  const { token, output } = await startServedEdge(at, agent, stateDir, { settings })
  outputs.push(output)
  const url = /"mcp_url":"([^"]+)"/.exec(output())?.[1]
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  return () => new StreamableHTTPClientTransport(new URL('/mcp/demo', url), { requestInit })
}

async function before(agent: TestAgent, demo: object): Promise<Transport> {
  return (await startGateway(agent, demo, plane.server.url))()
}

const overHttp = (agent: TestAgent) => before(agent, { command: node, args: [everything, 'stdio'] })

async function beforeHttp(agent: TestAgent, kind: 'streamableHttp' | 'sse'): Promise<Transport> {
  const { url, stop } = await startEverything(kind)
  onTestFinished(stop)
  return await before(agent, kind === 'sse' ? { type: 'sse', url } : { url })
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

async function startEdge(agent: TestAgent): Promise<ServedEdge> {
  const edge = await startServedEdge(plane.server.url, agent, await newState())
  outputs.push(edge.output)
  return edge
}

const echo = (message: string) => ({ name: 'echo', arguments: { message } })

/** Waits for the decisions of an agent, oldest first. */
async function decisionsOf(agent: TestAgent, isDone: (decisions: Json[]) => boolean): Promise<Json[]> {
  let found: Json[] = []
  const read = async () => {
    found = (await plane.ask('GET', `/decisions?agent_id=${agent.id}`)).data.toReversed()
    return isDone(found)
  }
  await expect.poll(read, { timeout: 60_000 }).toBe(true)
  return found
}

describe.each([
  ['on stdio', onStdio, []],
  ['over HTTP', overHttp, ['long']],
  ['over HTTP in front of a Streamable HTTP server', (agent: TestAgent) => beforeHttp(agent, 'streamableHttp'), []],
  ['over HTTP in front of an HTTP+SSE server', (agent: TestAgent) => beforeHttp(agent, 'sse'), ['long']],
] as const)('content rules of an MCP edge, %s', (_where, reach, tags) => {
  it('redact arguments before the server gets them', { tags: [...tags] }, async () => {
    const agent = await agentWith([secrets('arguments', 'redact')])
    const client = await connect(await reach(agent))
    expect(await client.callTool(echo(`key ${secret} here`))).toMatchObject({
      content: [{ type: 'text', text: `Echo: key ${masked} here` }],
    })
    const [decision] = await decisionsOf(agent, (all) => all.length === 1)
    expect(decision).toMatchObject({
      effect: 'allow',
      content: [{ on: 'arguments', action: 'redact', count: 1, pattern_id: expect.stringMatching(/103$/) }],
    })
  })

  it('redact results, label the session, and record both with the decision of the call', {
    tags: [...tags],
  }, async () => {
    const label = { group: 'secrets', on: 'results', action: 'label', label: 'saw_secret' }
    const agent = await agentWith([secrets('results', 'redact'), label])
    const client = await connect(await reach(agent))
    expect(await client.callTool(echo(`key ${secret}`))).toMatchObject({
      content: [{ type: 'text', text: `Echo: key ${masked}` }],
    })
    await client.callTool(echo('harmless'))
    const [first, second] = await decisionsOf(agent, (all) => all.length === 2 && all[0]?.content !== null)
    expect(first?.content).toMatchObject([{ on: 'results', action: 'redact', count: 1 }])
    expect(second?.labels).toContain('saw_secret')
  })

  it('deny calls and withhold results', { tags: [...tags] }, async () => {
    const agent = await agentWith([{ group: 'financial', on: 'arguments', action: 'deny' }, secrets('results', 'deny')])
    const client = await connect(await reach(agent))
    expect(await client.callTool(echo('card 4111 1111 1111 1111'))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('content rules: the arguments match "Payment card number"') }],
    })
    expect(await client.callTool(echo(secret))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('content rules: the result matches "AWS access key id"') }],
    })
    expect(await client.callTool(echo('fine'))).toMatchObject({ content: [{ text: 'Echo: fine' }] })
  })

  it('record matches and stop nothing in monitor mode', { tags: [...tags] }, async () => {
    const agent = await agentWith([secrets('arguments', 'deny'), secrets('results', 'redact')], {
      override_mode: 'monitor',
    })
    const client = await connect(await reach(agent))
    const { content } = (await client.callTool(echo(secret))) as { content: { text: string }[] }
    expect(content[0]?.text === `Echo: ${secret}`).toBe(true)
    const [decision] = await decisionsOf(agent, (all) => all[0]?.content?.length === 2)
    expect(decision).toMatchObject({ effect: 'deny', mode: 'monitor' })
  })
})

it('content rules for results let a client open a session while the edge is closed', async () => {
  const agent = await agentWith([secrets('results', 'deny')])
  const middle = await startMiddle(plane.server.url)
  const demo = { command: node, args: [everything, 'stdio'] }
  const settings = { MANDATE_EDGE_MISSED_BEATS: '1' }
  const reach = await startGateway(agent, demo, middle.url, settings)
  const first = await connect(reach())
  // On a busy machine a heartbeat can be late, and one is enough to close this edge until the next.
  await expect.poll(() => first.callTool(echo('fine'))).toMatchObject({ content: [{ text: 'Echo: fine' }] })
  middle.cut = true
  const isDenied = async () => (await first.callTool(echo('fine'))).isError === true
  await expect.poll(isDenied, { timeout: 60_000 }).toBe(true)
  const client = await connect(reach())
  await client.ping()
  expect(await client.listTools()).toMatchObject({ tools: [] })
  expect(await client.callTool(echo('fine'))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Denied by the edge') }],
  })
})

describe('content rules for local callers', () => {
  it('hold a call for a person, who sees no match; the digest is made with the key of the environment', async () => {
    const agent = await agentWith([secrets('arguments', 'require_approval')])
    const edge = await startEdge(agent)
    const call = { tool: 'fn:mail/send', args: { text: `key ${secret}`, to: 'a' } }
    const held = await decideAt(edge, call)
    expect(held.body).toMatchObject({ verdict: 'require_approval', reason: expect.stringContaining('person') })
    const approval = await plane.ask('GET', `/approvals/${held.body.approval.approval_id}`)
    expect(approval).toMatchObject({
      arguments: { text: `key ${masked}`, to: 'a' },
      arguments_exact: false,
      content: [{ on: 'arguments', action: 'require_approval', count: 1 }],
    })
    await plane.ask('POST', `/approvals/${approval.id}/resolve`, { outcome: 'approved' })
    expect((await decideAt(edge, call)).body).toMatchObject({ verdict: 'allow' })
    expect((await decideAt(edge, { ...call, args: { ...call.args, to: 'b' } })).body.verdict).toBe('require_approval')
    const [, passed] = await decisionsOf(agent, (all) => all.length >= 2)
    expect(passed?.args_digest).toBe(approval.args_digest)
    const replay = await plane.ask('GET', `/decisions/${passed?.decision_id}/replay`)
    expect(replay.result).toBe('same')
  })

  it('redact for the SDK’s guard; deny for callers that do not redact, and in numbers', async () => {
    const agent = await agentWith([
      secrets('arguments', 'redact'),
      { group: 'financial', on: 'arguments', action: 'redact' },
    ])
    const { url: edgeUrl, token } = await startEdge(agent)
    const ran: object[] = []
    const send = guard('fn:mail/send', async (args: object) => ran.push(args), { edgeUrl, token })
    await send({ text: secret, list: [{ deep: `x ${secret}` }] })
    expect(ran).toEqual([{ text: masked, list: [{ deep: `x ${masked}` }] }])
    await expect(send({ card: 4111111111111111 })).rejects.toThrow(ToolDenied)
    const mapped = guard('fn:mail/send', async (text: string) => text, { edgeUrl, token, args: (text) => ({ text }) })
    await expect(mapped(secret)).rejects.toThrow('the match cannot be redacted')
    const asked = await decideAt({ url: edgeUrl, token }, { tool: 'fn:mail/send', args: { text: secret } })
    expect(asked.body).toMatchObject({ verdict: 'deny' })
    expect(asked.body).not.toHaveProperty('args')
  })

  it('stop a coding agent’s call in the hook', async () => {
    const agent = await agentWith([secrets('arguments', 'redact')])
    const edge = await startEdge(agent)
    const hook = spawn(node, ['packages/cli/bin/mandate.js', 'edge', 'hook'], {
      cwd: root,
      env: {
        ...process.env,
        MANDATE_EDGE_LISTEN: edge.url,
        MANDATE_EDGE_STATE: edge.stateDir,
        MANDATE_EDGE_AGENTS: agent.id,
      },
    })
    let output = ''
    for (const stream of [hook.stdout, hook.stderr]) stream.on('data', (chunk) => (output += chunk))
    hook.stdin.end(JSON.stringify({ tool_name: 'Bash', tool_input: { command: `echo ${secret}` } }))
    const code = await new Promise((resolve) => hook.once('exit', resolve))
    outputs.push(() => output)
    expect(code).toBe(2)
    expect(output).toContain('content rules: the arguments match')
  })

  it('deny what cannot be inspected', async () => {
    const agent = await agentWith([secrets('arguments', 'deny')])
    const edge = await startEdge(agent)
    const long = await decideAt(edge, { tool: 'fn:mail/send', args: { text: 'a'.repeat(900_000) } })
    expect(long.body.verdict, long.body.reason).toBe('allow')
    const broken = await decideAt(edge, '{"tool":"fn:mail/send","args":{"text":"\\ud800"}}')
    expect(broken.body).toMatchObject({ verdict: 'deny' })
  })

  it('follow changed bindings, and a restart keeps the labels of the session', async () => {
    const label = { group: 'secrets', on: 'arguments', action: 'label', label: 'sent_secret' }
    const agent = await agentWith([label])
    const stateDir = await newState()
    const first = await startServedEdge(plane.server.url, agent, stateDir)
    const call = { tool: 'fn:mail/send', args: { text: secret } }
    expect((await decideAt(first, call)).body.verdict).toBe('allow')
    await first.close()
    const second = await startServedEdge(plane.server.url, agent, stateDir)
    outputs.push(first.output, second.output)
    await decideAt(second, { tool: 'fn:mail/send', args: {} })
    const decisions = await decisionsOf(agent, (all) => all.length === 2)
    expect(decisions.map(({ labels }) => labels)).toEqual([null, ['sent_secret']])
    await plane.ask('PUT', `/policies/${agent.policyId}/content-bindings`, { bindings: [secrets('arguments', 'deny')] })
    await expect.poll(async () => (await decideAt(second, call)).body.verdict, { timeout: 60_000 }).toBe('deny')
  })
})

// The last test: it reads what all the tests above left behind. `newState` does the same for the folders of edges.
it('a matched value is in no log and no table', async () => {
  for (const output of outputs) expect(output().includes(secret)).toBe(false)
  expect(plane.server.output().includes(secret)).toBe(false)
  expect(await filesWith(plane.dataDir, secret)).toEqual({ found: [], isEmpty: false })
  // The search finds what the tables have.
  expect((await filesWith(plane.dataDir, 'fn:mail/send')).found).not.toEqual([])
})
