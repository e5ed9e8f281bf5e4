import { beforeAll, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { edgeFor, stateFolder } from '../edge-in-test.ts'
import { decideAt } from '../edge-process.ts'
import type { Json } from '../middle.ts'
import { startServedEdge } from '../served-edge.ts'
import { onStdio, overJson } from './content-carriers.ts'

let plane: Organization

const token = `ghp_${'a1B2'.repeat(9)}`
const tool = 'mcp:demo/t'
const when = (path: string, op: string, value: unknown) => ({ match: { tools: [tool], when: [{ path, op, value }] } })
const rules = [
  rule('deny', [], when('args.path', 'under', '/secrets')),
  rule('require_approval', [], when('args.token', 'starts_with', 'x')),
  rule('allow', [tool]),
]
const soon = { timeout: 60_000 }

beforeAll(async () => {
  plane = await joinControlPlane()
  await keep(true)
})

const keep = (keep_arguments_for_replay: boolean) =>
  plane.ask('PUT', `/environments/${plane.development}`, { keep_arguments_for_replay })

/** The decisions of an agent, once there are `count` of them, the newest first, as they are read one by one. */
async function decisionsOf({ id }: TestAgent, count: number): Promise<Json[]> {
  const list = async () => (await plane.ask('GET', `/decisions?agent_id=${id}`)).data as Json[]
  await expect.poll(async () => (await list()).length, soon).toBe(count)
  return await Promise.all((await list()).map((one) => plane.ask('GET', `/decisions/${one.decision_id}`)))
}

const replayOf = ({ decision_id: id }: Json) => plane.ask('GET', `/decisions/${id}/replay`)
const args = { path: '/tmp/a', token, other: 'hunter2' }
const kept = [
  { path: 'args.path', state: 'value', value: '/tmp/a' },
  { path: 'args.token', state: 'not_kept', because: 'redacted' },
]
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 't', arguments: args } }
const answer = [JSON.stringify({ jsonrpc: '2.0', id: '$id', result: { content: [] } })]

it.each<[string, (agent: TestAgent) => Promise<unknown>]>([
  ['MCP on standard input and output', async (one) => (await onStdio(plane.server.url, one)).ask(message, answer)],
  ['MCP over HTTP', async (one) => (await overJson(plane.server.url, one)).ask(message, answer)],
  [
    'the decide route, which the SDK and the hook call',
    async (one) => {
      const edge = await startServedEdge(plane.server.url, one, await stateFolder())
      return await decideAt(edge, { agent_id: one.id, tool, args })
    },
  ],
])('an edge keeps what conditions read, without secrets: %s', async (_, callTool) => {
  const agent = await plane.newAgent({ rules })
  await callTool(agent)
  const [decision] = await decisionsOf(agent, 1)
  expect(decision?.kept_arguments).toEqual(kept)
  expect(JSON.stringify(decision)).not.toMatch(/hunter2|ghp_/)
})

it('a replay decides as the edge did, and says which values are missing', async () => {
  const agent = await plane.newAgent({ rules: [rules[0], rules[2]] })
  const edge = await edgeFor(plane.server.url, agent)
  const guard = edge.guardFor(agent.id)
  for (const path of ['/tmp/a', '/secrets/key', `/tmp/${token}`]) await guard.decide({ tool, args: { path } })
  const decisions = await decisionsOf(agent, 3)
  expect(decisions.map(({ effect }) => effect)).toEqual(['allow', 'deny', 'allow'])
  expect((await Promise.all(decisions.map(replayOf))).map(({ result, reason }) => [result, reason])).toEqual([
    ['undecidable', 'the policy asks for args.path, whose value the edge redacted'],
    ['same', expect.any(String)],
    ['same', expect.any(String)],
  ])
  const draft = [rule('deny', [], when('args.path', 'under', '/tmp')), rules[2]]
  const body = { document: { rules: draft }, replay: {} }
  const { replay } = await plane.ask('POST', `/policies/${agent.policyId}/simulate`, body)
  expect(replay).toMatchObject({ decisions: 3, changed: 2, undecidable: 1 })
  expect(replay.arguments).toEqual({ decided: 2, missing: [{ path: 'args.path', because: 'redacted', calls: 1 }] })
  const receipt = await plane.ask('GET', `/decisions/${decisions[1]?.decision_id}/receipt`)
  expect(receipt.record).toHaveProperty('kept_digest')
  expect(JSON.stringify(receipt)).not.toContain('/secrets/key')
})

it('an edge learns with its heartbeat that the environment keeps none any more, and whatever it sends before is dropped', async () => {
  const agent = await plane.newAgent({ rules })
  const edge = await edgeFor(plane.server.url, agent)
  const guard = edge.guardFor(agent.id)
  await guard.decide({ tool, args })
  expect((await decisionsOf(agent, 1))[0]?.kept_arguments).toEqual(kept)
  await keep(false)
  await guard.decide({ tool, args })
  await edge.refresh()
  await guard.decide({ tool, args })
  const decisions = await decisionsOf(agent, 3)
  expect(decisions.map((one) => one.kept_arguments)).toEqual([null, null, null])
  expect(decisions.map(({ integrity }) => integrity)).toEqual(['signed', 'signed', 'signed'])
  const { data } = await plane.ask('GET', `/findings?agent_id=${agent.id}`)
  expect(data.filter(({ type }: Json) => type === 'decision_gap')).toEqual([])
  const audit = await plane.ask('GET', '/audit?event_type=environment.updated')
  const change = { field: 'keep_arguments_for_replay', from: true, to: false }
  expect(audit.data[0].details).toEqual({ changes: [change] })
  await keep(true)
})
