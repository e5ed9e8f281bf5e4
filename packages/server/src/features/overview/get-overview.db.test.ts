import { randomUUID } from 'node:crypto'
import { executionCoverageStates, governanceStates, lifecycleStatuses } from '@mandate/contract/agents'
import { findingTypes } from '@mandate/contract/words/agent-words'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeCtx } from '../../caller/ctx.ts'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { openDecisionGap } from '../findings/decisions/decision-gap.ts'

const server = useTestServer()
const query = async (text: string, values: unknown[]) => (await server.owner.query(text, values)).rows

const overview = async (api: ApiClient) => {
  const { status, body } = await api.get('/overview')
  expect(status).toBe(200)
  return body
}

/** Evidence that an agent can have: what it shows, how old it is in minutes, and whether a coverage gap is open. */
const evidences = [
  { mode: 'full', seen: 5, mediated: 5, age: 1, gap: false },
  { mode: 'full', seen: 5, mediated: 5, age: 1, gap: true },
  { mode: 'full', seen: 5, mediated: 5, age: 60, gap: false },
  { mode: 'full', seen: 5, mediated: 5, age: 60, gap: true },
  { mode: 'full', seen: null, mediated: null, age: 2, gap: false },
  { mode: null, seen: 4, mediated: 4, age: 3, gap: false },
  { mode: 'partial', seen: 4, mediated: 4, age: 3, gap: true },
  { mode: 'full', seen: 4, mediated: 2, age: 3, gap: false },
  { mode: null, seen: 0, mediated: 0, age: 3, gap: true },
] as const

async function addEvidence(
  tenant: TestTenant,
  agentId: string,
  { mode, seen, mediated, age, gap }: (typeof evidences)[number],
) {
  const at = new Date(Date.now() - age * 60_000).toISOString()
  await query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at, window_start,
       window_end, actions_seen, actions_mediated, unmediated_seen, reported_at, environment_id, has_gap)
     values ($1, $2, $3::text, case when $3::text is not null then '{}'::text[] end,
       case when $3::text is not null then '{}'::text[] end, case when $3::text is not null then '1' end,
       case when $3::text is not null then $4::timestamptz end,
       case when $5::int is not null then $4::timestamptz - interval '1 minute' end,
       case when $5::int is not null then $4::timestamptz end, $5, $6, case when $5::int is not null then 0 end,
       case when $5::int is not null then $4::timestamptz end,
       (select environment_id from agents where tenant_id = $1 and id = $2), $7)`,
    [tenant.id, agentId, mode, at, seen, mediated, gap],
  )
  await query('update agents set has_evidence = true where tenant_id = $1 and id = $2', [tenant.id, agentId])
  if (gap) await addFinding(tenant, agentId, 'coverage_gap')
}

async function addFinding(tenant: TestTenant, agentId: string, type: string): Promise<string> {
  const id = newId()
  await query(
    `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, $2, $3, (select environment_id from agents where tenant_id = $1 and id = $3), $4, 'high', 'open', '{}', '', now())`,
    [tenant.id, id, agentId, type],
  )
  return id
}

async function setRunning(
  tenant: TestTenant,
  agentId: string,
  { runs, approved }: { runs: string | null; approved: string | null },
) {
  const policy = randomUUID()
  await query(
    `insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_version, running_hash, reported_at)
     values ($1, $2, now(), $3, 1, $4, now())`,
    [tenant.id, agentId, runs && policy, runs],
  )
  await query(
    `update agents set approved_policy_id = $3, approved_version = 1, approved_hash = $4, drift_state = $5 where tenant_id = $1 and id = $2`,
    [tenant.id, agentId, approved && policy, approved, runs && approved ? String(runs !== approved) : 'unknown'],
  )
  if (runs && approved && runs !== approved) await addFinding(tenant, agentId, 'policy_drift_unapproved')
}

/** Adds agents with every combination of evidence, and with several states, to both environments. */
async function fill(tenant: TestTenant): Promise<string[]> {
  const agents: string[] = []
  for (const environmentId of [tenant.production, tenant.development]) {
    for (const [n, evidence] of evidences.entries()) {
      const id = await addAgent(server, tenant.id, {
        environmentId,
        governanceState: governanceStates[n % 3]!,
        lifecycleStatus: lifecycleStatuses[n % 4]!,
      })
      await addEvidence(tenant, id, evidence)
      const hash = n % 2 === 0 ? 'a' : 'b'
      if (n < 6) await setRunning(tenant, id, { runs: n === 5 ? null : 'a', approved: n === 4 ? null : hash })
      agents.push(id)
    }
    agents.push(await addAgent(server, tenant.id, { environmentId }))
  }
  await addFinding(tenant, agents[3]!, 'unapproved_running')
  return agents
}

/** Counts the agents of the caller's lists, which is what the overview must show. */
async function countByList(api: ApiClient) {
  const agents = []
  for (const state of governanceStates) {
    agents.push(...(await api.get(`/agents?page_size=200&governance_state=${state}`)).body.data)
  }
  const live = agents.filter(({ status }) => status !== 'archived')
  const by = (field: string, values: readonly string[]) =>
    Object.fromEntries(values.map((value) => [value, live.filter((agent) => agent[field] === value).length]))
  return {
    total: live.length,
    by_governance_state: by('governance_state', governanceStates),
    by_lifecycle_status: by('lifecycle_status', lifecycleStatuses),
    by_execution_coverage_state: by('execution_coverage_state', executionCoverageStates),
    drifting: live.filter(({ drift }) => drift === true).length,
    unknown_drift: live.filter(({ drift }) => drift === null).length,
    discovered: live.filter(({ governance_state }) => governance_state === 'discovered').length,
  }
}

describe('GET /overview', () => {
  let tenant: TestTenant
  let agents: string[]

  beforeAll(async () => {
    tenant = await createTenant(server)
    agents = await fill(tenant)
    // An agent of a connected platform has no environment.
    await addAgent(server, tenant.id, { source: 'github', governanceState: 'discovered', lifecycleStatus: 'proposed' })
    for (const at of [0, 1, 2, 19]) expect((await tenant.owner.api.delete(`/agents/${agents[at]}`)).status).toBe(204)
  })

  it('200 with zeros for an empty organization', async () => {
    const { owner } = await createTenant(server)
    const zeros = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 0]))
    expect(await overview(owner.api)).toEqual({
      needs_me: { approvals: 0, reviews: 0 },
      findings: zeros(findingTypes),
      findings_total: 0,
      freezes: [],
      agents: {
        total: 0,
        by_governance_state: zeros(governanceStates),
        by_lifecycle_status: zeros(lifecycleStatuses),
        by_execution_coverage_state: zeros(executionCoverageStates),
        drifting: 0,
        unapproved_running: 0,
        unknown_drift: 0,
        discovered: 0,
      },
      edges: { total: 0, silent: 0, instances: 0, instances_silent: 0 },
      decisions_24h: { allow: 0, deny: 0, require_approval: 0 },
      stop_reach: null,
      audit: { sealed_through: null, entries: 0 },
      as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
  })

  it('counts agents as their lists show them, without archived agents', async () => {
    const counted = (await overview(tenant.owner.api)).agents
    expect(counted).toMatchObject(await countByList(tenant.owner.api))
    expect(counted.unapproved_running).toBe(1)
    expect(counted.drifting).toBeGreaterThan(0)
    for (const state of executionCoverageStates)
      expect(counted.by_execution_coverage_state[state], state).toBeGreaterThan(0)
  })

  it('counts for a key that is bound to an environment only that environment', async () => {
    for (const environmentId of [tenant.production, tenant.development]) {
      const { api } = await addKey(server, tenant.id, tenant.owner, { environmentId })
      expect((await overview(api)).agents).toMatchObject(await countByList(api))
    }
  })

  it('counts for a scoped user, and for their bound key, only granted agents', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    for (const agent of agents.slice(0, 14)) await grantAgent(server, tenant.id, scoped.id, agent)
    const counted = await overview(scoped.api)
    expect(counted.agents).toMatchObject(await countByList(scoped.api))
    expect(counted.agents.total).toBe(11)
    const { api } = await addKey(server, tenant.id, scoped, { environmentId: tenant.development })
    expect((await overview(api)).agents).toMatchObject(await countByList(api))
    expect((await overview(api)).agents.total).toBe(4)
  })

  it('a scoped user without a grant gets zeros, and a grant counts from the next request', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const before = await overview(scoped.api)
    expect([before.agents.total, before.findings_total, before.edges.total]).toEqual([0, 0, 0])
    await grantAgent(server, tenant.id, scoped.id, agents[4]!)
    expect((await overview(scoped.api)).agents.total).toBe(1)
    await query('delete from agent_grants where tenant_id = $1 and user_id = $2', [tenant.id, scoped.id])
    expect((await overview(scoped.api)).agents.total).toBe(0)
  })

  it('counts edges of the environments that the caller sees', async () => {
    const other = await createTenant(server)
    await addEdge(server, other.id, other.production)
    await addEdge(server, other.id, other.development)
    await query(
      `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at)
       select tenant_id, id, 'i', 1, now() - interval '1 day' from edges where tenant_id = $1 and environment_id = $2`,
      [other.id, other.production],
    )
    await query(
      `update edges set last_heartbeat_at = now() - interval '1 day' where tenant_id = $1 and environment_id = $2`,
      [other.id, other.production],
    )
    const scoped = await addPerson(server, other.id, { accessScope: 'scoped' })
    await giveEnvironment(server, other.id, scoped.id, other.production)
    const bound = await addKey(server, other.id, other.owner, { environmentId: other.development })
    expect((await overview(other.owner.api)).edges).toEqual({ total: 2, silent: 1, instances: 0, instances_silent: 0 })
    expect((await overview(scoped.api)).edges).toMatchObject({ total: 1, silent: 1 })
    expect((await overview(bound.api)).edges).toMatchObject({ total: 1, silent: 0 })
  })

  it('counts the decisions of the last 24 hours by effect, about agents that the caller sees', async () => {
    const other = await createTenant(server)
    const edge = await addEdge(server, other.id, other.production)
    const agent_id = await addAgent(server, other.id, { environmentId: other.production })
    const call = { agent_id, tool: 'mcp:a/b', mode: 'enforce', policy_version: 1, args_digest: 'a'.repeat(64) }
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60_000).toISOString()
    const decisions = [
      { effect: 'allow', at: hoursAgo(0) },
      { effect: 'allow', at: hoursAgo(20) },
      { effect: 'deny', at: hoursAgo(1) },
      { effect: 'require_approval', at: hoursAgo(48) },
    ].map((one) => ({ decision_id: randomUUID(), ...call, ...one }))
    expect((await edge.post('/edge/decisions', { decisions })).status).toBe(202)
    const bound = await addKey(server, other.id, other.owner, { environmentId: other.development })
    const scoped = await addPerson(server, other.id, { accessScope: 'scoped' })
    const none = { allow: 0, deny: 0, require_approval: 0 }
    expect((await overview(other.owner.api)).decisions_24h).toEqual({ allow: 2, deny: 1, require_approval: 0 })
    expect((await overview(bound.api)).decisions_24h).toEqual(none)
    expect((await overview(scoped.api)).decisions_24h).toEqual(none)
    await grantAgent(server, other.id, scoped.id, agent_id)
    expect((await overview(scoped.api)).decisions_24h).toEqual({ allow: 2, deny: 1, require_approval: 0 })
  })

  it('counts the open findings that the list of findings shows, without those of archived agents', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    for (const agent of agents.slice(3, 8)) await grantAgent(server, tenant.id, scoped.id, agent)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const text = `select id from agents where tenant_id = $1 and status = 'archived'`
    const archived = new Set((await query(text, [tenant.id])).map(({ id }) => id))
    for (const { api } of [tenant.owner, scoped, bound]) {
      const { findings, findings_total } = await overview(api)
      const { data, total }: { data: { type: string; agent_id: string }[]; total: number } = (
        await api.get('/findings?status=open&limit=200')
      ).body
      expect(data).toHaveLength(total)
      const live = data.filter(({ agent_id }) => !archived.has(agent_id))
      for (const type of findingTypes) expect(findings[type]).toBe(live.filter((one) => one.type === type).length)
      expect(findings_total).toBe(live.length)
      expect(findings_total).toBeGreaterThan(0)
    }
  })
})

describe('findings of archived agents', () => {
  it('are not counted, whether they were open before or opened later', async () => {
    const tenant = await createTenant(server)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const [kept, archived] = [
      await addAgent(server, tenant.id, { environmentId: tenant.production }),
      await addAgent(server, tenant.id, { environmentId: tenant.production }),
    ]
    for (const agent of [kept, archived]) {
      await grantAgent(server, tenant.id, scoped.id, agent)
      await addFinding(tenant, agent, 'policy_drift_unapproved')
    }
    expect((await tenant.owner.api.delete(`/agents/${archived}`)).status).toBe(204)
    const gap = { edge_id: null, kid: 'k', from: 1, to: 1 }
    const by = makeCtx(server.services, null, { id: 'gap', ip: '', userAgent: '' })
    await server.services.db.transaction(tenant.id, (tx) =>
      openDecisionGap(tx, { ...by, actor: { kind: 'system', tenantId: tenant.id } }, archived, gap),
    )
    expect((await tenant.owner.api.get('/findings?status=open')).body.total).toBe(3)
    for (const { api } of [tenant.owner, scoped, bound]) {
      const { findings, findings_total } = await overview(api)
      expect(findings).toMatchObject({ policy_drift_unapproved: 1, decision_gap: 0 })
      expect(findings_total).toBe(1)
    }
  })
})

describe('what the caller of GET /overview could decide', () => {
  it('counts pending approvals and reviews by role, owner, requester and scope', async () => {
    const tenant = await createTenant(server)
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const other = await addPerson(server, tenant.id, { role: 'manager' })
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const agent = await addAgent(server, tenant.id, { environmentId: tenant.development, ownerUserId: manager.id })
    const addApproval = (role: string, expires = '1 hour') =>
      query(
        `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
           reason, request_hash, status, assigned_role, requested_at, expires_at, last_resort_user_id)
         values ($1, $2, $3, $4, 'mcp:a/b', '', $5, 1, '', '', '', 'pending', $6, now(), now() + $7::interval, $8)`,
        [tenant.id, newId(), agent, tenant.development, randomUUID(), role, expires, manager.id],
      )
    await addApproval('manager')
    await addApproval('owner')
    await addApproval('manager', '-1 minute')
    await query(
      `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at)
       values ($1, $2, $3, $4, 'change', 'pending', 'manager', $5, now())`,
      [tenant.id, newId(), agent, tenant.development, other.id],
    )
    const mine = async (api: ApiClient) => {
      const { approvals, reviews } = (await overview(api)).needs_me
      return [approvals, reviews]
    }
    expect(await mine(tenant.owner.api)).toEqual([2, 1])
    expect(await mine(manager.api)).toEqual([0, 1])
    expect(await mine(other.api)).toEqual([1, 0])
    expect(await mine(scoped.api)).toEqual([0, 0])
    await grantAgent(server, tenant.id, scoped.id, agent)
    expect(await mine(scoped.api)).toEqual([1, 1])
    expect(await mine((await addPerson(server, tenant.id, { role: 'member' })).api)).toEqual([0, 0])
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect(await mine(bound.api)).toEqual([1, 1])
    const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    expect(await mine(elsewhere.api)).toEqual([0, 0])
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    expect(await mine(readOnly.api)).toEqual([0, 0])
  })
})

describe('who gets what of GET /overview', () => {
  it('shows the audit trail only to callers who may verify it, although they share the counts', async () => {
    const tenant = await createTenant(server)
    const member = await addPerson(server, tenant.id, { role: 'member' })
    expect(await overview(tenant.owner.api)).toHaveProperty('audit')
    expect(await overview(member.api)).not.toHaveProperty('audit')
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['overview:read'] })
    expect(await overview(key.api)).not.toHaveProperty('audit')
    const auditor = await addKey(server, tenant.id, tenant.owner, { scopes: ['overview:read', 'audit:read'] })
    expect(await overview(auditor.api)).toHaveProperty('audit')
  })

  it('says through which time the audit trail is sealed', async () => {
    const tenant = await createTenant(server)
    expect((await tenant.owner.api.post('/environments', { name: 'Staging', slug: 'staging' })).status).toBe(201)
    await tenant.owner.api.get('/audit/verify')
    const [{ created_at }] = (await tenant.owner.api.get('/audit')).body.data
    expect((await overview(tenant.owner.api)).audit).toEqual({ sealed_through: created_at, entries: 1 })
  })

  it('403 for a key without the scope and for a learner', async () => {
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:read'] })
    expect((await key.api.get('/overview')).status).toBe(403)
    const learner = await addPerson(server, tenant.id, { academyOnly: true })
    const { status, body } = await learner.api.get('/overview')
    expect([status, body.code]).toEqual([403, 'academy_only_account'])
  })
})

describe('the copies in the evidence of an agent', () => {
  it('follow the agent and its finding, so that the counts by execution coverage are right', async () => {
    const tenant = await createTenant(server)
    const edge = await addEdge(server, tenant.id, tenant.development)
    const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const attest = async (mode: string) => {
      const claim = { agent_id: id, mode, tools: [], mediation_points: [], edge_version: '1' }
      expect((await edge.post('/edge/attestations', claim)).status).toBe(201)
    }
    const copies = async () => {
      const text =
        'select environment_id, is_archived, has_gap from agent_evidence where tenant_id = $1 and agent_id = $2'
      return (await query(text, [tenant.id, id]))[0]
    }
    await attest('partial')
    expect(await copies()).toEqual({ environment_id: tenant.development, is_archived: false, has_gap: true })
    await attest('full')
    expect(await copies()).toMatchObject({ has_gap: false })
    await attest('none')
    expect(await copies()).toMatchObject({ has_gap: true })
    expect((await tenant.owner.api.delete(`/agents/${id}`)).status).toBe(204)
    expect(await copies()).toEqual({ environment_id: tenant.development, is_archived: true, has_gap: false })
    const later = await addAgent(server, tenant.id, { environmentId: tenant.development, status: 'archived' })
    await edge.post('/edge/attestations', {
      agent_id: later,
      mode: 'full',
      tools: [],
      mediation_points: [],
      edge_version: '1',
    })
    expect((await overview(tenant.owner.api)).agents.by_execution_coverage_state.claimed).toBe(0)
  })
})
