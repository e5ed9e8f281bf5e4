import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { type OpenStream, openStream } from '../../../testing/open-stream.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let edge: ApiClient
let open: OpenStream[]

beforeEach(async () => {
  tenant = await createTenant(server)
  const answer = await tenant.owner.api.post('/edges', { name: 'edge', environment_id: tenant.production })
  edge = apiClient(server.url, answer.body.edge_key)
  open = []
})
afterEach(() => {
  for (const stream of open) stream.close()
})

async function stream(
  credential: string,
  query: string,
  rest: { url?: string; lastEventId?: string | undefined } = {},
) {
  const { url = server.url, lastEventId } = rest
  const opened = await openStream(url, credential, { query, lastEventId })
  open.push(opened)
  return opened
}

async function record(agentId: string, count = 1, sender = edge): Promise<string[]> {
  const decisions = Array.from({ length: count }, () => newDecision(agentId))
  expect((await sender.post('/edge/decisions', { decisions })).status).toBe(202)
  return decisions.map(({ decision_id }) => decision_id)
}

const agent = () => addAgent(server, tenant.id, { environmentId: tenant.production })
const received = ({ events }: OpenStream) =>
  events.filter(({ type }) => type === 'decision.recorded').map(({ data }) => data.decision.decision_id as string)
const skipped = ({ events }: OpenStream) =>
  events.filter(({ type }) => type === 'decision.skipped').reduce((sum, { data }) => sum + data.skipped, 0)
const shows = (one: OpenStream, ids: string[]) =>
  vi.waitFor(() => expect(received(one)).toEqual(ids), { timeout: 60_000 })

it('decisions arrive as lists show them; without the parameter none do', async () => {
  const id = await agent()
  const [events, without] = [
    await stream(tenant.owner.accessToken, '?decisions=all'),
    await stream(tenant.owner.accessToken, ''),
  ]
  const [decisionId = ''] = await record(id)
  await shows(events, [decisionId])
  const { body: page } = await tenant.owner.api.get(`/decisions?agent_id=${id}`)
  const [decision] = page.data
  expect(events.events.at(-1)?.data).toEqual({
    id: expect.any(String),
    type: 'decision.recorded',
    at: decision.received_at,
    resource: { type: 'decision', id: decisionId },
    agent_id: id,
    environment_id: tenant.production,
    decision,
  })
  expect(without.events).toEqual([])
})

it('decisions of one agent, of another instance, and those that come twice arrive once', async () => {
  const instance = await server.startInstance()
  try {
    const [one, other] = [await agent(), await agent()]
    const events = await stream(tenant.owner.accessToken, `?decisions=${one}`)
    const remote = apiClient(instance.url, edge.credential)
    await record(other)
    const [first = ''] = await record(one, 1, remote)
    await shows(events, [first])
    const again = { ...newDecision(one), decision_id: first }
    expect((await edge.post('/edge/decisions', { decisions: [again] })).status).toBe(202)
    const [second = ''] = await record(one)
    await shows(events, [first, second])
  } finally {
    await instance.stop()
  }
})

it('at most 20 arrive in a second; the others are counted', async () => {
  const id = await agent()
  const events = await stream(tenant.owner.accessToken, '?decisions=all')
  for (let batch = 0; batch < 5; batch++) await record(id, 100)
  await vi.waitFor(() => expect(received(events).length + skipped(events)).toBe(500), { timeout: 60_000 })
  expect(received(events).length).toBeGreaterThan(0)
  expect(skipped(events)).toBeGreaterThan(0)
})

it('a caller gets the decisions of the agents that they see, and counts only these', async () => {
  const [seen, unseen] = [await agent(), await agent()]
  const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await grantAgent(server, tenant.id, scoped.id, seen)
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  const noScope = await addKey(server, tenant.id, tenant.owner, { scopes: ['events:read', 'agents:read'] })
  const streams = {
    owner: await stream(tenant.owner.accessToken, '?decisions=all'),
    scoped: await stream(scoped.accessToken, '?decisions=all'),
    bound: await stream(bound.raw, '?decisions=all'),
    noScope: await stream(noScope.raw, '?decisions=all'),
  }
  const hidden = await record(unseen, 40)
  const [shown = ''] = await record(seen)
  await vi.waitFor(() => expect(received(streams.owner).length + skipped(streams.owner)).toBe(41), { timeout: 60_000 })
  await shows(streams.scoped, [shown])
  expect(skipped(streams.scoped)).toBe(0)
  expect(hidden).toHaveLength(40)
  expect([streams.bound.events, streams.noScope.events]).toEqual([[], []])
})

it('a client continues with the decisions that it missed', async () => {
  const id = await agent()
  const first = await stream(tenant.owner.accessToken, '?decisions=all')
  const [before = ''] = await record(id)
  await shows(first, [before])
  first.close()
  const missed = [...(await record(id)), ...(await record(id))]
  const second = await stream(tenant.owner.accessToken, '?decisions=all', { lastEventId: first.lastEventId })
  await vi.waitFor(() => expect(received(second)).toEqual(expect.arrayContaining(missed)), { timeout: 60_000 })
})

it('decisions that nobody listens to write no events', async () => {
  const id = await agent()
  await record(id)
  await server.services.decisionFeed.close()
  const { rows } = await server.owner.query(`select from events where tenant_id = $1 and type = 'decision.stored'`, [
    tenant.id,
  ])
  expect(rows).toEqual([])
})
