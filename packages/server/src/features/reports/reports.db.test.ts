import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addPolicy, savePolicy } from '../../testing/arrange-agents.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

type Caller = Pick<TestPerson, 'api'>
const create = async (body: unknown, caller: Caller = tenant.owner) => {
  const answer = await caller.api.post('/reports', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const listed = async (caller: Caller) =>
  (await caller.api.get('/reports')).body.data.map((report: { id: string }) => report.id)
const query = (text: string, ...values: unknown[]) => server.owner.query(text, values)

describe('POST /reports', () => {
  it('201 with a snapshot of agents, policies, approvals, drift, coverage and findings, and their counts', async () => {
    const { id: policyId, hash } = await addPolicy(server, tenant.id, { environmentId: tenant.development })
    const everywhere = await addPolicy(server, tenant.id)
    await addPolicy(server, tenant.id, { environmentId: tenant.production })
    const drifting = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId })
    const bare = await addAgent(server, tenant.id, { environmentId: tenant.development, lifecycleStatus: 'proposed' })
    await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'archived' })
    await addAgent(server, tenant.id, { environmentId: tenant.production })
    const reviewId = newId()
    await query(
      `update agents set approved_policy_id = $3, approved_version = 1, approved_hash = $4, owner_user_id = $5 where tenant_id = $1 and id = $2`,
      tenant.id,
      drifting,
      policyId,
      hash,
      tenant.owner.id,
    )
    await query(
      `insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at, resolved_at)
       values ($1, $2, $3, 'onboarding', 'approved', 'manager', '2026-01-01Z', '2026-01-02Z'),
         ($1, $4, $3, 'change', 'rejected', 'manager', '2026-01-03Z', '2026-01-04Z')`,
      tenant.id,
      reviewId,
      drifting,
      newId(),
    )
    const newHash = await savePolicy(server, tenant.id, policyId, { override_mode: 'enforce' })
    await query(
      `insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version, running_hash, reported_at)
       values ($1, $2, '2026-01-05Z', $3, 2, $4, '2026-01-05Z')`,
      tenant.id,
      drifting,
      policyId,
      newHash,
    )
    const findingId = newId()
    await query(
      `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
       values ($1, $2, $3, 'coverage_gap', 'high', 'open', '{}', 'close it', '2026-01-06Z'),
         ($1, $4, $3, 'evidence_stale', 'low', 'closed', '{}', '', '2026-01-06Z')`,
      tenant.id,
      findingId,
      drifting,
      newId(),
    )
    const report = await create({ environment_id: tenant.development, title: ' Quarter ' })
    expect(report).toMatchObject({
      tenant_id: tenant.id,
      environment_id: tenant.development,
      title: 'Quarter',
      generated_by: tenant.owner.id,
      share_links: [],
    })
    const { snapshot } = report
    expect(snapshot.organization).toBe(tenant.name)
    expect(snapshot.environment).toEqual({
      id: tenant.development,
      name: 'Development',
      slug: 'development',
      is_production: false,
    })
    expect(snapshot.counts).toEqual({
      agents: 2,
      policies: 2,
      approvals: 1,
      drift: 1,
      coverage: { unknown: 2 },
      findings: 1,
      decisions: { allow: 0, deny: 0, require_approval: 0 },
      events: 0,
    })
    expect(snapshot.agents.map((agent: { id: string }) => agent.id)).toEqual([bare, drifting])
    expect(snapshot.agents[1]).toMatchObject({
      governance_mode: 'enforce',
      policy: { id: policyId, version: 2 },
      owner: { user_id: tenant.owner.id, display_name: expect.any(String), email: tenant.owner.email },
      last_heartbeat_at: '2026-01-05T00:00:00.000Z',
    })
    expect(snapshot.agents[0].owner).toBeNull()
    expect(snapshot.policies.map((policy: { id: string }) => policy.id)).toEqual([everywhere.id, policyId])
    expect(snapshot.approvals).toMatchObject([
      {
        agent_id: drifting,
        approved: { policy_id: policyId, version: 1, content_hash: hash },
        review: { id: reviewId, kind: 'onboarding', status: 'approved', resolved_at: '2026-01-02T00:00:00.000Z' },
      },
    ])
    expect(snapshot.drift).toMatchObject([{ agent_id: drifting, running: { version: 2, content_hash: newHash } }])
    expect(snapshot.coverage.map((row: { state: string }) => row.state)).toEqual(['unknown', 'unknown'])
    expect(snapshot.findings).toMatchObject([{ id: findingId, agent_id: drifting, type: 'coverage_gap' }])
    expect((await tenant.owner.api.get(`/reports/${report.id}`)).body).toEqual(report)
    expect(await auditEntries(server, tenant.id)).toMatchObject([
      { event_type: 'report.created', resource_id: report.id, environment_id: tenant.development },
    ])
  })

  it('a snapshot never changes, whatever changes later', async () => {
    await addAgent(server, tenant.id, { environmentId: tenant.development })
    const report = await create({})
    expect(report).toMatchObject({ environment_id: null, snapshot: { environment: null, counts: { agents: 1 } } })
    await addAgent(server, tenant.id, { environmentId: tenant.development })
    await query(`update agents set name = 'renamed' where tenant_id = $1`, tenant.id)
    expect((await tenant.owner.api.get(`/reports/${report.id}`)).body.snapshot).toEqual(report.snapshot)
  })

  it('a bound key’s report is of its environment; another environment, or the organization, is 403, even with a malformed body', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await create({}, key)).environment_id).toBe(tenant.development)
    expect((await create(undefined, key)).environment_id).toBe(tenant.development)
    for (const environment_id of [null, tenant.production, newId()]) {
      expect((await key.api.post('/reports', { environment_id })).status).toBe(403)
      expect((await key.api.post('/reports', { environment_id, title: 7 })).status).toBe(403)
    }
  })

  it('403 for a viewer; a scoped caller creates reports of environments they have access to, never of the organization', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await viewer.api.post('/reports', {})).status).toBe(403)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect((await scoped.api.post('/reports', {})).status).toBe(403)
    expect((await scoped.api.post('/reports', { environment_id: null })).status).toBe(403)
    const [seen] = [await addAgent(server, tenant.id, { environmentId: tenant.development })]
    await addAgent(server, tenant.id, { environmentId: tenant.development })
    await grantAgent(server, tenant.id, scoped.id, seen)
    const { snapshot } = await create({ environment_id: tenant.development }, scoped)
    expect(snapshot.counts).toMatchObject({ agents: 1, coverage: { unknown: 1 } })
    expect(snapshot.agents[0].id).toBe(seen)
  })

  it('400 for an unknown environment, an environment of another tenant, and one that a scoped caller has no access to', async () => {
    const [foreign, scoped] = [
      await createTenant(server),
      await addPerson(server, tenant.id, { accessScope: 'scoped' }),
    ]
    for (const environment_id of [newId(), foreign.development]) {
      expect((await tenant.owner.api.post('/reports', { environment_id })).status).toBe(400)
    }
    const answer = await scoped.api.post('/reports', { environment_id: tenant.development })
    expect(answer).toMatchObject({ status: 400, body: { error: 'environment_id: environment not found' } })
  })

  it('a report that is made while its environment is deleted becomes the organization’s, or is not made', async () => {
    for (let round = 0; round < 5; round++) {
      const slug = `round-${round}`
      const { body: environment } = await tenant.owner.api.post('/environments', { name: slug, slug })
      const [made, deleted] = await Promise.all([
        tenant.owner.api.post('/reports', { environment_id: environment.id }),
        tenant.owner.api.delete(`/environments/${environment.id}`),
      ])
      expect(deleted.status).toBe(204)
      expect([201, 400]).toContain(made.status)
    }
    const { rows } = await query('select environment_id from reports where tenant_id = $1', tenant.id)
    expect(rows.every((row) => row.environment_id === null)).toBe(true)
  })
})

describe('GET /reports and /reports/{report_id}', () => {
  it('a bound key and a scoped user see their environments’ reports; any other report is 404 like an unknown id', async () => {
    const development = await create({ environment_id: tenant.development })
    const production = await create({ environment_id: tenant.production })
    const whole = await create({})
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const scopedKey = await addKey(server, tenant.id, scoped, { environmentId: tenant.production })
    expect(await listed(tenant.owner)).toEqual([whole.id, production.id, development.id])
    expect(await listed(key)).toEqual([development.id])
    expect(await listed(scoped)).toEqual([development.id])
    expect(await listed(scopedKey)).toEqual([])
    const unknown = await key.api.get(`/reports/${newId()}`)
    for (const { api } of [key, scoped]) {
      expect((await api.get(`/reports/${development.id}`)).status).toBe(200)
      for (const { id } of [production, whole]) {
        const { status, body } = await api.get(`/reports/${id}`)
        expect({ status, body }).toEqual({ status: 404, body: unknown.body })
      }
    }
  })

  it('a scoped reader sees the report’s agents granted to them, and a bound key its environment’s policies', async () => {
    const seen = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await addAgent(server, tenant.id, { environmentId: tenant.development })
    await addPolicy(server, tenant.id)
    const own = await addPolicy(server, tenant.id, { environmentId: tenant.development })
    const { id } = await create({ environment_id: tenant.development })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped', role: 'manager' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await grantAgent(server, tenant.id, scoped.id, seen)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const ofScoped = (await scoped.api.get(`/reports/${id}`)).body.snapshot
    expect(ofScoped.agents.map((agent: { id: string }) => agent.id)).toEqual([seen])
    expect(ofScoped.counts).toMatchObject({ agents: 1, policies: 2, coverage: { unknown: 1 } })
    const ofKey = (await key.api.get(`/reports/${id}`)).body.snapshot
    expect(ofKey.policies.map((policy: { id: string }) => policy.id)).toEqual([own.id])
    expect(ofKey.counts).toMatchObject({ agents: 2, policies: 1 })
    for (const { api } of [scoped, key]) {
      expect((await api.post(`/reports/${id}/share-links`, {})).status).toBe(403)
      expect((await api.post(`/reports/${id}/share-links`, { expires_at: 7 })).status).toBe(403)
    }
  })

  it('Accept: text/html returns a printable, self-contained page with every value escaped and a strict policy', async () => {
    const { id } = await create({ title: '<script>alert(1)</script> & "x"' })
    const page = await tenant.owner.api.get(`/reports/${id}`, { accept: 'text/html' })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(page.body).toContain('<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;</title>')
    expect(page.body).not.toMatch(/<script|src=|href=|url\(|@import/)
  })

  it('generated_by is null after the user is removed', async () => {
    const member = await addPerson(server, tenant.id)
    const { id } = await create({}, member)
    expect((await tenant.owner.api.delete(`/users/${member.id}`)).status).toBe(204)
    expect((await tenant.owner.api.get(`/reports/${id}`)).body.generated_by).toBeNull()
  })
})

describe('DELETE /reports/{report_id}', () => {
  it('204 removes it from the list and keeps it; a second call changes nothing', async () => {
    const { id } = await create({})
    for (let time = 0; time < 2; time++) expect((await tenant.owner.api.delete(`/reports/${id}`)).status).toBe(204)
    expect((await tenant.owner.api.get('/reports')).body).toEqual({ data: [], total: 0, limit: 50, offset: 0 })
    expect((await tenant.owner.api.get(`/reports/${id}`)).body).toMatchObject({ id, deleted_at: expect.any(String) })
    const events = (await auditEntries(server, tenant.id)).map((entry) => entry.event_type)
    expect(events).toEqual(['report.created', 'report.deleted'])
  })

  it('for managers and above, and its creator: 403 for another member, 404 for a user who does not see it', async () => {
    const [maker, other] = [await addPerson(server, tenant.id), await addPerson(server, tenant.id)]
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const blind = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const [first, second] = [await create({}, maker), await create({}, maker)]
    expect((await other.api.delete(`/reports/${first.id}`)).status).toBe(403)
    expect((await blind.api.delete(`/reports/${first.id}`)).status).toBe(404)
    expect((await maker.api.delete(`/reports/${first.id}`)).status).toBe(204)
    expect((await manager.api.delete(`/reports/${second.id}`)).status).toBe(204)
  })
})
