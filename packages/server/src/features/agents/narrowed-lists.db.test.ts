import {
  agentSources,
  agentStatuses,
  executionCoverageStates,
  governanceStates,
  lifecycleStatuses,
} from '@mandate/contract/agents'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../db/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { storeAttestation } from '../edge/evidence-queries.ts'
import { coverageStateSql, evidenceJoins } from './coverage-queries.ts'

// Number of agents in each part of the test data. The newest part is larger than the number of agents that a list checks one by
// one. The common part is larger than the number of candidates that a list collects.
const groups = { odd: 200, common: 21_000, newest: 1_100 }

const letter = fc.constantFrom(...'abcZÉİß%_\\\'"&|!:*() 東😀')
const oddName = fc.string({ unit: letter, minLength: 1, maxLength: 12 })

const server = useTestServer()
let tenant: TestTenant
const names: string[] = []

interface Caller {
  api: ApiClient
  /** SQL condition for the rows `a` of agents that the caller sees. */
  sees: string
}
const callers: Record<string, Caller> = {}

beforeAll(async () => {
  names.push(...fc.sample(oddName, groups.odd))
  const other = await createTenant(server)
  tenant = await createTenant(server)
  await seedAgents(other, 10)
  await seedAgents(tenant, groups.common)
  const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
  await server.owner.query(
    `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
     select tenant_id, gen_random_uuid(), $2, id, now() from agents where tenant_id = $1 and hashtext(id::text) % 9 = 0`,
    [tenant.id, scoped.id],
  )
  const bound = { environmentId: tenant.development }
  const granted = `exists (select from agent_grants g where g.agent_id = a.id and g.user_id = '${scoped.id}')`
  const inEnvironment = `a.environment_id = '${tenant.development}'`
  callers.owner = { api: tenant.owner.api, sees: 'true' }
  callers.scoped = { api: scoped.api, sees: granted }
  callers.bound = { api: (await addKey(server, tenant.id, tenant.owner, bound)).api, sees: inEnvironment }
  callers.both = { api: (await addKey(server, tenant.id, scoped, bound)).api, sees: `${granted} and ${inEnvironment}` }
  await server.owner.query('analyze')
})

/** Inserts agents of every kind: the oldest have odd names, then a common name, then another name. */
async function seedAgents({ id: tenantId, development, production }: TestTenant, commonAgents: number): Promise<void> {
  const common = Array.from({ length: commonAgents }, (_, n) => `Common ${n}`)
  const newest = Array.from({ length: groups.newest }, () => 'newest')
  const agents = [...names, ...common, ...newest].map((name) => ({
    id: newId(),
    name,
    status: oneOf(agentStatuses),
    source: oneOf(agentSources),
    governance_state: oneOf(['governed', 'discovered', 'suppressed']),
    lifecycle_status: oneOf(lifecycleStatuses),
    environment_id: oneOf([production, development]),
    shown: oneOf(['nothing', 'idle', 'claimed', 'observed', 'covered', 'partial', 'stale']),
  }))
  await server.owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, has_evidence,
       created_at, updated_at)
     select $1, id, name, status, source, governance_state, lifecycle_status, environment_id, shown <> 'nothing', now(), now()
     from json_to_recordset($2) as v (id uuid, name text, status text, source text, governance_state text, lifecycle_status text,
       environment_id uuid, shown text)`,
    [tenantId, JSON.stringify(agents)],
  )
  await server.owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at, window_start,
       window_end, actions_seen, actions_mediated, unmediated_seen, reported_at)
     select $1, id, 'full', '{}', '{}', '1.0.0', at, at, at, seen, seen, case shown when 'partial' then 1 else 0 end, at
     from json_to_recordset($2) as v (id uuid, shown text)
     cross join lateral (select case shown when 'stale' then now() - interval '1 day' else now() + interval '1 day' end as at,
       case when shown in ('idle', 'claimed') then 0 else 3 end as seen) t
     where shown <> 'nothing'`,
    [tenantId, JSON.stringify(agents)],
  )
  const unattested = agents.filter(({ shown }) => shown === 'idle' || shown === 'observed').map(({ id }) => id)
  await server.owner.query(
    `update agent_evidence set mode = null, tools = null, mediation_points = null, edge_version = null, attested_at = null
     where tenant_id = $1 and agent_id = any($2)`,
    [tenantId, unattested],
  )
}

/** Returns nearly always the first value, so that the others are rare. */
function oneOf<T>(values: readonly T[]): T {
  return values[Math.random() < 0.97 ? 0 : Math.floor(Math.random() * values.length)] as T
}

const partOfName = fc
  .tuple(fc.constantFrom('Common 12', 'newest'), fc.nat(), fc.nat())
  .map(([name, from, to]) => name.slice(from % name.length).slice(0, 1 + (to % name.length)))
const searched = fc.oneof(
  oddName,
  partOfName,
  fc.nat().map((at) => `common ${at % groups.common}`),
  fc.tuple(fc.nat(), fc.nat({ max: 11 })).map(([at, from]) => (names[at % names.length] as string).slice(from)),
)
const asked = fc.record(
  {
    search: searched,
    status: fc.constantFrom(...agentStatuses),
    source: fc.constantFrom(...agentSources),
    lifecycle_status: fc.constantFrom(...lifecycleStatuses),
    execution_coverage: fc.constantFrom(...executionCoverageStates),
    governance_state: fc.constantFrom(...governanceStates),
  },
  { requiredKeys: [] },
)
type Asked = typeof asked extends fc.Arbitrary<infer Filters> ? Filters : never

/** The ids of a whole list, found by checking each agent of the tenant. */
async function scan(sees: string, { search = '', execution_coverage: coverage, ...columns }: Asked): Promise<string[]> {
  const wanted = { governance_state: 'governed', ...columns }
  const inState = `cross join (select now() as now) q ${evidenceJoins} where ${coverageStateSql} = '${coverage}'`
  const { rows } = await server.owner.query(
    `select a.id from agents a ${coverage ? inState : 'where true'} and a.tenant_id = $1 and ${sees}
       and strpos(lower(a.name), lower($2)) > 0 and ${Object.entries(wanted)
         .map(([name, value]) => `a.${name} = '${value}'`)
         .join(' and ')}
     order by a.id desc`,
    [tenant.id, search],
  )
  return rows.map(({ id }) => id)
}

/** The ids of the first two pages. */
async function list(api: ApiClient, filters: Asked, size: number): Promise<string[]> {
  const query = new URLSearchParams({ ...filters, page_size: String(size) })
  const ids: string[] = []
  for (const _ of ['first', 'second']) {
    const { status, body } = await api.get(`/agents?${query}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.next_page_token === undefined) break
    query.set('page_token', body.next_page_token)
  }
  return ids
}

it('for any filters and any caller, the page has the agents that a check of every agent finds', async () => {
  const caller = fc.constantFrom('owner', 'scoped', 'bound', 'both')
  await fc.assert(
    fc.asyncProperty(caller, asked, fc.integer({ min: 1, max: 60 }), async (who, filters, size) => {
      const { api, sees } = callers[who] as Caller
      expect(await list(api, filters, size)).toEqual((await scan(sees, filters)).slice(0, 2 * size))
    }),
    { numRuns: 150 },
  )
})

it('a search finds every agent whose name contains the text, in any case, also for one and two characters', async () => {
  await fc.assert(
    fc.asyncProperty(searched, async (search) => {
      expect(await list(tenant.owner.api, { search }, 50)).toEqual((await scan('true', { search })).slice(0, 100))
    }),
    { numRuns: 150 },
  )
})

it('a renamed agent is found by its new name and not by the old one', async () => {
  const [id] = (await scan('true', { search: 'common 17' })) as [string]
  expect((await tenant.owner.api.put(`/agents/${id}`, { name: 'Wholly other' })).status).toBe(200)
  expect(await list(tenant.owner.api, { search: 'OLLY O' }, 50)).toEqual([id])
  expect(await list(tenant.owner.api, { search: 'common 17' }, 50)).not.toContain(id)
})

it('an agent leaves the filter unknown with its first evidence', async () => {
  const filters = { execution_coverage: 'unknown', search: 'common 23' } as const
  const before = await list(tenant.owner.api, filters, 200)
  const [id] = before as [string]
  await server.services.db.transaction(tenant.id, (tx) =>
    storeAttestation(
      tx,
      { agent_id: id, mode: 'full', tools: [], mediation_points: [], edge_version: '1.0.0' },
      new Date().toISOString(),
    ),
  )
  const { rows } = await server.owner.query('select has_evidence from agents where id = $1', [id])
  expect(rows).toEqual([{ has_evidence: true }])
  expect(await list(tenant.owner.api, filters, 200)).toEqual(before.filter((other) => other !== id))
})

it('the shown coverage is read from its index under row-level security', async () => {
  const plan = await server.services.db.transaction(tenant.id, async (tx) => {
    await tx.query('set local enable_seqscan = off')
    return await tx.query(`explain select v.agent_id from agent_evidence v
      where v.tenant_id = '${tenant.id}' and v.shows = 'claimed'`)
  })
  const lines = plan.rows.map((row) => row['QUERY PLAN'] as string)
  expect(lines.find((line) => line.includes('Index Cond'))).toContain('shows')
})
