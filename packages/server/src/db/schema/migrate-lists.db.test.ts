import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { Database } from '../database.ts'
import { newId } from '../ids/new-id.ts'
import { raw } from '../statements/statement.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('agents from before the search index are found by search, and those with evidence are marked', async () => {
  const [tenantId, seen, unseen] = [newId(), newId(), newId()]
  expect(await migrate(url, { upTo: '0008-wire-json.sql' })).toContain('0008-wire-json.sql')
  await owner.query(
    `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
    [tenantId],
  )
  await owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
     select $1, id, 'Ledger', 'active', 'runtime', 'governed', 'approved', now(), now() from unnest($2::uuid[]) id`,
    [tenantId, [seen, unseen]],
  )
  await owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
     values ($1, $2, 'full', '{}', '{}', '1.0.0', now())`,
    [tenantId, seen],
  )

  expect(await migrate(url)).toContain('0009-agent-lists.sql')
  const { rows } = await owner.query('select id from agents where has_evidence')
  expect(rows).toEqual([{ id: seen }])
  const db = new Database({ url })
  const named = raw(
    `select id from agents_named_like('edge', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 9) id order by 1`,
    [],
  )
  expect(await db.reader(tenantId).all(named)).toEqual([{ id: seen }, { id: unseen }])
  await db.close()
  expect(await migrate(url)).toEqual([])
})
