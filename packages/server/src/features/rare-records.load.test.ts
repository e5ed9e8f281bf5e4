import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../authz/actor.ts'
import type { Sql } from '../db/database.ts'
import { actorOf, addPerson, createTenant, type TestTenant } from '../testing/arrange.ts'
import { fillAgents } from '../testing/fill-agents.ts'
import { idAt } from '../testing/fill-rows.ts'
import { costOf } from '../testing/statement-cost.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { countToDecide as countApprovals, findApprovals } from './approvals/stored/queries.ts'
import { countOpen, findFindings } from './findings/queries.ts'
import { countToDecide as countReviews, findReviews } from './reviews/queries.ts'

// A tenant with 102,000 records of each kind. Ten of each kind are different from all others: a manager decides them, nobody
// requested them, and nobody owns their agents. All others are for owners, and are about what the first owner requested or owns.

const server = useOwnServer()
let tenant: TestTenant
const actors: Record<string, Member> = {}

beforeAll(async () => {
  tenant = await createTenant(server)
  await fillAgents(server, tenant.id, { count: 34_000, environmentId: tenant.development, policyId: null })
  const numbered = `select a.*, row_number() over (order by a.id) as n from agents a where a.tenant_id = $1`
  const rare = '(x.n <= 10 and k = 1)'
  const values = [tenant.id, tenant.owner.id]
  await server.owner.query(
    `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
       reason, request_hash, status, assigned_role, requested_at, expires_at, last_resort_user_id)
     select $1, gen_random_uuid(), x.id, x.environment_id, 'mcp:files/write', '', x.id, 1, '', '', '', 'pending',
       case when ${rare} then 'manager' else 'owner' end, now() - x.n * interval '1 second', now() + interval '1 hour',
       case when ${rare} then '00000000-0000-0000-0000-000000000000' else $2::uuid end
     from (${numbered}) x cross join generate_series(1, 3) k`,
    values,
  )
  await server.owner.query(
    `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at)
     select $1, ${idAt('(x.n * 3 + k)')}, x.id, x.environment_id, (array['attestation', 'change', 'onboarding'])[k], 'pending',
       case when ${rare} then 'manager' else 'owner' end, case when ${rare} then null else $2::uuid end, now()
     from (${numbered}) x cross join generate_series(1, 3) k`,
    values,
  )
  await server.owner.query(
    `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
     select $1, gen_random_uuid(), x.id, x.environment_id, 'coverage_gap', case when ${rare} then 'critical' else 'low' end,
       case when x.n <= 10 and k = 1 then 'open' else 'closed' end, '{}', '', now()
     from (${numbered}) x cross join generate_series(1, 3) k`,
    [tenant.id],
  )
  await addPerson(server, tenant.id, { role: 'owner' })
  const owner = actorOf(tenant)
  const manager = await addPerson(server, tenant.id, { role: 'manager' })
  actors.owner = owner
  actors.manager = { ...owner, userId: manager.id, role: 'manager' }
  actors['bound key'] = {
    ...owner,
    kind: 'api_key',
    key: { id: '', prefix: '', name: '', scopes: [], environmentId: tenant.development },
  }
  for (const [name, which] of [
    ['scoped manager of 34 agents', 'x.n % 1000 = 5'],
    ['scoped manager of most agents', 'x.n % 1000 <> 20'],
  ] as const) {
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await server.owner.query(
      `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
       select $1, gen_random_uuid(), $2, x.id, now() from (${numbered}) x where ${which}`,
      [tenant.id, scoped.id],
    )
    actors[name] = { ...owner, userId: scoped.id, role: 'manager', accessScope: 'scoped' }
  }
  await server.owner.query('vacuum analyze agents, approvals, reviews, findings, agent_grants, users')
}, 300_000)

// Other tests of this worker use the same database, and their plans depend on the size of its tables.
afterAll(async () => {
  for (const table of ['approvals', 'reviews', 'findings', 'agents']) {
    await server.owner.query(`delete from ${table} where tenant_id = $1`, [tenant.id])
  }
  await server.owner.query('vacuum analyze agents, approvals, reviews, findings, agent_grants, users')
}, 300_000)

const now = new Date().toISOString()
const later = new Date(Date.now() + 60 * 60_000).toISOString()
const page = { limit: 50, offset: 0 }

/** Expects the result, and that neither plan reads more than `atMost` pages of the database. */
async function expectCost<T>(work: (sql: Sql) => Promise<T>, atMost: number, expected: (result: T) => void) {
  for (const mode of ['custom', 'generic'] as const) {
    let result: T | undefined
    const { buffers, plans } = await costOf(
      server,
      tenant.id,
      async (sql) => {
        result = await work(sql)
      },
      mode,
    )
    expected(result as T)
    expect(buffers, `${mode}: ${JSON.stringify(plans).slice(0, 4000)}`).toBeLessThanOrEqual(atMost)
  }
}

const whole = ['owner', 'manager', 'bound key'] as const
const few = 10
const expectFew = ({ data, total }: { data: unknown[]; total: number }) =>
  expect([data.length, total]).toEqual([few, few])
const expectNone = ({ data, total }: { data: unknown[]; total: number }) => expect([data.length, total]).toEqual([0, 0])

describe('ten records to decide among 102,000 cost no more than a page', () => {
  it.each(whole)('%s', async (name) => {
    const actor = actors[name]!
    await expectCost((sql) => findApprovals(sql, actor, { mine: true, ...page }, now), 500, expectFew)
    await expectCost(
      (sql) => findApprovals(sql, actor, { mine: true, sort: 'expires_at', ...page }, now),
      500,
      expectFew,
    )
    await expectCost((sql) => findApprovals(sql, actor, { mine: true, from: later, ...page }, now), 500, expectNone)
    await expectCost((sql) => findReviews(sql, actor, { mine: true, ...page }), 500, expectFew)
    await expectCost((sql) => findReviews(sql, actor, { mine: true, kind: 'attestation', ...page }), 500, expectFew)
    await expectCost((sql) => findReviews(sql, actor, { mine: true, kind: 'change', ...page }), 500, expectNone)
    await expectCost(
      (sql) => countApprovals(sql, actor, now, 1000),
      500,
      (count) => expect(count).toBe(few),
    )
    await expectCost(
      (sql) => countReviews(sql, actor, 1000),
      500,
      (count) => expect(count).toBe(few),
    )
  })

  it('a second owner, for whom all are to decide', async () => {
    const actor = { ...actors.owner!, userId: actors.manager!.userId }
    await expectCost(
      (sql) => findApprovals(sql, actor, { mine: true, ...page }, now),
      12_000,
      ({ total }) => expect(total).toBe(10_000),
    )
    await expectCost(
      (sql) => countApprovals(sql, actor, now, 1000),
      2000,
      (count) => expect(count).toBe(1000),
    )
    await expectCost(
      (sql) => countReviews(sql, actor, 1000),
      2000,
      (count) => expect(count).toBe(1000),
    )
  })

  it.each(['scoped manager of 34 agents', 'scoped manager of most agents'])('%s', async (name) => {
    const actor = actors[name]!
    const seen = name === 'scoped manager of 34 agents' ? 1 : few
    const check = ({ total }: { total: number }) => expect(total).toBe(seen)
    await expectCost((sql) => findApprovals(sql, actor, { mine: true, ...page }, now), 1000, check)
    await expectCost((sql) => findReviews(sql, actor, { mine: true, ...page }), 1000, check)
    await expectCost(
      (sql) => countApprovals(sql, actor, now, 1000),
      1000,
      (count) => expect(count).toBe(seen),
    )
    await expectCost(
      (sql) => countReviews(sql, actor, 1000),
      1000,
      (count) => expect(count).toBe(seen),
    )
  })
})

describe('lists with filters that match few records cost no more than a page', () => {
  it.each(whole)('%s', async (name) => {
    const actor = actors[name]!
    const approvals = (filters: Partial<Parameters<typeof findApprovals>[2]>) => (sql: Sql) =>
      findApprovals(sql, actor, { ...page, ...filters }, now)
    const findings = (filters: Partial<Parameters<typeof findFindings>[2]>) => (sql: Sql) =>
      findFindings(sql, actor, { ...page, ...filters })
    const many = ({ total }: { total: number }) => expect(total).toBe(10_000)
    await expectCost(approvals({ status: ['rejected', 'expired', 'consumed'] }), 500, expectNone)
    await expectCost(approvals({ status: ['rejected', 'expired', 'consumed'], sort: 'expires_at' }), 500, expectNone)
    await expectCost(approvals({ sort: 'expires_at' }), 12_000, many)
    await expectCost(approvals({ status: ['pending'], sort: 'expires_at' }), 12_000, many)
    await expectCost(approvals({ from: later }), 500, expectNone)
    await expectCost(approvals({ from: later, sort: 'expires_at', status: ['approved', 'expired'] }), 500, expectNone)
    await expectCost(findings({ severity: 'critical' }), 500, expectFew)
    await expectCost(findings({ severity: 'critical', type: 'coverage_gap', status: 'open' }), 500, expectFew)
    await expectCost(findings({ severity: 'critical', status: 'closed' }), 500, expectNone)
    await expectCost(findings({ severity: 'medium', sort: 'attention' }), 500, expectNone)
    await expectCost(
      findings({ sort: 'attention', status: 'open', environment_id: tenant.development }),
      500,
      expectFew,
    )
    await expectCost(findings({ sort: 'attention' }), 12_000, many)
    await expectCost(findings({ sort: 'attention', type: 'coverage_gap' }), 12_000, many)
    await expectCost(
      (sql) => countOpen(sql, actor, 'coverage_gap'),
      500,
      (count) => expect(count).toBe(few),
    )
    const reviews = { status: ['approved', 'rejected', 'attested', 'superseded'] as const }
    await expectCost((sql) => findReviews(sql, actor, { ...page, status: [...reviews.status] }), 500, expectNone)
    await expectCost(
      (sql) => findReviews(sql, actor, { ...page, status: ['pending'], from: later }),
      12_000,
      expectNone,
    )
  })
})

describe('ten open findings among 34,000 of archived agents cost no more than a page', () => {
  beforeAll(async () => {
    await server.owner.query(
      `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at, is_archived)
       select $1, gen_random_uuid(), x.id, x.environment_id, 'decision_gap', 'high', 'open', '{}', '', now(), x.n > 10
       from (select a.*, row_number() over (order by a.id) as n from agents a where a.tenant_id = $1) x`,
      [tenant.id],
    )
    await server.owner.query('vacuum analyze findings')
  }, 60_000)

  it.each(whole)('%s', async (name) => {
    await expectCost(
      (sql) => countOpen(sql, actors[name]!, 'decision_gap'),
      500,
      (count) => expect(count).toBe(few),
    )
  })
})
