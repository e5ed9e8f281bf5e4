import { executionCoverageStates } from '@mandate/contract/agents'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addPerson, grantAgent } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

// Larger than the number of agents that the list checks one by one before it searches for candidates.
const newerAgents = 1_100

const server = useTestServer()
const tenant = useTenant(server)
let edge: ApiClient
/** Agents that are older than all others, and their expected state. */
const old: { id: string; state: string }[] = []

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const attest = (agentId: string, mode: string) =>
  edge.post('/edge/attestations', { agent_id: agentId, mode, tools: [], mediation_points: [], edge_version: '1.0.0' })

const report = (agentId: string, endedMinutesAgo: number, unmediated = 0) =>
  edge.post('/edge/execution-stats', {
    agent_id: agentId,
    window_start: minutesAgo(endedMinutesAgo + 1),
    window_end: minutesAgo(endedMinutesAgo),
    actions_seen: 10,
    actions_mediated: 10,
    unmediated_seen: unmediated,
  })

const cases: [state: string, evidence: (id: string) => Promise<unknown>][] = [
  ['unknown', async () => {}],
  ['stale', (id) => report(id, 60)],
  ['stale', (id) => report(id, 60, 3)],
  ['claimed', (id) => attest(id, 'full')],
  ['partial', (id) => attest(id, 'partial')],
  ['partial', (id) => report(id, 1, 3)],
  // The newest reporting window counts, even if an older window is reported after it.
  ['observed', (id) => report(id, 1).then(() => report(id, 5, 3))],
  ['observed', (id) => report(id, 60, 3).then(() => report(id, 1))],
  ['partial', (id) => report(id, 1, 3).then(() => report(id, 5))],
  ['covered', (id) => attest(id, 'none').then(() => attest(id, 'full').then(() => report(id, 1)))],
  ['partial', (id) => attest(id, 'full').then(() => report(id, 1).then(() => openGap(id)))],
]

function openGap(agentId: string) {
  return server.owner.query(
    `insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
     values ($1, $2, $3, 'coverage_gap', 'high', 'open', '{}', '', now())`,
    [tenant.id, newId(), agentId],
  )
}

beforeAll(async () => {
  edge = await addEdge(server, tenant.id, tenant.development)
  for (const [state, evidence] of cases) {
    const id = await addAgent(server, tenant.id, { environmentId: tenant.development })
    await evidence(id)
    old.push({ id, state })
  }
  const ids = Array.from({ length: newerAgents }, () => newId())
  await server.owner.query(
    `insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
     select $1, id, 'newer', 'active', 'runtime', 'governed', 'approved', now(), now() from unnest($2::uuid[]) id`,
    [tenant.id, ids],
  )
})

async function listAll(api: ApiClient, query: string): Promise<string[]> {
  const ids: string[] = []
  for (let token = ''; ; ) {
    const { status, body } = await api.get(`/agents?${query}${token && `&page_token=${token}`}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (!body.next_page_token) return ids
    token = body.next_page_token
  }
}

const oldIn = (state: string) => old.filter((agent) => agent.state === state).map(({ id }) => id)

it.each(executionCoverageStates.filter((state) => state !== 'unknown'))(
  'the filter %s finds all agents in that state, newest first, however many newer agents are in other states',
  async (state) => {
    expect(await listAll(tenant.owner.api, `execution_coverage=${state}`)).toEqual(oldIn(state).toReversed())
    expect(await listAll(tenant.owner.api, `execution_coverage=${state}&page_size=1`)).toEqual(
      oldIn(state).toReversed(),
    )
  },
)

it('a filter by a rare state also applies the other filters and a scoped user’s visibility', async () => {
  const scoped = await addPerson(server, tenant.id, { role: 'member', accessScope: 'scoped' })
  const [granted] = oldIn('stale') as [string]
  await grantAgent(server, tenant.id, scoped.id, granted)
  expect(await listAll(scoped.api, 'execution_coverage=stale')).toEqual([granted])
  expect(await listAll(tenant.owner.api, 'execution_coverage=stale&status=active')).toEqual([])
  expect(await listAll(tenant.owner.api, 'execution_coverage=partial&governance_state=discovered')).toEqual([])
})

it('an agent leaves the filter stale with its next evidence', async () => {
  const [first, ...others] = oldIn('stale') as [string, ...string[]]
  await report(first, 1)
  expect(await listAll(tenant.owner.api, 'execution_coverage=stale')).toEqual(others.toReversed())
})
