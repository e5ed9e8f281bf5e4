import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { callApi } from '../../call-api.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { stateFolder } from '../edge-in-test.ts'
import { decideAt, type EdgeProcess, startEdgeProcess } from '../edge-process.ts'
import type { Json } from '../middle.ts'
import { settingsOf } from '../served-edge.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const node = join(root, 'node_modules/.bin/node')
const changingServer = fileURLToPath(new URL('./changing-server.ts', import.meta.url))
const hourly = (count: number) => ({ count, window_s: 3600 })
let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

/** An agent that may send mails, as often as `limit` says. */
const newSender = (limit: object, more: object[] = []) =>
  plane.newAgent({ rules: [rule('allow', ['mcp:mail/*', 'fn:agent/*'], { name: 'mails', limit }), ...more] })

async function startEdge(agent: TestAgent, stateDir: string): Promise<EdgeProcess> {
  const file = join(stateDir, 'servers.json')
  const TOOLS = join(stateDir, 'mail.json')
  await writeFile(TOOLS, JSON.stringify([{ name: 'send', inputSchema: { type: 'object' } }]))
  await writeFile(
    file,
    JSON.stringify({ servers: { mail: { command: node, args: [changingServer], env: { TOOLS } } } }),
  )
  const settings = { MANDATE_EDGE_MCP: file, MANDATE_EDGE_MCP_PORT: '0' }
  return await startEdgeProcess(plane.server.url, agent, stateDir, { settings })
}

function overHttp({ token, output }: EdgeProcess): Transport {
  const url = /"mcp_url":"([^"]+)"/.exec(output())?.[1]
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  return new StreamableHTTPClientTransport(new URL('/mcp/mail', url), { requestInit })
}

function onStdio(agent: TestAgent, stateDir: string): Transport {
  const env = {
    ...settingsOf(plane.server.url, agent, stateDir),
    TOOLS: join(stateDir, 'mail.json'),
  }
  const args = ['packages/cli/bin/mandate.js', 'edge', '--server', 'mail', '--', node, changingServer]
  return new StdioClientTransport({ command: node, args, env, cwd: root, stderr: 'ignore' })
}

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

async function send(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: 'send', arguments: {} })
  return (content as { text: string }[])[0]?.text ?? ''
}

async function kill({ child }: EdgeProcess): Promise<void> {
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
}

const isUsedUp = expect.stringContaining('the limit of the rule "mails" is used up: at most 2 times in 1 hour')
const call = { tool: 'mcp:mail/send', args: {} }

it('a rule with a limit of 2 denies the third call of an agent, by every way in, after a kill, and says why', async () => {
  const agent = await newSender(hourly(2))
  const stateDir = await stateFolder()
  const edge = await startEdge(agent, stateDir)
  const client = await connect(overHttp(edge))
  expect(await send(client)).toBe('called send')
  expect((await decideAt(edge, call)).body).toMatchObject({ verdict: 'allow', rule: { name: 'mails' } })
  expect(await send(client)).toEqual(isUsedUp)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['send'])
  const denied = { verdict: 'deny', rule: null, denied_because: 'limit_used_up', reason: isUsedUp }
  expect((await decideAt(edge, call)).body).toMatchObject(denied)
  // The guard of the SDK and the hook for coding agents ask the same route.
  const guarded = { tool: 'fn:agent/mail', args: {}, mediation_point: 'sdk.guard' }
  expect((await decideAt(edge, guarded)).body).toMatchObject(denied)
  expect(await send(await connect(onStdio(agent, stateDir)))).toEqual(isUsedUp)
  await kill(edge)
  const restarted = await startEdge(agent, stateDir)
  expect((await decideAt(restarted, call)).body).toMatchObject(denied)
  const recorded = async () => (await plane.ask('GET', `/decisions?agent_id=${agent.id}&page_size=50`)).data
  await expect
    .poll(async () => (await recorded()).filter((one: Json) => one.denied_because === 'limit_used_up').length, {
      timeout: 60_000,
    })
    .toBeGreaterThanOrEqual(4)
})

it('two edges of one state folder let exactly 10 of 200 calls at the same time pass', async () => {
  const agent = await newSender(hourly(10))
  const stateDir = await stateFolder()
  const edges = [await startEdge(agent, stateDir), await startEdge(agent, stateDir)]
  const asked = edges.flatMap((edge) => Array.from({ length: 100 }, () => decideAt(edge, call)))
  const verdicts = (await Promise.all(asked)).map(({ body }) => body.verdict)
  expect(verdicts.filter((verdict) => verdict === 'allow')).toHaveLength(10)
  expect(verdicts.filter((verdict) => verdict === 'deny')).toHaveLength(190)
})

it('a call that a used-up rule leaves to a person waits, and its approval is not a use', async () => {
  const ask = rule('require_approval', ['mcp:mail/*'], { name: 'ask', priority: 999, reason: 'more mails than usual' })
  const agent = await newSender(hourly(1), [ask])
  const edge = await startEdge(agent, await stateFolder())
  expect((await decideAt(edge, call)).body.verdict).toBe('allow')
  const { body } = await decideAt(edge, call)
  const reason = 'more mails than usual (the limit of the rule "mails" is used up: at most once in 1 hour)'
  expect(body.verdict).toBe('require_approval')
  const approval = await plane.ask('GET', `/approvals/${body.approval.approval_id}`)
  expect([approval.status, approval.reason]).toEqual(['pending', reason])
  await plane.ask('POST', `/approvals/${approval.id}/resolve`, { outcome: 'approved' })
  const again = { ...call, approval_id: approval.id, wait_ms: 10_000 }
  expect((await decideAt(edge, again)).body).toMatchObject({ verdict: 'allow', rule: { name: 'ask' } })
})

it('a simulation and an edge decide a row of calls alike', async () => {
  const agent = await newSender(hourly(3), [rule('allow', ['mcp:mail/send'], { name: 'few', limit: hourly(2) })])
  const edge = await startEdge(agent, await stateFolder())
  const decided: Json[] = []
  for (let time = 0; time < 7; time++) decided.push((await decideAt(edge, call)).body)
  const calls = Array.from({ length: 7 }, () => ({ ...call, agent: { id: agent.id } }))
  const { results } = await plane.ask('POST', `/policies/${agent.policyId}/simulate`, { calls })
  expect(results.map(({ effect, rule_id }: Json) => [effect, rule_id])).toEqual(
    decided.map(({ verdict, rule: by }) => [verdict, by?.id ?? null]),
  )
  expect(decided.map(({ verdict }) => verdict)).toEqual([...Array(5).fill('allow'), 'deny', 'deny'])
})

it('an edge gets a new limit with the policy, and a removed limit frees the calls', async () => {
  const agent = await newSender(hourly(1))
  const edge = await startEdge(agent, await stateFolder())
  const verdict = async () => (await decideAt(edge, call)).body.verdict
  expect([await verdict(), await verdict()]).toEqual(['allow', 'deny'])
  const { rules } = await plane.ask('GET', `/policies/${agent.policyId}`)
  const path = `/policies/${agent.policyId}/rules/${rules[0].id}`
  await plane.ask('PUT', path, { limit: hourly(2) })
  await expect.poll(verdict, { timeout: 60_000 }).toBe('allow')
  expect(await verdict()).toBe('deny')
  await plane.ask('PUT', path, { limit: null })
  await expect.poll(verdict, { timeout: 60_000 }).toBe('allow')
})

it('the profile has rules with limits apart, so an edge that does not know limits never lets a call pass by them', async () => {
  const agent = await newSender(hourly(2), [rule('allow', ['fn:notes/read'], { name: 'notes' })])
  const path = `/edge/agents/${agent.id}/mission-profile`
  const { body } = (await callApi(plane.server, 'GET', path, { credential: agent.key })) as Json
  expect(body.policy.rules.map(({ name }: Json) => name)).toEqual(['notes'])
  expect(body.limited_rules).toMatchObject([{ name: 'mails', limit: hourly(2) }])
})
