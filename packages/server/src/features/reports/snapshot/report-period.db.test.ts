import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, addKey, addPerson, giveEnvironment, grantAgent } from '../../../testing/arrange.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'
import { addPendingCall, createScene, type Scene } from '../../approvals/testing/held-calls.ts'
import { periodOf } from './period.ts'

const server = useTestServer()
let scene: Scene

const dayOf = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString().slice(0, 10)

async function create(body: object = {}, { api }: Pick<Scene['tenant']['owner'], 'api'> = scene.tenant.owner) {
  const answer = await api.post('/reports', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

beforeEach(async () => {
  scene = await createScene(server)
})

/** A manager attests the agent, approves a call and suspends the agent. */
async function decideAsManager() {
  const { tenant, agentId } = scene
  const mel = await addPerson(server, tenant.id, { role: 'manager', displayName: 'Mel Ortiz' })
  const review = await tenant.owner.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })
  const call = await addPendingCall(scene)
  const answers = [
    await mel.api.post(`/reviews/${review.body.id}/resolve`, { outcome: 'attested', comment: 'still needed' }),
    await mel.api.post(`/approvals/${call.id}/resolve`, { outcome: 'approved', comment: 'may be deleted' }),
    await mel.api.post(`/agents/${agentId}/suspend`, {}),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  return { mel, by: { user_id: mel.id, display_name: 'Mel Ortiz', email: mel.email } }
}

describe('what happened in the period of a report', () => {
  it('names who approved the agent and each held call, when, and under which policy version, also after that person was removed', async () => {
    const { tenant, agentId, policy } = scene
    const { mel, by } = await decideAsManager()
    expect((await tenant.owner.api.delete(`/users/${mel.id}`)).status).toBe(204)
    const report = await create({ title: 'Quarter' })
    const { snapshot } = report
    const approved = { policy_id: policy.id, version: 1, content_hash: policy.hash }
    expect(snapshot.made_by).toEqual({
      user_id: tenant.owner.id,
      display_name: expect.any(String),
      email: tenant.owner.email,
    })
    expect(snapshot.period).toEqual(periodOf({}, report.created_at))
    expect(snapshot.approvals).toMatchObject([
      { agent_id: agentId, approved, review: { status: 'attested', reviewer: by, comment: 'still needed' } },
    ])
    expect(snapshot.events).toMatchObject([
      { event_type: 'agent.suspended', summary: 'suspended the agent', by, agent_id: agentId, policy: null },
      { summary: 'approved the call mcp:files/delete', by, policy: approved, comment: 'may be deleted' },
      { summary: 'attested the attestation review', by, policy: approved, comment: 'still needed' },
    ])
    expect(snapshot.counts.events).toBe(3)
    expect(snapshot.policies[0]).toMatchObject({
      saved_by: { email: expect.any(String) },
      saved_at: expect.any(String),
    })
    const page = (await tenant.owner.api.get(`/reports/${report.id}`, { accept: 'text/html' })).body
    expect(page).toContain(`<td>Mel Ortiz (${mel.email})</td>`)
    expect(page).toContain('<td>approved the call mcp:files/delete</td>')
  })

  it('names who froze the agent, who lifted the freeze, and why', async () => {
    const { tenant, agentId } = scene
    const { api } = tenant.owner
    const { body: freeze } = await api.post('/freezes', { scope: 'agent', agent_id: agentId, reason: 'leaks' })
    expect((await api.post(`/freezes/${freeze.id}/lift`, { reason: 'fixed' })).status).toBe(200)
    const { snapshot } = await create({ title: 'Quarter' })
    expect(snapshot.events).toMatchObject([
      { event_type: 'freeze.lifted', summary: 'lifted the freeze of the agent', agent_id: agentId, comment: 'fixed' },
      { event_type: 'freeze.started', summary: 'froze the agent', agent_id: agentId, comment: 'leaks' },
    ])
  })

  it('names who froze the organization or an environment of the agents', async () => {
    const { tenant, agentId } = scene
    const { api } = tenant.owner
    const freeze = async (target: object) => {
      const { body } = await api.post('/freezes', { ...target, reason: 'leaks' })
      expect((await api.post(`/freezes/${body.id}/lift`, { reason: 'fixed' })).status).toBe(200)
    }
    await freeze({ scope: 'organization' })
    await freeze({ scope: 'environment', environment_id: tenant.development })
    await freeze({ scope: 'environment', environment_id: tenant.production })
    const { snapshot } = await create({ environment_id: tenant.development })
    expect(
      snapshot.events.map(({ summary, agent_id }: { summary: string; agent_id: string }) => [summary, agent_id]),
    ).toEqual(
      [
        'lifted the freeze of the environment Development',
        'froze the environment Development',
        'lifted the freeze of the organization',
        'froze the organization',
      ].map((summary) => [summary, agentId]),
    )
    expect(snapshot.counts.events).toBe(4)
  })

  it('counts the calls that edges decided, by agent and effect, and leaves out days outside the period', async () => {
    const { tenant, agentId, edge } = scene
    const yesterday = `${dayOf(1)}T12:00:00.000Z`
    const decisions = [
      newDecision(agentId),
      newDecision(agentId, { effect: 'deny' }),
      newDecision(agentId, { effect: 'require_approval', at: yesterday }),
    ]
    expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
    const { snapshot } = await create()
    const counts = { allow: 1, deny: 1, require_approval: 1 }
    expect(snapshot.decisions).toEqual([{ agent_id: agentId, agent_name: expect.any(String), ...counts }])
    expect(snapshot.counts.decisions).toEqual(counts)
    const before = await create({ from: dayOf(1), to: dayOf(1) })
    expect(before.snapshot.counts).toMatchObject({ decisions: { allow: 0, deny: 0, require_approval: 1 }, events: 0 })
    const elsewhere = await create({ environment_id: tenant.production })
    expect(elsewhere.snapshot).toMatchObject({ decisions: [], events: [] })
  })

  it('a report of an environment leaves out what the agent did in another environment before', async () => {
    const { tenant, agentId } = scene
    await decideAsManager()
    await server.owner.query('update agents set environment_id = $2 where id = $1', [agentId, tenant.production])
    const { snapshot } = await create({ environment_id: tenant.production })
    expect(snapshot.agents).toMatchObject([{ id: agentId }])
    expect(snapshot.events).toEqual([])
  })

  it('a reader sees the events and decisions of the agents that they see', async () => {
    const { tenant, edge, agentId } = scene
    const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await decideAsManager()
    await tenant.owner.api.post(`/agents/${other}/suspend`, {})
    await edge.post('/edge/decisions', { decisions: [newDecision(agentId), newDecision(other, { effect: 'deny' })] })
    const { id } = await create({ environment_id: tenant.development })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await grantAgent(server, tenant.id, scoped.id, other)
    const { snapshot } = (await scoped.api.get(`/reports/${id}`)).body
    expect(snapshot.events).toMatchObject([{ agent_id: other, summary: 'suspended the agent' }])
    expect(snapshot.decisions).toMatchObject([{ agent_id: other, deny: 1 }])
    expect(snapshot.counts).toMatchObject({ events: 1, decisions: { allow: 0, deny: 1, require_approval: 0 } })
    const own = await create({ environment_id: tenant.development }, scoped)
    expect(own.snapshot.events).toHaveLength(1)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect((await create({}, key)).snapshot).toMatchObject({ events: [], decisions: [] })
  })

  it.each([
    ['to must not be after today', { to: dayOf(-2) }],
    ['to must not be before from', { from: dayOf(3), to: dayOf(4) }],
    ['from: a report has at most 366 days', { from: dayOf(500) }],
    [
      'from must be a date such as 2026-03-01, or the start of this day in UTC, such as 2026-03-01T00:00',
      { from: '2026-02-30' },
    ],
  ])('400 %s', async (error, body) => {
    const answer = await scene.tenant.owner.api.post('/reports', body)
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 400, error })
  })

  it('a job makes a report of more than 92 days: 202', async () => {
    const answer = await scene.tenant.owner.api.post('/reports', { from: dayOf(200) })
    expect(answer).toMatchObject({ status: 202, body: { status: 'running' } })
  })
})
