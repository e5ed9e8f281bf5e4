import { expect, it } from 'vitest'
import { useEmptyDatabase } from '../../testing/use-empty-database.ts'
import { newId } from '../ids/new-id.ts'
import { migrate } from './migrate.ts'

const { url, owner } = useEmptyDatabase()

it('old findings, reviews and approvals get the environment of their agent', async () => {
  await migrate(url, { upTo: '0033-records-by-agent.sql' })
  const expected: { id: string; environment_id: string | null }[] = []
  for (let tenants = 0; tenants < 2; tenants++) {
    const tenantId = newId()
    await owner.query(
      `insert into tenants (id, name, plan, governance_gate, created_at) values ($1, 'old', 'free', 'off', now())`,
      [tenantId],
    )
    for (const environmentId of [await addEnvironment(tenantId, 'a'), await addEnvironment(tenantId, 'b'), null]) {
      const id = newId()
      await addAgentWithRecords(tenantId, environmentId, id)
      expected.push({ id, environment_id: environmentId })
    }
  }

  await migrate(url, { upTo: '0034-records-by-environment.sql' })
  for (const table of ['findings', 'reviews', 'approvals']) {
    const { rows } = await owner.query(`select id, environment_id from ${table} order by id`)
    expect(rows, table).toEqual(expected)
  }
})

it('old pending approvals get the owner of their agent, and old reviews their requester, as the last resort', async () => {
  const nobody = '00000000-0000-0000-0000-000000000000'
  const { rows: agents } = await owner.query('select tenant_id, id from agents order by id')
  const [first, second, third] = agents
  const userId = newId()
  await owner.query(
    `insert into users (tenant_id, id, email, email_lower, role, status, access_scope, created_at)
     values ($1, $2, 'a@example.com', 'a@example.com', 'manager', 'active', 'all', now())`,
    [first.tenant_id, userId],
  )
  for (const { id } of [first, second])
    await owner.query('update agents set owner_user_id = $2 where id = $1', [id, userId])
  await owner.query(`update approvals set status = 'consumed' where id = $1`, [second.id])
  await owner.query('update reviews set requested_by = $2 where id = $1', [third.id, userId])
  await owner.query(`update findings set status = 'closed', severity = 'low' where id = $1`, [first.id])
  expect(await migrate(url)).toContain('0040-decidable-records.sql')
  const lastResorts = async (table: string) =>
    (await owner.query(`select last_resort_user_id as id from ${table} order by ${table}.id limit 3`)).rows
  expect(await lastResorts('approvals')).toEqual([{ id: userId }, { id: nobody }, { id: nobody }])
  const { rows: owners } = await owner.query('select agent_owner_user_id as user from approvals order by id limit 3')
  expect(owners.map(({ user }) => user)).toEqual([userId, nobody, nobody])
  expect(await lastResorts('reviews')).toEqual([{ id: nobody }, { id: nobody }, { id: userId }])
  const { rows } = await owner.query('select attention from findings order by id limit 2')
  expect(rows).toEqual([{ attention: 1 }, { attention: 7 }])
})

async function addEnvironment(tenantId: string, slug: string): Promise<string> {
  const id = newId()
  await owner.query(
    `insert into environments (tenant_id, id, name, slug, is_production, governance_mode, created_at)
     values ($1, $2, $3, $3, false, 'enforce', now())`,
    [tenantId, id, slug],
  )
  return id
}

/** Inserts an agent with a finding, a review and an approval. All of them get the id `id`. */
async function addAgentWithRecords(tenantId: string, environmentId: string | null, id: string): Promise<void> {
  await owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, created_at,
       updated_at)
     values ($1, $2, 'agent', 'active', 'runtime', 'governed', 'approved', $3, now(), now())`,
    [tenantId, id, environmentId],
  )
  await owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, $2, $2, 'coverage_gap', 'high', 'open', '{}', '', now())`,
    [tenantId, id],
  )
  await owner.query(
    `insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at)
     values ($1, $2, $2, 'change', 'pending', 'manager', now())`,
    [tenantId, id],
  )
  await owner.query(
    `insert into approvals (tenant_id, id, agent_id, tool, args_digest, policy_id, policy_version, policy_hash, reason,
       request_hash, status, assigned_role, requested_at, expires_at)
     values ($1, $2, $2, 'mcp:a/b', '', $2, 1, '', '', '', 'pending', 'manager', now(), now())`,
    [tenantId, id],
  )
}
