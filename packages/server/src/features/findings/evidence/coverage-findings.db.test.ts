import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { sweepStaleEvidence } from './sweep-stale-evidence.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['findings'])
let tenant: TestTenant
let edge: ApiClient
let agentId: string

beforeEach(async () => {
  tenant = await createTenant(server)
  edge = await addEdge(server, tenant.id, tenant.development)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
})

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const attest = (mode: string, by = edge, agent_id = agentId) =>
  by.post('/edge/attestations', { agent_id, mode, tools: ['t'], mediation_points: ['p'], edge_version: '1' })

interface Window {
  seen?: number
  mediated?: number
  unmediated?: number
  endsAgo?: number
}
const report = ({ seen = 4, mediated = seen, unmediated = 0, endsAgo = 1 }: Window = {}, agent_id = agentId) =>
  edge.post('/edge/execution-stats', {
    agent_id,
    window_start: minutesAgo(endsAgo + 5),
    window_end: minutesAgo(endsAgo),
    actions_seen: seen,
    actions_mediated: mediated,
    unmediated_seen: unmediated,
  })

/** Makes the stored evidence older, directly in the database. */
const age = (minutes: number) =>
  server.owner.query(
    `with v as (update agent_evidence set attested_at = attested_at - $2 * interval '1 minute',
       window_start = window_start - $2 * interval '1 minute', window_end = window_end - $2 * interval '1 minute'
       where agent_id = $1)
     update execution_stats set window_start = window_start - $2 * interval '1 minute',
       window_end = window_end - $2 * interval '1 minute' where agent_id = $1`,
    [agentId, minutes],
  )

const findings = async (query = '', id = agentId) =>
  (await tenant.owner.api.get(`/findings?agent_id=${id}&${query}`)).body.data
const open = async (id = agentId) =>
  (await findings('status=open', id)).map(({ type }: { type: string }) => type).toSorted()
const coverage = async () => (await tenant.owner.api.get(`/agents/${agentId}/execution-coverage`)).body
const entries = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type.startsWith('finding.'))
const sweep = () => sweepStaleEvidence(server.services)

describe('coverage_gap', () => {
  it('opens if the runtime claims less than full mediation, and closes when it claims full mediation', async () => {
    const { body } = await attest('partial')
    const [finding] = await findings()
    expect(finding).toEqual({
      id: expect.any(String),
      agent_id: agentId,
      type: 'coverage_gap',
      severity: 'medium',
      status: 'open',
      evidence: { attested: { mode: 'partial', attested_at: body.attested_at } },
      remediation: expect.stringMatching(/mediation points: its MCP gateway, and functions guarded by the SDK/),
      opened_at: body.attested_at,
      closed_at: null,
    })
    expect(await coverage()).toMatchObject({ state: 'partial', findings: [finding] })
    const closing = await attest('full')
    expect(await findings()).toEqual([{ ...finding, status: 'closed', closed_at: closing.body.attested_at }])
    expect(await coverage()).toMatchObject({ state: 'claimed', findings: [] })
    const [opened, closed] = await entries()
    expect(opened).toMatchObject({
      event_type: 'finding.opened',
      source: 'edge',
      actor_type: 'edge',
      agent_id: agentId,
    })
    expect(closed).toMatchObject({ event_type: 'finding.closed', resource_id: finding.id, agent_id: agentId })
    expect(opened.details).toEqual({ type: 'coverage_gap', ...finding.evidence })
  })

  it.each([
    ['an unmediated action', { unmediated: 1 }],
    ['fewer mediated than seen actions', { mediated: 3 }],
  ])('opens on %s, and closes with a later window that is mediated whole', async (_, window) => {
    await attest('full')
    await report({ ...window, endsAgo: 3 })
    expect(await findings('status=open')).toMatchObject([{ type: 'coverage_gap', evidence: { observed: {} } }])
    await attest('full')
    expect(await open()).toEqual(['coverage_gap'])
    await report()
    expect(await open()).toEqual([])
    expect((await coverage()).state).toBe('covered')
  })

  it('stays open while the attestation or the stats show it, and its evidence is the one that does', async () => {
    await attest('none')
    await report({ unmediated: 2, endsAgo: 3 })
    await attest('full')
    const [finding] = await findings()
    expect(Object.keys(finding.evidence)).toEqual(['observed'])
    expect(finding.evidence.observed).toMatchObject({ actions_seen: 4, unmediated_seen: 2 })
    await report()
    expect(await findings()).toMatchObject([{ id: finding.id, status: 'closed' }])
    expect(await entries()).toHaveLength(2)
  })

  it('a window without actions neither opens nor closes a finding', async () => {
    await report({ seen: 0, endsAgo: 4 })
    expect(await findings()).toEqual([])
    await report({ unmediated: 1, endsAgo: 3 })
    await report({ seen: 0, endsAgo: 1 })
    expect(await open()).toEqual(['coverage_gap'])
  })

  it('stale evidence closes no finding, and an older window does not replace the latest', async () => {
    await report({ unmediated: 1, endsAgo: 40 })
    await report({ endsAgo: 30 })
    expect(await open()).toEqual(['coverage_gap'])
    await report({ endsAgo: 1 })
    expect(await open()).toEqual([])
    await report({ unmediated: 9, endsAgo: 20 })
    expect(await open()).toEqual([])
  })

  it('has high severity in production', async () => {
    const id = await addAgent(server, tenant.id, { environmentId: tenant.production })
    await attest('partial', await addEdge(server, tenant.id, tenant.production), id)
    expect(await findings('', id)).toMatchObject([{ severity: 'high' }])
  })

  it('a refused report opens no finding', async () => {
    expect((await report({ unmediated: 1, endsAgo: -60 })).status).toBe(400)
    const elsewhere = await addAgent(server, tenant.id, { environmentId: tenant.production })
    expect((await attest('none', edge, elsewhere)).status).toBe(404)
    expect(await entries()).toEqual([])
  })
})

describe('evidence_stale', () => {
  it('opens by the job if an agent’s newest evidence is older than 15 minutes, and closes with fresh evidence', async () => {
    const { body } = await attest('full')
    await age(14)
    await sweep()
    expect(await findings()).toEqual([])
    await age(2)
    await sweep()
    const [finding] = await findings()
    const newest_at = new Date(Date.parse(body.attested_at) - 16 * 60_000).toISOString()
    expect(finding).toMatchObject({
      type: 'evidence_stale',
      severity: 'low',
      status: 'open',
      evidence: { newest_at, attested: { mode: 'full' }, observed: null },
      closed_at: null,
    })
    expect(await coverage()).toMatchObject({ state: 'stale', findings: [finding] })
    await report()
    expect(await findings()).toMatchObject([{ id: finding.id, status: 'closed' }])
    expect(await entries()).toMatchObject([
      { event_type: 'finding.opened', actor_type: 'system', source: 'control_plane', agent_id: agentId },
      { event_type: 'finding.closed', actor_type: 'edge', source: 'edge', agent_id: agentId },
    ])
  })

  it('a late report of an old window does not close it', async () => {
    await report({ endsAgo: 30 })
    await sweep()
    expect(await open()).toEqual(['evidence_stale'])
    await report({ endsAgo: 20 })
    expect(await open()).toEqual(['evidence_stale'])
  })

  it('does not open for an agent that never had evidence', async () => {
    await sweep()
    expect(await findings()).toEqual([])
  })

  it('does not close a coverage gap: the gap stays open when its evidence becomes stale', async () => {
    await report({ unmediated: 1, endsAgo: 1 })
    await age(20)
    await sweep()
    expect(await open()).toEqual(['coverage_gap', 'evidence_stale'])
    await report()
    expect(await open()).toEqual([])
  })

  it('concurrent sweeps and reports open one finding, and none for fresh evidence', async () => {
    const others = await Promise.all(
      Array.from({ length: 12 }, () => addAgent(server, tenant.id, { environmentId: tenant.development })),
    )
    for (const id of others) await report({ endsAgo: 30 }, id)
    await report({ endsAgo: 30 })
    const raised = await Promise.all([sweep(), sweep(), sweep(), ...others.map((id) => report({}, id).then(() => 0))])
    expect(await findings()).toHaveLength(1)
    const all = (await tenant.owner.api.get('/findings?status=open')).body.data
    expect(all.map(({ agent_id }: { agent_id: string }) => agent_id)).toEqual([agentId])
    const opened = (await entries()).filter(({ event_type }) => event_type === 'finding.opened')
    expect(raised.reduce((sum, n) => sum + n, 0)).toBe(opened.length)
  })

  it('opens once for every stale agent, in all tenants and on all pages of agents', async () => {
    const other = await createTenant(server)
    const theirs = await addAgent(server, other.id, { environmentId: other.development })
    const from = (tenantId: string, id: string) =>
      server.owner.query(
        `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
         values ($1, $2, 'full', '{}', '{}', '1', $3)`,
        [tenantId, id, minutesAgo(60)],
      )
    await from(other.id, theirs)
    await server.owner.query(
      `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id,
         created_at, updated_at)
       select $1, gen_random_uuid(), 'many', 'active', 'runtime', 'governed', 'approved', $2, now(), now()
       from generate_series(1, 1100)`,
      [tenant.id, tenant.development],
    )
    const { rows } = await server.owner.query('select id from agents where tenant_id = $1 order by id', [tenant.id])
    const chosen = [0, 499, 500, 501, 1099, 1100].map((place) => rows[place].id)
    for (const id of chosen) await from(tenant.id, id)
    expect([await sweep(), await sweep()]).toEqual([7, 0])
    const found = (await tenant.owner.api.get('/findings?type=evidence_stale')).body.data
    expect(found.map(({ agent_id }: { agent_id: string }) => agent_id).toSorted()).toEqual(chosen)
    expect((await other.owner.api.get('/findings')).body.data).toMatchObject([{ agent_id: theirs }])
  })
})

describe('coverage findings', () => {
  it.each([
    ['archived', () => tenant.owner.api.delete(`/agents/${agentId}`)],
    ['suppressed', () => tenant.owner.api.post(`/agents/${agentId}/suppress`)],
  ])('close with the agent %s, and open no more', async (_, leave) => {
    await report({ unmediated: 1 })
    await age(20)
    await sweep()
    expect(await open()).toHaveLength(2)
    expect((await leave()).status).toBe(204)
    expect(await open()).toEqual([])
    const closed = (await entries()).filter(({ event_type }) => event_type === 'finding.closed')
    expect(closed.map(({ actor_user_id, source }) => [actor_user_id, source])).toEqual(
      Array(2).fill([tenant.owner.id, 'control_plane']),
    )
    await attest('none')
    await age(20)
    await sweep()
    expect(await open()).toEqual([])
  })

  it('are opened again for a suppressed agent that becomes governed', async () => {
    const { id: policy_id } = await addPolicy(server, tenant.id)
    await attest('none')
    await tenant.owner.api.post(`/agents/${agentId}/suppress`)
    await tenant.owner.api.post(`/agents/${agentId}/assign-policy`, { policy_id })
    expect(await open()).toEqual([])
    await attest('none')
    expect(await open()).toEqual(['coverage_gap'])
  })

  it('are shown with their entries to callers who see the agent; a bound key sees those of its environment’s agents', async () => {
    await attest('none')
    const inProduction = await addAgent(server, tenant.id, { environmentId: tenant.production })
    for (const [environmentId, id] of [
      [tenant.development, agentId],
      [tenant.production, inProduction],
    ] as const) {
      await attest('none', await addEdge(server, tenant.id, environmentId), id)
      await tenant.owner.api.post(`/agents/${id}/reviews`, { kind: 'attestation' })
      const { api } = await addKey(server, tenant.id, tenant.owner, { environmentId })
      for (const path of ['/findings', '/reviews']) {
        expect((await api.get(path)).body).toMatchObject({ total: 1, data: [{ agent_id: id }] })
      }
      const { data } = (await api.get('/audit?event_type=finding.opened')).body
      expect(data).toMatchObject([{ agent_id: id }])
    }
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const seenBy = async ({ api }: { api: ApiClient }) => [
      (await api.get('/findings')).body.total,
      (await api.get('/audit?event_type=finding.opened')).body.data.length,
    ]
    expect(await seenBy(viewer)).toEqual([2, 2])
    expect(await seenBy(scoped)).toEqual([0, 0])
  })

  it('match the last of several concurrent reports, with at most one open finding per type', async () => {
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        Array.from({ length: 8 }, (_, n) => {
          const isWhole = (n + round) % 3 > 0
          return n % 2 ? attest(isWhole ? 'full' : 'partial') : report({ unmediated: isWhole ? 0 : 1, endsAgo: n / 8 })
        }),
      )
      const { attested, observed } = await coverage()
      const isGap = attested.mode !== 'full' || observed.unmediated_seen > 0
      expect(await open()).toEqual(isGap ? ['coverage_gap'] : [])
    }
  })

  it('are open exactly if the evidence shows them, for any reports in any order', async () => {
    const event = fc.oneof(
      fc.record({ attest: fc.constantFrom('full', 'partial', 'none') }),
      fc.record({
        seen: fc.constantFrom(0, 4),
        short: fc.constantFrom(0, 1),
        unmediated: fc.constantFrom(0, 0, 2),
        endsAgo: fc.constantFrom(1, 3, 20, 40),
      }),
      fc.constant('sweep' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 8 }), async (events) => {
        agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
        const model = { claim: null as string | null, windows: [] as (Window & { order: number })[] }
        let expected: string[] = []
        for (const [order, one] of events.entries()) {
          if (one === 'sweep') await sweep()
          else if ('attest' in one) {
            model.claim = one.attest
            await attest(one.attest)
          } else {
            const window = { ...one, mediated: Math.max(one.seen - one.short, 0) }
            // Each report has its own time, so that the order of reports with equal windows is known.
            model.windows.push({ ...window, order })
            await report(window)
          }
          expected = modelled(expected, model, one === 'sweep')
          expect(await open()).toEqual(expected)
        }
      }),
      { numRuns: 25 },
    )
  })
})

/** Computes which findings must be open after one more event. */
function modelled(
  before: string[],
  { claim, windows }: { claim: string | null; windows: (Window & { order: number })[] },
  isSweep: boolean,
): string[] {
  const byEnd = windows.toSorted((a, b) => (a.endsAgo ?? 0) - (b.endsAgo ?? 0) || b.order - a.order)
  const shows = (window: Window) => (window.seen ?? 0) + (window.unmediated ?? 0) > 0
  const [latest, shown] = [byEnd[0], byEnd.find(shows)]
  const isUnmediated =
    (claim !== null && claim !== 'full') ||
    (shown !== undefined && ((shown.unmediated ?? 0) > 0 || (shown.mediated ?? 0) < (shown.seen ?? 0)))
  const hasEvidence = claim !== null || (latest !== undefined && shows(latest))
  const isRecent = claim !== null || (latest !== undefined && (latest.endsAgo ?? 0) < 15)
  const isStale = hasEvidence && !isRecent
  const hadGap = before.includes('coverage_gap')
  const hadStale = before.includes('evidence_stale')
  const gap = isSweep ? hadGap : isUnmediated || (hadGap && !(hasEvidence && isRecent))
  const stale = isSweep ? hadStale || isStale : hadStale && isStale
  return [...(gap ? ['coverage_gap'] : []), ...(stale ? ['evidence_stale'] : [])]
}
