import { ExecutionCoverage, executionCoverageStates } from '@mandate/contract/agents'
import type { Attestation } from '@mandate/contract/edge'
import { describe, expect, it, vi } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import { addAgent, createTenant } from '../../../testing/arrange.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'
import { storeAttestation, storeStats } from '../../edge/reach/evidence-queries.ts'

const server = useTestServer()
const tenant = useTenant(server)

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

interface Evidence {
  attested?: { mode?: string; minutes?: number }
  observed?: { seen?: number; mediated?: number; unmediated?: number; minutes?: number }
  finding?: string
  closed?: boolean
}

async function agentWith({ attested, observed, finding, closed }: Evidence): Promise<string> {
  const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  if (attested) {
    const claim = {
      mode: attested.mode ?? 'full',
      tools: ['mcp:files/read'],
      mediation_points: ['gateway'],
    } as Attestation
    await server.services.db.transaction(tenant.id, (tx) =>
      storeAttestation(tx, { ...claim, agent_id: id, edge_version: '1.2.0' }, minutesAgo(attested.minutes ?? 1)),
    )
  }
  if (observed) await addStats(id, observed)
  if (finding) await addFinding(id, finding, closed)
  return id
}

function addStats(id: string, { seen = 10, mediated = 10, unmediated = 0, minutes = 1 }) {
  const [window_start, window_end] = [minutesAgo(minutes + 5), minutesAgo(minutes)]
  const counts = { actions_seen: seen, actions_mediated: mediated, unmediated_seen: unmediated }
  return server.services.db.transaction(tenant.id, (tx) =>
    storeStats(tx, { agent_id: id, window_start, window_end, ...counts }, window_end),
  )
}

async function addFinding(agentId: string, type: string, closed = false) {
  const id = newId()
  await server.owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at, closed_at)
     values ($1, $2, $3, $4, 'high', $5, '{"tools":["x"]}', 'route "it" through the edge', $6, $7)`,
    [tenant.id, id, agentId, type, closed ? 'closed' : 'open', minutesAgo(3), closed ? minutesAgo(2) : null],
  )
  return id
}

const coverageOf = async (id: string) => (await tenant.owner.api.get(`/agents/${id}/execution-coverage`)).body

describe('the state of execution coverage', () => {
  it.each<[string, string, Evidence]>([
    ['unknown', 'neither axis has evidence', {}],
    ['unknown', 'a window in which nothing was seen is no evidence', { observed: { seen: 0, mediated: 0 } }],
    ['unknown', 'an open finding is no evidence', { finding: 'coverage_gap' }],
    ['claimed', 'attested, nothing observed', { attested: {} }],
    ['claimed', 'attested, and a window without actions', { attested: {}, observed: { seen: 0, mediated: 0 } }],
    ['observed', 'seen, not attested', { observed: {} }],
    ['covered', 'both, all mediated, fresh, no open coverage finding', { attested: {}, observed: {} }],
    ['covered', 'a closed coverage finding', { attested: {}, observed: {}, finding: 'coverage_gap', closed: true }],
    ['covered', 'an open finding of drift', { attested: {}, observed: {}, finding: 'policy_drift_unapproved' }],
    ['covered', 'the newest evidence alone is fresh', { attested: { minutes: 600 }, observed: { minutes: 14 } }],
    ['partial', 'the runtime says that it mediates part', { attested: { mode: 'partial' } }],
    ['partial', 'the runtime says that it mediates nothing', { attested: { mode: 'none' }, observed: {} }],
    ['partial', 'unmediated actions were seen', { attested: {}, observed: { unmediated: 1 } }],
    ['partial', 'unmediated actions were seen, not attested', { observed: { unmediated: 1 } }],
    ['partial', 'fewer mediated than seen', { attested: {}, observed: { mediated: 9 } }],
    ['partial', 'an open coverage finding', { attested: {}, observed: {}, finding: 'coverage_gap' }],
    ['stale', 'newest evidence older than 15 minutes', { attested: { minutes: 16 }, observed: { minutes: 17 } }],
    ['stale', 'old attestation alone', { attested: { minutes: 16 } }],
    ['stale', 'old window alone, whatever it shows', { observed: { minutes: 16, unmediated: 3 } }],
  ])('%s: %s', async (state, _, evidence) => {
    const id = await agentWith(evidence)
    expect((await coverageOf(id)).state).toBe(state)
  })

  it('uses the execution stats of the window that ended last', async () => {
    const id = await agentWith({ attested: {}, observed: { minutes: 2 } })
    await addStats(id, { unmediated: 4, minutes: 12 })
    expect((await coverageOf(id)).state).toBe('covered')
    await addStats(id, { unmediated: 4, minutes: 1 })
    expect((await coverageOf(id)).state).toBe('partial')
  })

  it('is the same in the list’s filter, the list item, the agent and the endpoint', async () => {
    const ids = [
      await agentWith({}),
      await agentWith({ attested: {} }),
      await agentWith({ observed: {} }),
      await agentWith({ attested: {}, observed: {} }),
      await agentWith({ attested: { mode: 'none' } }),
      await agentWith({ attested: { minutes: 60 } }),
    ]
    const stateOf = new Map<string, string>()
    for (const id of ids) {
      const [{ state }, { body }] = [await coverageOf(id), await tenant.owner.api.get(`/agents/${id}`)]
      expect([body.execution_coverage_state, body.execution_coverage.state]).toEqual([state, state])
      stateOf.set(id, state)
    }
    expect(new Set(stateOf.values()).size).toBe(executionCoverageStates.length)
    for (const wanted of executionCoverageStates) {
      const { body } = await tenant.owner.api.get(`/agents?execution_coverage=${wanted}&page_size=200`)
      const listed = body.data as { id: string; execution_coverage_state: string }[]
      expect(new Set(listed.map((agent) => agent.execution_coverage_state))).toEqual(new Set([wanted]))
      const mine = listed.filter(({ id }) => stateOf.has(id)).map(({ id }) => id)
      expect(mine).toEqual(ids.filter((id) => stateOf.get(id) === wanted))
    }
  })

  it('has pages like any other filter', async () => {
    const other = await createTenant(server)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) ids.push(await addAgent(server, other.id))
    const first = (await other.owner.api.get('/agents?execution_coverage=unknown&page_size=2')).body
    const rest = `/agents?execution_coverage=unknown&page_size=2&page_token=${first.next_page_token}`
    const second = (await other.owner.api.get(rest)).body
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids.toReversed())
  })
})

describe('GET /agents/{id}/execution-coverage', () => {
  it('200: state, attestation, execution stats and the open findings with their remediation; the agent has the same object', async () => {
    const id = await agentWith({ attested: { mode: 'partial' }, observed: { unmediated: 2 } })
    const finding = await addFinding(id, 'coverage_gap')
    await addFinding(id, 'evidence_stale', true)
    const body = await coverageOf(id)
    expect(ExecutionCoverage.parse(body)).toEqual(body)
    expect(body).toEqual({
      state: 'partial',
      attested: {
        mode: 'partial',
        tools: ['mcp:files/read'],
        mediation_points: ['gateway'],
        edge_version: '1.2.0',
        attested_at: body.attested.attested_at,
      },
      observed: {
        window_start: body.observed.window_start,
        window_end: body.observed.window_end,
        actions_seen: 10,
        actions_mediated: 10,
        unmediated_seen: 2,
        reported_at: body.observed.window_end,
      },
      findings: [
        {
          id: finding,
          agent_id: id,
          type: 'coverage_gap',
          severity: 'high',
          status: 'open',
          evidence: { tools: ['x'] },
          remediation: 'route "it" through the edge',
          opened_at: body.findings[0].opened_at,
          closed_at: null,
        },
      ],
      computed_at: body.computed_at,
    })
    const { execution_coverage: held } = (await tenant.owner.api.get(`/agents/${id}`)).body
    expect({ ...held, computed_at: '' }).toEqual({ ...body, computed_at: '' })
  })

  it('missing evidence is null, and without open findings the list is empty', async () => {
    const body = await coverageOf(await agentWith({}))
    expect(body).toEqual({
      state: 'unknown',
      attested: null,
      observed: null,
      findings: [],
      computed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('it is computed when it is read: evidence that ages changes it without a write', async () => {
    const id = await agentWith({ observed: { minutes: 8 } })
    expect((await coverageOf(id)).state).toBe('observed')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 60_000 })
    try {
      expect((await coverageOf(id)).state).toBe('stale')
    } finally {
      vi.useRealTimers()
    }
  })
})
