import {
  agentSorts,
  agentSources,
  agentStatuses,
  driftStates,
  executionCoverageStates,
  governanceStates,
  heartbeatStates,
  lifecycleStatuses,
} from '@mandate/contract/agents'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { storeAttention } from '../../../agent-state/attention.ts'
import { slotOf } from '../../../agent-state/heartbeat-slot.ts'
import { newId } from '../../../db/ids/new-id.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { storeAttestation } from '../../edge/reach/evidence-queries.ts'
import { coverageStateSql, evidenceJoins } from '../json/coverage-queries.ts'

// Number of agents in each part of the test data. The newest part is larger than the number of agents that a list checks one by
// one. The common part of the long tests is larger than the number of candidates that a list collects.
const groups = { odd: 200, common: 1_500, newest: 1_100 }
const manyCommon = 21_000

const letter = fc.constantFrom(...'abcZÉİß%_\\\'"&|!:*() 東😀')
const frameworks = ['langgraph', '', 'crewai']
const oddName = fc.string({ unit: letter, minLength: 1, maxLength: 12 })

const server = useOwnServer()
let tenant: TestTenant
let commonAgents: number
const names: string[] = []

interface Caller {
  api: ApiClient
  /** SQL condition for the rows `a` of agents that the caller sees. */
  sees: string
}
const callers: Record<string, Caller> = {}

async function arrange(common: number): Promise<void> {
  commonAgents = common
  names.splice(0, names.length, ...fc.sample(oddName, groups.odd))
  const other = await createTenant(server)
  tenant = await createTenant(server)
  await seedAgents(other, 10)
  await seedAgents(tenant, common)
  const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
  await server.owner.query(
    `insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
     select tenant_id, gen_random_uuid(), $2, id, now() from agents where tenant_id = $1 and hashtext(id::text) % 9 = 0`,
    [tenant.id, scoped.id],
  )
  const bound = { environmentId: tenant.development }
  const granted = `exists (select from agent_grants g where g.agent_id = a.id and g.user_id = '${scoped.id}')`
  const inEnvironment = `a.environment_id = '${tenant.development}'`
  Object.assign(ids, {
    development: tenant.development,
    production: tenant.production,
    owner: tenant.owner.id,
    other: newId(),
  })
  const policies = await server.owner.query(
    'select policy_id as id from agents where tenant_id = $1 group by policy_id order by count(*) desc',
    [tenant.id],
  )
  ids.common = policies.rows[0].id
  ids.rare = policies.rows[1].id
  callers.owner = { api: tenant.owner.api, sees: 'true' }
  callers.scoped = { api: scoped.api, sees: granted }
  callers.bound = { api: (await addKey(server, tenant.id, tenant.owner, bound)).api, sees: inEnvironment }
  callers.both = { api: (await addKey(server, tenant.id, scoped, bound)).api, sees: `${granted} and ${inEnvironment}` }
  await server.owner.query('analyze')
}

/** Inserts agents of every kind: the oldest have odd names, then a common name, then another name. */
async function seedAgents(
  { id: tenantId, development, production, owner: { id: ownerId } }: TestTenant,
  commonAgents: number,
): Promise<void> {
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
    framework: oneOf(frameworks),
    owned: oneOf([false, true]),
    running: oneOf(['approved', 'other', 'unknown', 'never heard']),
    seconds_ago: oneOf([5, 30, 5_000, 50_000]),
    severity: oneOf([null, 'low', 'medium', 'high']),
  }))
  const [common_policy, rare_policy] = [await addPolicy(server, tenantId), await addPolicy(server, tenantId)]
  await server.owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, environment_id, has_evidence,
       policy_id, owner_user_id, framework, approved_policy_id, approved_hash, heard, drift_state, created_at, updated_at)
     select $1, id, name, status, source, governance_state, lifecycle_status, environment_id, shown <> 'nothing',
       (array[$3, $4]::uuid[])[1 + (hashtext(id::text) % 40 = 0)::int], case when owned then $5::uuid end, framework, $3, 'a',
       running <> 'never heard', case running when 'approved' then 'false' when 'other' then 'true' else 'unknown' end, now(), now()
     from json_to_recordset($2) as v (id uuid, name text, status text, source text, governance_state text, lifecycle_status text,
       environment_id uuid, shown text, framework text, owned boolean, running text)`,
    [tenantId, JSON.stringify(agents), common_policy.id, rare_policy.id, ownerId],
  )
  // A newer agent has a later heartbeat than an older one of the same ten minutes, because a long list sorts only by ten minutes.
  // No agent becomes late during the test.
  await server.owner.query(
    `insert into agent_runtime (tenant_id, agent_id, last_heartbeat_at, running_policy_id, running_hash, reported_at)
     select $1, id, now() + interval '1 hour' - (interval '1 hour' + interval '90 seconds') * (seconds_ago > 5)::int
         - seconds_ago * interval '1 second' + n * interval '1 millisecond',
       $3, case running when 'approved' then 'a' when 'other' then 'b' end, now()
     from rows from (json_to_recordset($2) as (id uuid, running text, seconds_ago int)) with ordinality as v (id, running, seconds_ago, n)
     where running <> 'never heard'`,
    [tenantId, JSON.stringify(agents), common_policy.id],
  )
  await server.owner.query(`update agent_runtime set heartbeat_slot = ${slotOf('last_heartbeat_at')}`)
  const found = agents.filter(({ severity }) => severity !== null)
  await server.owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     select $1, gen_random_uuid(), id, 'evidence_stale', severity, 'open', '{}', '', now() - n % 7 * interval '1 minute'
     from rows from (json_to_recordset($2) as (id uuid, severity text)) with ordinality as v (id, severity, n)`,
    [tenantId, JSON.stringify(found)],
  )
  await server.services.db.transaction(tenantId, async (tx) => {
    for (const { id } of found) await storeAttention(tx, id)
  })
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
  fc.nat().map((at) => `common ${at % commonAgents}`),
  fc.tuple(fc.nat(), fc.nat({ max: 11 })).map(([at, from]) => (names[at % names.length] as string).slice(from)),
)
const fields = {
  search: searched,
  status: fc.constantFrom(...agentStatuses),
  source: fc.constantFrom(...agentSources),
  lifecycle_status: fc.constantFrom(...lifecycleStatuses),
  execution_coverage: fc.constantFrom(...executionCoverageStates),
  governance_state: fc.constantFrom(...governanceStates),
  environment_id: fc.constantFrom('development', 'production', 'other'),
  policy_id: fc.constantFrom('common', 'rare', 'other'),
  owner_user_id: fc.constantFrom('none', 'owner', 'other'),
  framework: fc.constantFrom(...frameworks, 'unheard of'),
  drift: fc.constantFrom(...driftStates),
  heartbeat: fc.constantFrom(...heartbeatStates),
  sort: fc.constantFrom(...agentSorts),
}
const every = fc.record(fields)
const filterNames = Object.keys(fields) as (keyof typeof fields)[]
const chosen = fc.oneof(fc.subarray(filterNames, { maxLength: 2 }), fc.subarray(filterNames))
/** Some of the filters, often at most two of them, so that many agents match. */
const asked = fc
  .tuple(every, chosen)
  .map(
    ([all, names]) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => (names as string[]).includes(name))) as Asked,
  )
type Every = typeof every extends fc.Arbitrary<infer Filters> ? Filters : never
type Asked = Partial<Every>

/** The ids of environments, policies and users by the names that the filters of this test use. */
const ids: Record<string, string> = {}
const idOf = (value: string) => ids[value] ?? value

const orders = {
  newest: 'a.id desc',
  name: 'lower(a.name) collate "C", a.id',
  attention: `case (select severity from findings f where f.agent_id = a.id) when 'high' then 1 when 'medium' then 2
    when 'low' then 3 else 4 end, (select opened_at from findings f where f.agent_id = a.id) desc nulls last,
    lower(a.name) collate "C", a.id`,
  last_heartbeat: 'r.last_heartbeat_at desc nulls last, a.id desc',
}

/** The ids of a whole list, found by checking each agent of the tenant. */
async function scan(sees: string, { search = '', execution_coverage: coverage, sort, ...asked }: Asked) {
  const { drift, heartbeat, owner_user_id: owner, ...columns } = asked
  const wanted = { governance_state: 'governed', ...columns }
  const conditions = Object.entries(wanted).map(([name, value]) => `a.${name} = '${idOf(value)}'`)
  if (owner !== undefined) conditions.push(`a.owner_user_id ${owner === 'none' ? 'is null' : `= '${idOf(owner)}'`}`)
  if (drift !== undefined) conditions.push(`a.drift_state = '${drift}'`)
  if (heartbeat === 'never') conditions.push('r.agent_id is null')
  else if (heartbeat)
    conditions.push(`r.last_heartbeat_at ${heartbeat === 'late' ? '<' : '>='} now() - interval '90 seconds'`)
  const inState = `cross join (select now() as now) q ${evidenceJoins} left join agent_runtime r on r.agent_id = a.id
    where ${coverageStateSql} = '${coverage}'`
  const { rows } = await server.owner.query(
    `select a.id from agents a ${coverage ? inState : 'left join agent_runtime r on r.agent_id = a.id where true'}
       and a.tenant_id = $1 and ${sees} and strpos(lower(a.name), lower($2)) > 0 and ${conditions.join(' and ')}
     order by ${orders[sort ?? 'newest']}`,
    [tenant.id, search],
  )
  return rows.map(({ id }) => id as string)
}

/** The ids of the first two pages. */
async function list(api: ApiClient, filters: Asked, size: number): Promise<string[]> {
  const asked = Object.entries(filters).map(([name, value]) => [name, idOf(value)])
  const query = new URLSearchParams([...asked, ['page_size', String(size)]])
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

/** The tests that compare `runs` lists with a check of every agent. */
function compareLists(common: number, runs: number): void {
  beforeAll(() => arrange(common))

  it('for any filters and any caller, the page has the agents that a check of every agent finds', async () => {
    const caller = fc.constantFrom('owner', 'scoped', 'bound', 'both')
    await fc.assert(
      fc.asyncProperty(caller, asked, fc.integer({ min: 1, max: 60 }), async (who, filters, size) => {
        const { api, sees } = callers[who] as Caller
        expect(await list(api, filters, size)).toEqual((await scan(sees, filters)).slice(0, 2 * size))
      }),
      { numRuns: runs },
    )
  })

  it('a search finds every agent whose name contains the text, in any case, also for one and two characters', async () => {
    await fc.assert(
      fc.asyncProperty(searched, async (search) => {
        expect(await list(tenant.owner.api, { search }, 50)).toEqual((await scan('true', { search })).slice(0, 100))
      }),
      { numRuns: runs },
    )
  })
}

describe('in a tenant of some thousand agents', () => {
  compareLists(groups.common, 60)

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
})

describe('in a tenant with more matching agents than a list collects', { tags: ['long'] }, () =>
  compareLists(manyCommon, 300),
)
