import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('old evidence gets the environment of its agent, whether the agent is archived, and whether it has a coverage gap', async () => {
  await migrate(url, { upTo: '0035-session-use.sql' })
  const expected: object[] = []
  for (let tenants = 0; tenants < 2; tenants++) {
    const [tenantId, environmentId] = [newId(), newId()]
    await owner.query(
      `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
      [tenantId],
    )
    await owner.query(
      `insert into environments (tenant_id, id, name, slug, is_production, governance_mode, created_at)
       values ($1, $2, 'a', 'a', false, 'enforce', now())`,
      [tenantId, environmentId],
    )
    for (const [status, finding] of [
      ['active', 'open'],
      ['active', 'closed'],
      ['archived', undefined],
    ] as const) {
      const agent_id = newId()
      await addAgentWithEvidence(tenantId, environmentId, agent_id, status)
      if (finding) await addFinding(tenantId, agent_id, 'coverage_gap', finding)
      if (status === 'archived') await addFinding(tenantId, agent_id, 'policy_drift_unapproved', 'open')
      const is_archived = status === 'archived'
      expected.push({ agent_id, environment_id: environmentId, is_archived, has_gap: finding === 'open' })
    }
  }
  expect(await migrate(url)).toContain('0044-overview-counts.sql')
  const text = 'select agent_id, environment_id, is_archived, has_gap from agent_evidence order by agent_id'
  expect((await owner.query(text)).rows).toEqual(expected)
  const findings =
    'select is_archived, type, status, count(*)::int as count from findings group by 1, 2, 3 order by 1, 2, 3'
  expect((await owner.query(findings)).rows).toEqual([
    { is_archived: false, type: 'coverage_gap', status: 'closed', count: 2 },
    { is_archived: false, type: 'coverage_gap', status: 'open', count: 2 },
    { is_archived: true, type: 'policy_drift_unapproved', status: 'open', count: 2 },
  ])
})

async function addAgentWithEvidence(tenantId: string, environmentId: string, id: string, status: string) {
  await owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, created_at,
       updated_at)
     values ($1, $2, 'agent', $4, 'runtime', 'governed', 'approved', $3, now(), now())`,
    [tenantId, id, environmentId, status],
  )
  await owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
     values ($1, $2, 'partial', '{}', '{}', '1', now())`,
    [tenantId, id],
  )
}

async function addFinding(tenantId: string, agentId: string, type: string, status: string) {
  await owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, gen_random_uuid(), $2, $4, 'high', $3, '{}', '', now())`,
    [tenantId, agentId, status, type],
  )
}
