import { beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../../db/database.ts'
import { actorOf, addKey, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { searchAgents } from './search-agents.ts'
import type { Search } from './search-queries.ts'
import { type Place, type Sort, sorts, start } from './sort-queries.ts'
import { searchInOrder } from './sorted-search.ts'

const server = useOwnServer()
const tenants: TestTenant[] = []
const sizes = [6_000, 24_000]

beforeAll(async () => {
  for (const count of sizes) {
    const tenant = await createTenant(server)
    tenants.push(tenant)
    await fillAgents(server, tenant.id, { count, environmentId: tenant.development })
    // Six agents, spread over the tenant, are late. Each has a finding, an approval, an owner and another framework.
    await server.owner.query(
      `insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, heartbeat_slot)
       select tenant_id, id, now() - late, date_bin('10 minutes', now() - late, '2000-01-01T00:00:00Z'::timestamptz)
       from (select tenant_id, id, case when row_number() over (order by id) % ${count / 6} = 0 then 1 else 0 end * interval '1 hour' as late
         from agents where tenant_id = $1) x`,
      [tenant.id],
    )
    await server.owner.query(
      `update agents a set heard = true, attention = case when rare then n else attention end,
         drift_state = case when rare then 'false' else 'unknown' end, framework = case when rare then 'rare' else 'usual' end,
         owner_user_id = case when rare then $2::uuid end
       from (select id, row_number() over (order by id) as n, row_number() over (order by id) % ${count / 6} = 0 as rare
         from agents where tenant_id = $1) x where a.tenant_id = $1 and a.id = x.id`,
      [tenant.id, tenant.owner.id],
    )
  }
  await server.owner.query('vacuum analyze agents, agent_runtime')
})

const newestFirst = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the number of database pages that one request reads in the small tenant, and in the large tenant. */
async function costs(
  sort: Sort | 'newest',
  filters: (tenant: TestTenant) => object,
  place: Place | undefined,
): Promise<number[]> {
  const found: number[] = []
  for (const tenant of tenants) {
    const now = new Date().toISOString()
    const search: Search = {
      actor: actorOf(tenant),
      filters: { governance_state: 'governed', ...filters(tenant) },
      now,
      lateBefore: new Date(Date.now() - 600_000).toISOString(),
      wanted: 51,
    }
    const work = (sql: Tx) =>
      sort === 'newest'
        ? searchAgents(sql, search, newestFirst)
        : searchInOrder(sql, search, sort, place ?? start[sort])
    found.push((await costOf(server, tenant.id, (sql) => work(sql as Tx), 'generic')).buffers)
  }
  return found
}

const filters: Record<string, (tenant: TestTenant) => object> = {
  'no filter': () => ({}),
  'a common value': () => ({ framework: 'usual', drift: 'unknown' }),
  'a rare value': () => ({ framework: 'rare', drift: 'false' }),
  'a rare owner': ({ owner }) => ({ owner_user_id: owner.id, heartbeat: 'late' }),
  'two common values of which no agent has both': () => ({
    drift: 'unknown',
    status: 'active',
    lifecycle_status: 'blocked',
  }),
  'a value that no agent has': () => ({ heartbeat: 'never' }),
}

it.each(['newest', ...sorts].flatMap((sort) => Object.keys(filters).map((name) => [sort, name] as const)))(
  'a page in the order %s with %s reads at most 1.3 times as many database pages of four times the agents',
  async (sort, name) => {
    const [small, large] = (await costs(sort as Sort, filters[name] as (typeof filters)[string], undefined)) as [
      number,
      number,
    ]
    expect(large).toBeLessThan(60_000)
    // An index of four times the agents has at most one level more. PostgreSQL may read a small table whole instead of looking up the
    // heartbeats of the tested agents one by one.
    expect(large).toBeLessThan(1.3 * small + 1_500)
  },
)

it('all pages of a long list have each agent once, in the order of the slots of the heartbeats', async () => {
  const [tenant] = tenants as [TestTenant]
  const { api } = await addKey(server, tenant.id, tenant.owner)
  for (const sort of sorts) {
    const ids: string[] = []
    let token = ''
    do {
      const { body } = await api.get(`/agents?sort=${sort}&page_size=200${token && `&page_token=${token}`}`)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      token = body.next_page_token ?? ''
    } while (token)
    expect(ids).toHaveLength(sizes[0] as number)
    expect(new Set(ids).size).toBe(ids.length)
  }
})

it('a search for a text finds agents at the end of a sorted list with the first request', async () => {
  const tenant = tenants[1] as TestTenant
  const { rows } = await server.owner.query(
    `update agents set name = 'Zeta ' || substr(name, 7)::int / 10 where tenant_id = $1 and substr(name, 7)::int > 18000 returning id`,
    [tenant.id],
  )
  const { api } = await addKey(server, tenant.id, tenant.owner)
  for (const sort of ['attention', 'name']) {
    const ids: string[] = []
    let token = ''
    do {
      const { body } = await api.get(`/agents?sort=${sort}&search=zETA&page_size=200${token && `&page_token=${token}`}`)
      expect(body.data.length).toBeGreaterThan(0)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      token = body.next_page_token ?? ''
    } while (token)
    expect(ids).toHaveLength(rows.length)
    expect(new Set(ids).size).toBe(rows.length)
  }
})
