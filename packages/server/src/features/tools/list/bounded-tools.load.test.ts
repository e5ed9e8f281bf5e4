import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../../../authz/actor.ts'
import type { Sql } from '../../../db/database.ts'
import { actorOf, createTenant, giveEnvironment, type TestTenant } from '../../../testing/arrange.ts'
import { costOf, type PlanMode } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { countCalls } from '../call-counts.ts'
import { findChanged } from '../changed-tools/changed-queries.ts'
import { findToolsOf } from '../reach/reach-queries.ts'
import { findTools, type ToolFilter } from '../tool-queries.ts'
import { findToolFacets } from './facet-queries.ts'

interface Filled {
  tenant: TestTenant
  owner: Member
  /** A user with access to `production`, which has ten tools. */
  scoped: Member
}

const server = useOwnServer()
const now = new Date().toISOString()
let small: Filled
let large: Filled

beforeAll(async () => {
  small = await fill({ tools: 300, reporters: 10, callers: 50 })
  large = await fill({ tools: 3_000, reporters: 100, callers: 500 })
  await server.owner.query(
    'vacuum analyze tools, tool_definitions, tool_reports, agents, decision_kinds, decision_days',
  )
}, 300_000)

const pin = (n: number) => n.toString(16).repeat(64)

/**
 * Fills an environment with tools. The first hundred have pins and reports: every reporter declares a pinned definition, and of the first ten tools
 * one reporter declares another one. The callers are agents that called the first tool on each of 20 days.
 */
async function fill({ tools, reporters, callers }: Record<'tools' | 'reporters' | 'callers', number>): Promise<Filled> {
  const tenant = await createTenant(server)
  const insert = `insert into tools (tenant_id, id, environment_id, tool, server, name, latest_hash, pins, changed_in, first_seen_at, last_seen_at)
    select $1, gen_random_uuid(), $2, 'mcp:s' || n % 20 || '/t' || lpad(n::text, 5, '0'), 's' || n % 20, 't' || n, $4,
      case when n <= 100 then array[$4, $5] else '{}' end, 1, now(), now() from generate_series(1, $3::int) n`
  await server.owner.query(insert, [tenant.id, tenant.development, tools, pin(1), pin(3)])
  await server.owner.query(insert.replace("'mcp:s' || n % 20 ||", "'mcp:z' ||"), [
    tenant.id,
    tenant.production,
    10,
    pin(1),
    pin(3),
  ])
  await server.owner.query(
    `insert into tool_reports (tenant_id, tool_id, reporter_id, declared_for, hash, reported_at)
     select $1, t.id, gen_random_uuid(), gen_random_uuid(), case when n % 2 = 0 then $4 else $5 end, now()
     from tools t cross join generate_series(1, $3::int) n where t.tenant_id = $1 and t.environment_id = $2 and t.pins <> '{}'`,
    [tenant.id, tenant.development, reporters, pin(1), pin(3)],
  )
  await server.owner.query(
    `insert into tool_reports (tenant_id, tool_id, reporter_id, declared_for, hash, reported_at)
     select $1, id, gen_random_uuid(), gen_random_uuid(), h, now() from tools cross join unnest($3::text[]) h
     where tenant_id = $1 and environment_id = $2 and name in ('t1','t2','t3','t4','t5','t6','t7','t8','t9','t10')`,
    [tenant.id, tenant.development, [pin(0), pin(2), pin(4)]],
  )
  await server.owner.query(insertCallers, [tenant.id, tenant.development, callers])
  await giveEnvironment(server, tenant.id, tenant.owner.id, tenant.production)
  const owner = actorOf(tenant)
  return { tenant, owner, scoped: { ...owner, role: 'viewer', accessScope: 'scoped' } }
}

const insertCallers = `
  with callers as (
    insert into agents (tenant_id, id, name, description, status, source, governance_state, lifecycle_status, environment_id, framework, model,
      tools, metadata, created_at, updated_at)
    select $1, gen_random_uuid(), 'caller ' || n, '', 'active', 'runtime', 'governed', 'approved', $2, '', '', '{}', '{}', now(), now()
    from generate_series(1, $3::int) n returning id),
  kind as (
    insert into decision_kinds (tenant_id, id, environment_id, tool, effect, mode)
    values ($1, gen_random_uuid(), $2, 'mcp:s1/t00001', 'allow', 'enforce') returning id)
  insert into decision_days (tenant_id, subject_id, bucket, kind_id, edge_id, calls)
  select $1, s.id, date_trunc('day', now()) - day * interval '1 day', kind.id, '00000000-0000-0000-0000-000000000000', s.calls
  from kind cross join generate_series(1, 20) day
  cross join (select id, 1 as calls from callers union all select '00000000-0000-0000-0000-000000000000', $3::int) s`

const filter: ToolFilter = {
  search: null,
  state: null,
  server: null,
  label: null,
  warning: null,
  environmentId: null,
  agentId: null,
}
const page = { after: undefined, size: 20, now }

async function expectBounded(work: (sql: Sql, filled: Filled) => Promise<unknown>, atMost: number) {
  for (const mode of ['custom', 'generic'] as PlanMode[]) {
    const [one, other] = [
      await costOf(server, small.tenant.id, (sql) => work(sql, small), mode),
      await costOf(server, large.tenant.id, (sql) => work(sql, large), mode),
    ]
    const said = `${mode}: ${one.buffers} and ${other.buffers} buffers; ${JSON.stringify(other.plans).slice(0, 6000)}`
    expect(other.buffers, said).toBeLessThanOrEqual(atMost)
  }
}

describe('reads of tools read a bounded number of database pages', () => {
  it('the state of a pinned tool does not read the reports of pinned definitions', async () => {
    await expectBounded(async (sql, { tenant }) => {
      expect((await findToolsOf(sql, tenant.production, now)).map(({ state }) => state)).toEqual(
        Array(10).fill('pinned'),
      )
      const states = (await findToolsOf(sql, tenant.development, now)).map(({ state }) => state)
      expect(states.filter((state) => state === 'changed')).toHaveLength(10)
      expect(states.filter((state) => state === 'pinned')).toHaveLength(90)
    }, 3_500)
  })

  it('the changed tools are found by their hashes', async () => {
    await expectBounded(async (sql, { tenant }) => {
      const rows = await findChanged(sql, tenant.development, now)
      expect(rows.map(({ hashes }) => hashes)).toEqual(Array(10).fill([pin(0), pin(2), pin(4)]))
    }, 4_000)
  })

  it('a page without a filter by state computes the state of its own tools only', async () => {
    await expectBounded((sql, { owner }) => findTools(sql, owner, filter, page), 1_200)
  })

  it('a page of one environment does not read the tools of others', async () => {
    await expectBounded(async (sql, { owner, tenant }) => {
      const { tools, next } = await findTools(sql, owner, { ...filter, environmentId: tenant.production }, page)
      expect([tools.length, next]).toEqual([10, null])
    }, 150)
  })

  it('a page of one server does not read the tools of others', async () => {
    await expectBounded(async (sql, { owner }) => {
      const { tools } = await findTools(sql, owner, { ...filter, server: 's3' }, page)
      expect(tools.map((tool) => tool.server)).toEqual(Array(tools.length).fill('s3'))
      expect(tools.length).toBeGreaterThanOrEqual(15)
    }, 800)
  })

  it('the counts of calls look up each agent once, however many days it called a tool', async () => {
    await expectBounded(async (sql, { owner, tenant }) => {
      const tool = { id: tenant.id, tool: 'mcp:s1/t00001', environment_id: tenant.development }
      const counts = (await countCalls(sql, owner, [tool], now)).get(tool.id)
      expect(counts?.calls_30d).toBe((counts?.agents ?? 0) * 20)
    }, 3_500)
  })

  it('the facets of a scoped user do not read the tools of other environments', async () => {
    await expectBounded(async (sql, { scoped }) => {
      const rows = await findToolFacets(sql, scoped, filter, now)
      expect(rows.find(({ facet }) => facet === 'total')?.count).toBe(10)
    }, 300)
  })
})
