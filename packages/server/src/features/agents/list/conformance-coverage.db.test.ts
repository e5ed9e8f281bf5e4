import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let id: string
let edge: ApiClient

beforeEach(async () => {
  tenant = await createTenant(server)
  const { body } = await tenant.owner.api.post('/agents', { name: 'Claims', environment_id: tenant.development })
  id = body.agent.id
  edge = apiClient(server.url, body.agent_key)
})

const coverage = async () => (await tenant.owner.api.get(`/agents/${id}/execution-coverage`)).body
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const attest = (mode: string) =>
  edge.post('/edge/attestations', { agent_id: id, mode, tools: ['t'], mediation_points: ['p'], edge_version: '1' })
const report = (seen: number, mediated: number, endsAgo = 0) =>
  edge.post('/edge/execution-stats', {
    agent_id: id,
    window_start: minutesFromNow(-endsAgo - 5),
    window_end: minutesFromNow(-endsAgo),
    actions_seen: seen,
    actions_mediated: mediated,
    unmediated_seen: seen - mediated,
  })

describe('execution coverage is computed when it is read', () => {
  it('from the latest attestation and the latest execution stats, each shown in its own field', async () => {
    expect(await coverage()).toMatchObject({ state: 'unknown', attested: null, observed: null, findings: [] })
    await attest('full')
    expect(await coverage()).toMatchObject({ state: 'claimed', attested: { mode: 'full', tools: ['t'] } })
    await report(10, 10)
    expect(await coverage()).toMatchObject({
      state: 'covered',
      attested: { mode: 'full', mediation_points: ['p'], edge_version: '1' },
      observed: { actions_seen: 10, actions_mediated: 10, unmediated_seen: 0 },
    })
    await report(5, 1, 10)
    expect((await coverage()).state).toBe('covered')
    await attest('partial')
    expect(await coverage()).toMatchObject({ state: 'partial', attested: { mode: 'partial' } })
    await attest('full')
    await report(3, 2, -1)
    expect(await coverage()).toMatchObject({ state: 'partial', observed: { actions_seen: 3, unmediated_seen: 1 } })
  })

  it('from the open findings, which are shown with their remediation; closed findings do not count', async () => {
    await attest('full')
    await report(10, 10)
    await server.owner.query(
      `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
       values ($1, $2, $3, 'coverage_gap', 'high', 'open', '{}', 'Route the tool through the edge.', now())`,
      [tenant.id, newId(), id],
    )
    expect(await coverage()).toMatchObject({
      state: 'partial',
      findings: [{ type: 'coverage_gap', status: 'open', remediation: 'Route the tool through the edge.' }],
    })
    await server.owner.query("update findings set status = 'closed', closed_at = now() where tenant_id = $1", [
      tenant.id,
    ])
    expect(await coverage()).toMatchObject({ state: 'covered', findings: [] })
  })

  it('never from a stored value: evidence becomes stale without a write', async () => {
    await report(10, 10, 14.99)
    expect((await coverage()).state).toBe('observed')
    await expect.poll(async () => (await coverage()).state, { timeout: 60_000 }).toBe('stale')
  })

  it('with the same result for the agent, its list item, the list’s filter and its own endpoint', async () => {
    const states = ['unknown', 'claimed', 'observed', 'covered', 'partial', 'stale']
    const steps: [string, () => Promise<unknown>][] = [
      ['unknown', async () => {}],
      ['claimed', () => attest('full')],
      ['covered', () => report(4, 4)],
      ['partial', () => report(4, 3, -1)],
    ]
    for (const [expected, step] of steps) {
      await step()
      const { computed_at: _, ...shown } = await coverage()
      expect(shown.state).toBe(expected)
      const { body } = await tenant.owner.api.get(`/agents/${id}`)
      expect(body.execution_coverage_state).toBe(expected)
      expect(body.execution_coverage).toMatchObject(shown)
      for (const state of states) {
        const path = `/agents?governance_state=discovered&execution_coverage=${state}`
        const { data } = (await tenant.owner.api.get(path)).body
        expect(data).toMatchObject(state === expected ? [{ id, execution_coverage_state: state }] : [])
      }
    }
  })
})
