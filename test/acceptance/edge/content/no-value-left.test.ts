// May take over 10 s: searches every file, table and log for the values after a whole run.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { callApi } from '../../call-api.ts'
import { type ControlPlane, startControlPlane, type TestAgent } from '../control-plane.ts'
import { decideAt, startEdgeProcess } from '../edge-process.ts'
import type { Json } from '../middle.ts'
import { digestOf, formsOf, newAccessKeyId, newCard } from './secret-values.ts'
import { type StoredText, textsOfFolder, textsOfTables } from './stored-texts.ts'

const stateDirs: string[] = []
let plane: ControlPlane

beforeAll(async () => {
  plane = await startControlPlane({ MANDATE_DEFAULT_PLAN: 'pro', LOG_LEVEL: 'trace' })
})
afterAll(async () => {
  for (const folder of stateDirs) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  await plane.stop()
})

const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** Secret values that content rules find, by their kind. */
const values = {
  card: newCard(),
  'JSON Web Token': `${segment({ alg: 'HS256', typ: 'JWT' })}.${segment({ sub: randomBytes(9).toString('hex') })}.${randomBytes(32).toString('base64url')}`,
  'custom phrase': `heron ${randomBytes(8).toString('hex')} kite`,
  'AWS access key id': newAccessKeyId(),
}
const all = Object.values(values).join(' and ')

/** A tool server that writes what it gets to its standard error, and answers with the text of the argument: as a text, as structured content, or as an error. */
const echo = `
import { createInterface } from 'node:readline'
const tools = ['echo', 'fail', 'save'].map((name) => ({ name, inputSchema: { type: 'object' } }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const text = params?.arguments?.text ?? ''
  console.error('got ' + JSON.stringify(params ?? {}))
  const answer =
    method === 'initialize'
      ? { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } } }
      : method === 'tools/list'
        ? { result: { tools } }
        : params.name === 'fail'
          ? { error: { code: -32000, message: 'cannot do ' + text } }
          : { result: { content: [{ type: 'text', text }], structuredContent: { rows: [{ text }] } } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
}`

const groups = ['secrets', 'financial', 'internal']
const bound = (on: string, action: string) => groups.map((group) => ({ group, on, action }))

/** The tool declares no arguments, so each call of it waits for a person, and the reason names the argument unless it has a match. */
const asking = {
  name: 'asking',
  priority: 1,
  effect: 'require_approval',
  match: { tools: ['mcp:echo/save'], when: [{ path: 'args.path', op: 'under', value: '/srv' }] },
}

async function agentWith(bindings: object[], policy: object = {}): Promise<TestAgent & { token: string }> {
  const agent = await plane.newAgent({ default_effect: 'allow', dlp_enabled: true, rules: [asking], ...policy })
  await plane.ask('PUT', `/policies/${agent.policyId}/content-bindings`, { bindings })
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const body = { agent_id: agent.id, tools: ['mcp:echo/*', 'fn:mail/*'], expires_at }
  const { token } = await plane.ask('POST', '/delegations', body)
  return { ...agent, token }
}

/** Starts an edge before the tool server, and connects an agent that acts under a delegation. */
async function startEdge(agent: TestAgent & { token: string }) {
  // Removed after all tests, because the test reads the files while the edge runs.
  const stateDir = await mkdtemp(join(tmpdir(), 'mandate-edge-'))
  stateDirs.push(stateDir)
  const [program, servers] = [join(stateDir, 'echo.mjs'), join(stateDir, 'servers.json')]
  await writeFile(program, echo)
  await writeFile(servers, JSON.stringify({ servers: { echo: { command: process.execPath, args: [program] } } }))
  const settings = { MANDATE_EDGE_MCP: servers, MANDATE_EDGE_MCP_PORT: '0', LOG_LEVEL: 'trace' }
  const edge = await startEdgeProcess(plane.server.url, agent, stateDir, { settings })
  const url = new URL('/mcp/echo', /"mcp_url":"([^"]+)"/.exec(edge.output())?.[1])
  const headers = { authorization: `Bearer ${edge.token}`, 'mandate-delegation': agent.token }
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  const call = async (name: string, text: string): Promise<string> => {
    const answer = await client.callTool({ name, arguments: { text } }).catch((error: Error) => error.message)
    return JSON.stringify(answer)
  }
  /** Sends a value in the places of a message besides the arguments. Nothing is said of the answers, because an agent knows what it named. */
  const name = async (text: string): Promise<void> => {
    await client.callTool({ name: text, arguments: {} }).catch(() => {})
    await client.callTool({ name: 'echo', arguments: { [text]: 1 }, _meta: { 'a/b': text } }).catch(() => {})
    await client.callTool({ name: 'save', arguments: { [text]: 1 } }).catch(() => {})
    for (const claim of ['session_id', 'on_behalf_of', 'approval_id'])
      await client.callTool({ name: 'save', arguments: {}, _meta: { [`mandate/${claim}`]: text } }).catch(() => {})
    await client.readResource({ uri: `file:///${encodeURIComponent(text)}` }).catch(() => {})
    await client.getPrompt({ name: text }).catch(() => {})
    await client
      .complete({ ref: { type: 'ref/prompt', name: text }, argument: { name: 'a', value: '' } })
      .catch(() => {})
    const params = { progressToken: 1, progress: 1, message: text }
    await client.notification({ method: 'notifications/progress', params }).catch(() => {})
  }
  return { edge, call, name }
}

/** The digest of a call with this text, which can be guessed because it has no key. */
const digestOfCall = (text: string) => digestOf(JSON.stringify({ args: { text }, tool: 'mcp:echo/echo' }))

const placesOf = (texts: readonly StoredText[], value: string) =>
  texts
    .filter(({ text }) => [...formsOf(value), digestOfCall(value)].some((form) => text.includes(form)))
    .map(({ where }) => where)

it('matched values and delegation tokens are in no log, table, file of an edge, export, approval or answer of the API', {
  timeout: 300_000,
}, async () => {
  const words = { name: 'Code words', group: 'internal', kind: 'words', words: ['blue heron'] }
  await plane.ask('POST', '/content-patterns', words)
  const expression = { name: 'Kites', group: 'internal', kind: 'regex', expression: 'heron [0-9a-f]{16} kite' }
  const { id: kites } = await plane.ask('POST', '/content-patterns', expression)
  const texts = [...Object.values(values), all]

  // What the agent sends is redacted, held, denied; what a server answers is redacted or withheld, also in errors.
  const agents = {
    redacting: await agentWith([...bound('arguments', 'redact'), ...bound('results', 'redact')]),
    // Arguments that are not searched keep a digest without a key.
    answered: await agentWith([...bound('results', 'redact'), ...bound('arguments', 'flag')]),
    withheld: await agentWith([...bound('results', 'deny'), ...bound('arguments', 'flag')]),
    denied: await agentWith(bound('arguments', 'deny')),
    held: await agentWith(bound('arguments', 'require_approval')),
    monitored: await agentWith([...bound('arguments', 'deny'), ...bound('results', 'redact')], {
      override_mode: 'monitor',
    }),
  }
  const outputs: StoredText[] = []
  const edges: (() => string)[] = []
  for (const [name, agent] of Object.entries(agents)) {
    const { edge, call, name: nameIn } = await startEdge(agent)
    edges.push(edge.output)
    for (const text of texts) {
      const answers = [await call('echo', text), await call('fail', text)]
      // Held and denied calls answer no value either. In monitor mode nothing is stopped.
      if (name !== 'monitored') outputs.push({ where: `answers to the agent “${name}”`, text: answers.join('\n') })
      await nameIn(text)
      await decideAt(edge, { tool: 'fn:mail/send', args: { text }, delegation: agent.token })
      for (const claim of ['session_id', 'on_behalf_of'])
        await decideAt(edge, { tool: 'fn:mail/send', args: {}, delegation: agent.token, [claim]: text })
    }
    await decideAt(edge, { tool: 'fn:mail/send', args: { [all]: 1 }, delegation: agent.token })
    await decideAt(edge, `{"tool": "fn:mail/send", "args": {"text": "${all}"`)
  }
  await expect
    .poll(async () => (await plane.ask('GET', `/decisions?agent_id=${agents.monitored.id}`)).data.length, {
      timeout: 120_000,
    })
    .toBeGreaterThanOrEqual(10)
  const held: Json[] = (await plane.ask('GET', `/approvals?agent_id=${agents.held.id}`)).data
  expect(held.length).toBeGreaterThan(3)
  for (const { id } of held)
    await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'approved', comment: 'fine' })

  // The routes that take a text to try neither store nor log it, also if they refuse it.
  // A search may take too long on a busy machine.
  const tested = async () => {
    const { body } = await callApi(plane.server, 'POST', '/content-patterns/test', {
      body: { text: all },
      credential: plane.credential,
    })
    return JSON.stringify(body)
  }
  await expect.poll(tested, { timeout: 120_000 }).toContain(kites)
  await plane.ask('POST', '/content-patterns/test', { text: [all] }, 400)
  const result = { content: [{ type: 'text', text: all }] }
  const simulated = { calls: [{ tool: 'mcp:echo/echo', args: { text: all }, result }] }
  await plane.ask('POST', `/policies/${agents.redacting.policyId}/simulate`, simulated)
  await plane.ask('POST', `/policies/${agents.redacting.policyId}/simulate`, { ...simulated, calls: all }, 400)

  const paths = ['/approvals?limit=200', '/decisions?page_size=200', '/audit?limit=200', '/findings', '/tools']
  for (const path of paths) outputs.push({ where: `GET ${path}`, text: JSON.stringify(await plane.ask('GET', path)) })
  const report = await plane.ask('POST', '/reports', {})
  outputs.push({ where: 'a report', text: JSON.stringify(await plane.ask('GET', `/reports/${report.id}`)) })
  const headers = { authorization: `Bearer ${plane.credential}` }
  const exported = await fetch(`${plane.server.url}/api/v1/audit/export`, { headers })
  expect(exported.status).toBe(200)
  outputs.push({ where: 'the export of the audit trail', text: await exported.text() })
  const metricsToken = (await readFile(join(plane.dataDir, 'metrics-token'), 'utf8')).trim()
  const metrics = await fetch(`${plane.server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  outputs.push({ where: 'the metrics', text: await metrics.text() })
  outputs.push({ where: 'the log of the control plane', text: plane.server.output() })
  outputs.push({ where: 'the errors of the control plane', text: plane.server.errorOutput() })
  edges.forEach((output, at) => void outputs.push({ where: `the log of edge ${at + 1}`, text: output() }))
  for (const folder of stateDirs) outputs.push(...(await textsOfFolder(folder)))
  const tables = await textsOfTables(plane.dataDir)
  const searched = [...outputs, ...tables, ...(await textsOfFolder(plane.dataDir))]

  // The search finds what is there.
  for (const where of ['the log of the control plane', 'the metrics', 'the log of edge 1', 'GET /approvals?limit=200'])
    expect(searched.find((one) => one.where === where)?.text.length, where).toBeGreaterThan(100)
  expect(outputs.find(({ where }) => where === 'the log of edge 1')?.text).toContain('[echo] got ')
  expect(searched.some(({ where }) => where.endsWith('.eml'))).toBe(true)
  expect(placesOf(tables, 'fn:mail/send')).not.toEqual([])
  const secrets = { ...values, ...Object.fromEntries(Object.entries(agents).map(([name, { token }]) => [name, token])) }
  const leaks = Object.entries(secrets).map(([kind, value]) => [kind, placesOf(searched, value)])
  expect(leaks).toEqual(Object.keys(secrets).map((kind) => [kind, []]))
})
