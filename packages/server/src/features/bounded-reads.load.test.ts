import type { AuditFilters } from '@mandate/contract/audit/audit'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../authz/actor.ts'
import type { Sql, Tx } from '../db/database.ts'
import { actorOf, addPerson, createTenant, type TestTenant } from '../testing/arrange.ts'
import { addPolicy } from '../testing/arrange-agents.ts'
import { fillAgents } from '../testing/fill-agents.ts'
import { fillApprovals, fillDecisions, fillEntries, fillFindings } from '../testing/fill-rows.ts'
import { costOf, type PlanMode } from '../testing/statement-cost.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { searchAgents } from './agents/list/search-agents.ts'
import { findApprovals } from './approvals/stored/queries.ts'
import { findPage } from './audit-trail/find-page.ts'
import { countInUse } from './environments/queries.ts'
import { findFindings } from './findings/queries.ts'
import { countKinds } from './policies/simulate/replay-queries.ts'
import { periodOf } from './reports/snapshot/period.ts'
import { gatherAgents, isSmall } from './reports/snapshot/snapshot-queries.ts'
import { findReviews } from './reviews/queries.ts'

interface Filled {
  tenant: TestTenant
  actor: Member
  /** The kinds of actors who see only some of the agents. */
  partial: Record<Partial, Member>
  policyId: string
}

const grantedPartials = ['ten granted', 'one in ten granted', 'most granted'] as const
const boundPartials = ['ten in the environment', 'most in the environment', 'agents without records'] as const
const partials = [...grantedPartials, ...boundPartials] as const
type Partial = (typeof partials)[number]

const server = useOwnServer()
let small: Filled
let large: Filled

beforeAll(async () => {
  small = await fill({ agents: 12_000, entries: 20_000 })
  large = await fill({ agents: 48_000, entries: 200_000 })
  await server.owner.query(
    'vacuum analyze audit_entries, findings, agents, decision_records, decision_hours, decision_days, reviews, agent_evidence, approvals, agent_grants',
  )
}, 300_000)

async function fill({ agents, entries }: { agents: number; entries: number }): Promise<Filled> {
  const tenant = await createTenant(server)
  const { id: policyId } = await addPolicy(server, tenant.id)
  await fillAgents(server, tenant.id, { count: agents, environmentId: tenant.development, policyId })
  await fillEntries(server, tenant.id, entries)
  await fillFindings(server, tenant.id, 3)
  await fillDecisions(server, tenant.id, 3)
  await fillApprovals(server, tenant.id)
  await server.owner.query(
    `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at)
     select tenant_id, id, id, environment_id, 'change', 'approved', 'manager', now() from agents where tenant_id = $1`,
    [tenant.id],
  )
  // The older half of the agents has stale evidence. These are more agents than a search collects as candidates.
  await server.owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at)
     select tenant_id, id, 'full', '{}', '{}', '1', now() - interval '1 day' from agents where tenant_id = $1
     order by id limit $2`,
    [tenant.id, agents / 2],
  )
  const actor = actorOf(tenant)
  return { tenant, actor, policyId, partial: await addPartial(tenant, actor) }
}

/**
 * Ten agents are in the production environment. A tenth of the agents is in an environment without records. The other agents are
 * in development.
 */
async function addPartial(tenant: TestTenant, actor: Member): Promise<Filled['partial']> {
  // Without statistics on the new rows, the planner compares every record with every agent.
  await server.owner.query('analyze agents, findings, reviews, approvals')
  const numbered = `select id, row_number() over (order by id) as n, count(*) over () as total from agents where tenant_id = $1`
  await server.owner.query(
    `update agents a set environment_id = $2 from (${numbered}) x
     where a.tenant_id = $1 and a.id = x.id and x.n % (x.total / 10) = 7`,
    [tenant.id, tenant.production],
  )
  const { body: quiet } = await tenant.owner.api.post('/environments', { name: 'Quiet', slug: 'quiet' })
  await server.owner.query(
    `update agents a set environment_id = $2 from (${numbered}) x where a.tenant_id = $1 and a.id = x.id and x.n % 10 = 8`,
    [tenant.id, quiet.id],
  )
  for (const table of ['findings', 'reviews', 'approvals']) {
    await server.owner.query(
      `delete from ${table} r using agents a where r.tenant_id = $1 and a.tenant_id = $1 and a.id = r.agent_id and a.environment_id = $2`,
      [tenant.id, quiet.id],
    )
    await server.owner.query(
      `update ${table} r set environment_id = a.environment_id
       from agents a where r.tenant_id = $1 and a.tenant_id = $1 and a.id = r.agent_id
         and r.environment_id is distinct from a.environment_id`,
      [tenant.id],
    )
  }
  const scoped = async (which: string): Promise<Member> => {
    const person = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await server.owner.query(
      `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
       select $1, gen_random_uuid(), $2, id, now() from (${numbered}) x where ${which}`,
      [tenant.id, person.id],
    )
    return { ...actor, userId: person.id, role: 'member', accessScope: 'scoped' }
  }
  const bound = (environmentId: string): Member => ({
    ...actor,
    key: { id: '', prefix: '', name: '', scopes: [], environmentId },
  })
  return {
    'ten granted': await scoped('n % (total / 10) = 3'),
    'one in ten granted': await scoped('n % 10 = 5'),
    'most granted': await scoped('n % 10 <> 5'),
    'ten in the environment': bound(tenant.production),
    'most in the environment': bound(tenant.development),
    'agents without records': bound(quiet.id),
  }
}

/**
 * Expects a fixed upper limit for the cost in the larger tenant. The costs are not compared, because an actor may see more there
 * than in the smaller tenant.
 */
async function expectAtMost(
  work: (sql: Sql) => Promise<unknown>,
  atMost: number,
  modes: PlanMode[] = ['custom', 'generic'],
) {
  for (const mode of modes) {
    const { buffers, plans } = await costOf(server, large.tenant.id, work, mode)
    expect(buffers, `${mode}: ${JSON.stringify(plans).slice(0, 3000)}`).toBeLessThanOrEqual(atMost)
  }
}

/**
 * Expects that the cost in the larger tenant is at most about twice the cost in the smaller tenant, and below a fixed upper
 * limit. Checks the generic and the custom plan.
 */
async function expectBounded(
  work: (sql: Sql, filled: Filled) => Promise<unknown>,
  atMost: number,
  modes: PlanMode[] = ['custom', 'generic'],
): Promise<void> {
  for (const mode of modes) {
    const [inSmall, inLarge] = [
      await costOf(server, small.tenant.id, (sql) => work(sql, small), mode),
      await costOf(server, large.tenant.id, (sql) => work(sql, large), mode),
    ]
    const said = `${mode}: ${inSmall.buffers} and ${inLarge.buffers} buffers; ${JSON.stringify(inLarge.plans).slice(0, 3000)}`
    expect(inLarge.buffers, said).toBeLessThanOrEqual(2 * inSmall.buffers + 20)
    expect(inLarge.buffers, said).toBeLessThanOrEqual(atMost)
  }
}

describe('GET /audit reads the same number of database pages with ten times the entries', () => {
  const minute = (n: number) => new Date(1704067200000 + n * 60_000).toISOString()

  it.each<[string, AuditFilters]>([
    ['no filter', {}],
    ['source, rare', { source: 'edge' }],
    ['source, usual', { source: 'control_plane' }],
    ['resource_type, rare', { resource_type: 'rare' }],
    ['event_type, rare', { event_type: 'rare.event' }],
    ['event_type without entries', { event_type: 'no.such' }],
    ['two rare filters without a common entry', { source: 'control_plane', event_type: 'rare.event' }],
    ['two usual filters without a common entry', { resource_type: 'agent', source: 'edge' }],
    ['the oldest hour', { to: minute(60) }],
    ['an hour in the past', { from: minute(5000), to: minute(5060) }],
    ['actor without entries', { actor_id: 'ffffffff-ffff-7fff-8fff-ffffffffffff' }],
  ])('%s', async (_, filters) => {
    await expectBounded((sql, { actor }) => findPage(sql, actor, filters, { afterId: undefined, limit: 50 }), 1500, [
      'custom',
    ])
  })

  it('a page without entries has a next page, and the matching entries are on later pages', async () => {
    const filters: AuditFilters = {
      resource_type: 'agent',
      actor_id: undefined,
      source: 'control_plane',
      to: minute(19_000),
    }
    const found: string[] = []
    await server.services.db.transaction(small.tenant.id, async (tx: Tx) => {
      for (let afterId: string | undefined, pages = 0; pages < 200; pages++) {
        const page = await findPage(tx, small.actor, filters, { afterId, limit: 200 })
        found.push(...page.entries.map(({ id }) => id))
        if (page.nextAfter === null) return
        afterId = page.nextAfter
      }
    })
    expect(found).toHaveLength(18_989)
    expect(new Set(found).size).toBe(found.length)
  })

  it('rare entries are found over several pages', async () => {
    const { api } = small.tenant.owner
    const query = 'resource_type=rare&source=edge&limit=3'
    const first = (await api.get(`/audit?${query}`)).body
    expect(first.data).toHaveLength(3)
    const none: string[] = []
    for (let cursor = '', pages = 0; pages < 10; pages++) {
      const { body } = await api.get(`/audit?resource_type=agent&source=edge${cursor && `&cursor=${cursor}`}`)
      expect(body.data).toEqual([])
      none.push(body.next_cursor)
      if (!body.next_cursor) break
      cursor = body.next_cursor
    }
    expect(none.length).toBe(4)
    expect(none.at(-1)).toBeUndefined()
  })
})

describe('totals stop at 10,000', () => {
  it.each([
    ['no filter', {}],
    ['status', { status: 'open' as const }],
    ['a type of older findings only', { type: 'policy_drift_unapproved' as const }],
    ['the type and status of older findings', { type: 'policy_drift_unapproved' as const, status: 'closed' as const }],
    ['rare type', { type: 'unapproved_running' as const }],
    ['rare type and status', { type: 'unapproved_running' as const, status: 'closed' as const }],
    ['no such finding', { type: 'evidence_stale' as const }],
  ])('GET /findings, %s, reads as many pages of four times the findings', async (_, filters) => {
    await expectBounded((sql, { actor }) => findFindings(sql, actor, { ...filters, limit: 50, offset: 0 }), 1500)
  })

  it('GET /findings and /reviews: 10,000 means "10,000 or more", a smaller total is exact', async () => {
    const { api } = large.tenant.owner
    for (const path of ['/findings', '/findings?status=open', '/reviews', '/reviews?status=approved']) {
      expect((await api.get(path)).body.total, path).toBe(10_000)
    }
    expect((await api.get('/findings?type=unapproved_running')).body.total).toBe(10)
    expect((await api.get('/reviews?status=pending')).body.total).toBe(0)
  })

  it('GET /reviews reads the same number of database pages with four times the reviews', async () => {
    // Without a filter the planner uses a different, denser index in the smaller tenant. The costs then differ, so only the upper
    // limit is checked.
    const work = (sql: Sql) => findReviews(sql, large.actor, { limit: 50, offset: 0 })
    expect((await costOf(server, large.tenant.id, work)).buffers).toBeLessThanOrEqual(500)
    await expectBounded(
      (sql, { actor }) => findReviews(sql, actor, { kind: 'onboarding', limit: 50, offset: 0 }),
      1500,
      ['custom'],
    )
  })

  it.each(['pending', 'approved', 'rejected', 'expired', 'consumed', undefined] as const)(
    'GET /approvals, status %s, reads the same number of database pages with four times the approvals',
    async (status) => {
      const work = (sql: Sql, { actor }: Filled) =>
        findApprovals(sql, actor, { status: status && [status], ...page }, now)
      await expectBounded(work, 1500)
    },
  )

  it('409 for deleting an environment counts at most 10,000 of its agents', async () => {
    await expectBounded((sql, { tenant }) => countInUse(sql as Tx, tenant.development), 1500)
    const { status, body } = await large.tenant.owner.api.delete(`/environments/${large.tenant.development}`)
    expect(status).toBe(409)
    expect(body.error).toBe('the environment still has 10,000 or more live agents; archive all its agents first')
  })
})

const now = new Date().toISOString()
const page = { limit: 50, offset: 0 }

describe.each(boundPartials)(
  'lists of records for a bound key read the same number of database pages: %s',
  (partial) => {
    it.each([
      {},
      { status: 'open' as const },
      { type: 'policy_drift_unapproved' as const },
      { type: 'unapproved_running' as const },
      { type: 'coverage_gap' as const, status: 'closed' as const },
    ])('GET /findings, %j', async (filters) => {
      await expectBounded((sql, filled) => findFindings(sql, filled.partial[partial], { ...filters, ...page }), 1500)
    })

    it.each([{}, { status: ['approved' as const] }, { kind: 'change' as const }, { status: ['pending' as const] }])(
      'GET /reviews, %j',
      async (filters) => {
        await expectBounded((sql, filled) => findReviews(sql, filled.partial[partial], { ...filters, ...page }), 1500)
      },
    )

    it.each([{}, ...(['pending', 'expired', 'rejected'] as const).map((status) => ({ status: [status] }))])(
      'GET /approvals, %j',
      async (filters) => {
        const work = (sql: Sql, filled: Filled) =>
          findApprovals(sql, filled.partial[partial], { ...filters, ...page }, now)
        await expectBounded(work, 1500)
      },
    )
  },
)

describe.each(grantedPartials)('lists of records for an actor who sees a part of the agents: %s', (partial) => {
  it.each([
    {},
    { status: 'open' as const },
    { type: 'policy_drift_unapproved' as const },
    { type: 'unapproved_running' as const },
  ])('GET /findings, %j', async (filters) => {
    await expectAtMost((sql) => findFindings(sql, large.partial[partial], { ...filters, ...page }), 60_000)
  })

  it.each([{}, { status: ['pending' as const] }])('GET /reviews, %j', async (filters) => {
    await expectAtMost((sql) => findReviews(sql, large.partial[partial], { ...filters, ...page }), 60_000)
  })

  it.each([{}, { status: ['pending' as const] }, { status: ['expired' as const] }])(
    'GET /approvals, %j',
    async (filters) => {
      await expectAtMost((sql) => findApprovals(sql, large.partial[partial], { ...filters, ...page }, now), 60_000)
    },
  )

  it('GET /audit', async () => {
    const work = (sql: Sql) => findPage(sql, large.partial[partial], {}, { afterId: undefined, limit: 50 })
    await expectAtMost(work, 25_000, ['custom'])
  })
})

describe('lists of records contain each matching row once, newest first', () => {
  const isGranted =
    'exists (select from agent_grants g where g.tenant_id = $1 and g.user_id = $2 and g.agent_id = r.agent_id)'
  const isInEnvironment =
    'exists (select from agents a where a.tenant_id = $1 and a.id = r.agent_id and a.environment_id = $2)'
  const status = `case when r.status in ('pending', 'approved') and r.expires_at <= now() then 'expired' else r.status end`
  const lists: [
    string,
    string,
    string,
    (sql: Sql, actor: Member, at: typeof page) => Promise<{ data: { id: string }[]; total: number }>,
  ][] = [
    ['findings', 'true', 'r.id desc', (sql, actor, at) => findFindings(sql, actor, at)],
    [
      'findings',
      `r.status = 'open' and r.type = 'coverage_gap'`,
      'r.id desc',
      (sql, actor, at) => findFindings(sql, actor, { status: 'open', type: 'coverage_gap', ...at }),
    ],
    [
      'reviews',
      `r.kind = 'change'`,
      'r.id desc',
      (sql, actor, at) => findReviews(sql, actor, { kind: 'change', ...at }),
    ],
    ...(['expired', 'pending', 'consumed'] as const).map((wanted): (typeof lists)[number] => [
      'approvals',
      `${status} = '${wanted}'`,
      'r.requested_at desc, r.id desc',
      (sql, actor, at) => findApprovals(sql, actor, { status: [wanted], ...at }, now),
    ]),
  ]

  it.each([...partials, 'all' as const])('%s', async (sight) => {
    const { tenant, actor, partial } = small
    const viewer = sight === 'all' ? actor : partial[sight]
    const seesBy = sight === 'all' ? [] : [viewer.key?.environmentId ?? viewer.userId]
    const isSeen = sight === 'all' ? 'true' : viewer.key ? isInEnvironment : isGranted
    for (const [table, condition, order, read] of lists) {
      const { rows } = await server.owner.query(
        `select r.id from ${table} r where r.tenant_id = $1 and ${condition} and ${isSeen} order by ${order}`,
        [tenant.id, ...seesBy],
      )
      const ids = rows.map(({ id }) => id as string)
      for (const at of [
        page,
        { limit: 7, offset: 45 },
        { limit: 50, offset: ids.length - 3 },
        { limit: 50, offset: ids.length },
      ]) {
        const wanted = { limit: at.limit, offset: Math.max(at.offset, 0) }
        const { data, total } = await server.services.db.readSnapshot(tenant.id, (sql) => read(sql, viewer, wanted))
        const said = `${table} ${condition} ${JSON.stringify(wanted)}`
        expect(total, said).toBe(Math.min(ids.length, 10_000))
        expect(
          data.map(({ id }) => id),
          said,
        ).toEqual(ids.slice(wanted.offset, wanted.offset + wanted.limit))
      }
    }
  })
})

describe('a bound key that filters by agent', () => {
  it.each(['findings', 'reviews', 'approvals'] as const)(
    'lists /%s of agents in its environment only',
    async (table) => {
      const { tenant, partial } = small
      const viewer = partial['ten in the environment']
      const read = async (agent_id: string) => {
        const sql = server.services.db.reader(tenant.id)
        if (table === 'findings') return findFindings(sql, viewer, { agent_id, ...page })
        if (table === 'reviews') return findReviews(sql, viewer, { agent_id, ...page })
        const found = await Promise.all(
          [undefined, ['expired' as const]].map((status) =>
            findApprovals(sql, viewer, { agent_id, status, ...page }, now),
          ),
        )
        return found.reduce((all, some) => ({ data: [...all.data, ...some.data], total: all.total + some.total }))
      }
      const agentIn = async (environmentId: string | null) => {
        const { rows } = await server.owner.query(
          `select a.id from agents a where a.tenant_id = $1 and a.environment_id is not distinct from $2
           and exists (select from ${table} r where r.tenant_id = $1 and r.agent_id = a.id) limit 1`,
          [tenant.id, environmentId],
        )
        return rows[0].id as string
      }
      expect((await read(await agentIn(tenant.production))).total).toBeGreaterThan(0)
      const elsewhere = await agentIn(tenant.development)
      expect(await read(elsewhere)).toEqual({ data: [], total: 0 })
      await server.owner.query('update agents set environment_id = null where tenant_id = $1 and id = $2', [
        tenant.id,
        elsewhere,
      ])
      expect(await read(elsewhere)).toEqual({ data: [], total: 0 })
      await server.owner.query('update agents set environment_id = $3 where tenant_id = $1 and id = $2', [
        tenant.id,
        elsewhere,
        tenant.development,
      ])
    },
  )
})

it('a report request reads at most 501 agents and policies, whatever the size of the tenant', async () => {
  const now = new Date().toISOString()
  await expectBounded(
    (sql, { actor }) => isSmall(sql, { actor, environmentId: null, now, period: periodOf({}, now) }),
    200,
  )
  await expectBounded((sql, { actor, tenant }) => {
    return isSmall(sql, { actor, environmentId: tenant.development, now, period: periodOf({}, now) })
  }, 200)
})

it('a batch of a report reads the same number of database pages with four times the agents', async () => {
  const [now, before] = [new Date().toISOString(), 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  const scope = { environmentId: null, now, period: periodOf({}, now) }
  await expectBounded((sql, { actor }) => gatherAgents(sql, { ...scope, actor }, before), 40_000)
})

describe('GET /agents', () => {
  it.each([
    { execution_coverage: 'stale' as const },
    { execution_coverage: 'claimed' as const },
    { execution_coverage: 'stale' as const, status: 'active' as const },
    { status: 'active' as const, lifecycle_status: 'blocked' as const },
  ])('%j reads as many pages of four times the agents', async (filters) => {
    const search = { filters: { governance_state: 'governed' as const, page_size: 50, ...filters }, wanted: 51 }
    const now = new Date().toISOString()
    await expectBounded(
      (sql, { actor }) =>
        searchAgents(sql as Tx, { ...search, actor, now, lateBefore: now }, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      60_000,
      ['generic'],
    )
  })

  it('a filter that matches many old agents returns each agent once over several pages', async () => {
    const found: string[] = []
    let token = ''
    do {
      const { body } = await large.tenant.owner.api.get(
        `/agents?execution_coverage=stale&page_size=200${token && `&page_token=${token}`}`,
      )
      found.push(...body.data.map(({ id }: { id: string }) => id))
      token = body.next_page_token ?? ''
    } while (token)
    expect(found).toHaveLength(24_000)
    expect(new Set(found).size).toBe(found.length)
  })
})

it('a replay reads counts, so it is whole and costs the same with four times the decisions', async () => {
  const times = { from: new Date(Date.now() - 30 * 24 * 60 * 60_000).toISOString(), to: new Date().toISOString() }
  const all = { namesPolicy: true, byAgent: false, mostKinds: 5000 }
  await expectBounded(
    (sql, { actor, policyId }) => countKinds(sql, actor, { policyId, agentId: null, ...times }, all),
    5_000,
    ['custom'],
  )
  const { status, body } = await large.tenant.owner.api.post(`/policies/${large.policyId}/simulate`, {
    replay: { days: 30 },
  })
  expect(status).toBe(200)
  expect(body.replay).toMatchObject({ complete: true, decisions: 3 * 48_000 })
})
