import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('stored reports lose the internal columns of their environment and keep the rest', async () => {
  const [tenantId, ofEnvironment, ofOrganization] = [newId(), newId(), newId()]
  await migrate(url, { upTo: '0026' })
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
    [tenantId],
  )
  const shown = { id: newId(), name: 'Production', slug: 'production', is_production: true }
  const internal = { governance_mode: 'enforce', governance_gate: 'off', wire_json: '{}' }
  const insert = (id: string, environment: object | null) =>
    owner.query(
      `insert into reports (tenant_id, id, title, snapshot, created_at) values ($1, $2, 'Report', $3, now())`,
      [tenantId, id, JSON.stringify({ organization: 'old', environment, agents: [] })],
    )
  await insert(ofEnvironment, { ...shown, ...internal })
  await insert(ofOrganization, null)

  expect(await migrate(url)).toContain('0027-report-environments.sql')
  const { rows } = await owner.query('select id, snapshot from reports order by id')
  expect(rows).toEqual([
    { id: ofEnvironment, snapshot: { organization: 'old', environment: shown, agents: [] } },
    { id: ofOrganization, snapshot: { organization: 'old', environment: null, agents: [] } },
  ])
})
