import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ApiClient, apiClient } from '../../testing/api-client.ts'
import { addAgent, addPerson, createTenant, giveEnvironment, type TestTenant } from '../../testing/arrange.ts'
import { addPolicy } from '../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../testing/open-stream.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { addApprovedCall, consume, createScene } from '../approvals/testing/held-calls.ts'
import { noteSilence } from '../edge/instances/note-silence.ts'

const server = useTestServer()
let tenant: TestTenant
let edge: ApiClient
let edgeId: string
let events: OpenStream
const open: OpenStream[] = []

beforeEach(async () => {
  tenant = await createTenant(server)
  const { body } = await tenant.owner.api.post('/edges', { name: 'edge', environment_id: tenant.production })
  edge = apiClient(server.url, body.edge_key)
  edgeId = body.edge.id
  events = await watch(tenant.owner.accessToken)
})
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

async function watch(credential: string) {
  const stream = await openStream(server.url, credential)
  open.push(stream)
  return stream
}

const typesOf = (stream = events) => stream.types.filter((type) => type !== 'audit.recorded')
const shows = (expected: string[]) => vi.waitFor(() => expect(typesOf()).toEqual(expected), { timeout: 60_000 })

let seq = 0
async function beat(agentId: string, running: object = {}) {
  const answer = await edge.post('/edge/heartbeat', {
    instance_id: 'a',
    seq: ++seq,
    edge_version: '1.0.0',
    agents: [{ agent_id: agentId, ...running }],
  })
  expect(answer.status).toBe(200)
}

it('the first heartbeat, and a heartbeat that changes the drift, are agent.changed; other heartbeats are no events', async () => {
  const policy = await addPolicy(server, tenant.id)
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production, policyId: policy.id })
  await server.owner.query(
    `update agents set approved_policy_id = $2, approved_version = 1, approved_hash = $3, approved_at = now() where id = $1`,
    [agentId, policy.id, policy.hash],
  )
  const running = { policy_id: policy.id, policy_version: 1, policy_hash: policy.hash }
  await beat(agentId, running)
  await shows(['agent.changed'])
  await beat(agentId, running)
  await beat(agentId, { ...running, policy_hash: 'f'.repeat(64) })
  await vi.waitFor(
    () => expect(typesOf().sort()).toEqual(['agent.changed', 'agent.changed', 'finding.opened', 'review.opened']),
    {
      timeout: 60_000,
    },
  )
})

it('evidence that changes the execution coverage is agent.changed; evidence that does not is no event', async () => {
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
  const claim = { agent_id: agentId, mode: 'full', tools: [], mediation_points: ['mcp'], edge_version: '1.0.0' }
  expect((await edge.post('/edge/attestations', claim)).status).toBeLessThan(300)
  await shows(['agent.changed'])
  expect((await edge.post('/edge/attestations', claim)).status).toBeLessThan(300)
  expect((await tenant.owner.api.post(`/agents/${agentId}/suspend`, { reason: 'test' })).status).toBe(200)
  await shows(['agent.changed', 'agent.changed'])
})

it('an edge that misses its heartbeats is edge.silent once, and edge.returned once when it is back', async () => {
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
  const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, inside.id, tenant.production)
  const outside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, outside.id, tenant.development)
  const [near, far] = [await watch(inside.accessToken), await watch(outside.accessToken)]
  await beat(agentId)
  await shows(['agent.changed'])
  await server.owner.query(`update edges set last_heartbeat_at = now() - interval '1 hour' where id = $1`, [edgeId])
  const { services } = server
  await Promise.all([noteSilence(services, tenant.id), noteSilence(services, tenant.id)])
  await noteSilence(services, tenant.id)
  await shows(['agent.changed', 'edge.silent'])
  expect(events.events.at(-1)?.data).toMatchObject({
    resource: { type: 'edge', id: edgeId },
    environment_id: tenant.production,
  })
  await beat(agentId)
  await noteSilence(services, tenant.id)
  await noteSilence(services, tenant.id)
  await shows(['agent.changed', 'edge.silent', 'edge.returned'])
  await vi.waitFor(() => expect(typesOf(near)).toEqual(['edge.silent', 'edge.returned']))
  expect(far.events).toEqual([])
})

it('a policy that is saved is policy.saved', async () => {
  const body = { name: 'Files', environment_id: null, default_effect: 'deny', rules: [] }
  const { body: policy } = await tenant.owner.api.post('/policies', body)
  await shows(['policy.saved'])
  expect(events.events.at(-1)?.data.resource).toEqual({ type: 'policy', id: policy.id })
})

it('content bindings that are saved are policy.saved', async () => {
  const body = { name: 'Files', environment_id: null, default_effect: 'deny', rules: [] }
  const { body: policy } = await tenant.owner.api.post('/policies', body)
  const saved = await tenant.owner.api.put(`/policies/${policy.id}/content-bindings`, { bindings: [] })
  expect(saved.status).toBe(200)
  await shows(['policy.saved', 'policy.saved'])
  expect(events.events.at(-1)?.data.resource).toEqual({ type: 'policy', id: policy.id })
})

it('a new key of an agent is agent.changed', async () => {
  const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
  expect((await tenant.owner.api.post(`/agents/${agentId}/rotate-key`)).status).toBe(200)
  await shows(['agent.changed'])
})

it('an approval is approval.requested, approval.resolved and approval.consumed', async () => {
  const scene = await createScene(server)
  events = await watch(scene.tenant.owner.accessToken)
  const approved = await addApprovedCall(scene)
  await shows(['approval.requested', 'approval.resolved'])
  expect((await consume(scene.edge, approved)).status).toBe(200)
  await shows(['approval.requested', 'approval.resolved', 'approval.consumed'])
  expect(events.events.at(-1)?.data).toMatchObject({
    resource: { type: 'approval', id: approved.id },
    agent_id: scene.agentId,
  })
})
