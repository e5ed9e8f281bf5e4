import { beforeAll, expect, it } from 'vitest'
import type { Tx } from '../../../db/database.ts'
import { actorOf } from '../../../testing/arrange.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer, useTenant } from '../../../testing/use-test-server.ts'
import { searchAgents } from './search-agents.ts'

const server = useOwnServer()
const tenant = useTenant(server)

const everyOther = 2000

beforeAll(async () => {
  await fillAgents(server, tenant.id, { count: 40_000, environmentId: tenant.development })
  // Every agent has fresh evidence, of one of three states. One agent in 2,000 has stale evidence.
  await server.owner.query(
    `insert into agent_evidence (tenant_id, agent_id, mode, tools, mediation_points, edge_version, attested_at, window_start, window_end,
       actions_seen, actions_mediated, unmediated_seen, reported_at)
     select tenant_id, id, 'full', '{}', '{}', '1', at,
       at - interval '1 minute', at, case when n % 3 = 1 then 0 else 10 end, case when n % 3 = 1 then 0 else 10 end,
       case when n % 3 = 2 then 1 else 0 end, at
     from (select tenant_id, id, n, now() + case when n % $2 = 0 then -1 else 24 end * interval '1 hour' as at
       from (select tenant_id, id, row_number() over (order by id) as n from agents where tenant_id = $1) x) x`,
    [tenant.id, everyOther],
  )
  await server.owner.query('vacuum analyze agents, agent_evidence')
})

it.each(['stale', 'unknown'] as const)(
  'finds a rare coverage state by index, without reading the whole table: %s',
  async (state) => {
    const actor = actorOf(tenant)
    const filters = {
      governance_state: 'governed' as const,
      execution_coverage: state,
      status: 'active' as const,
      page_size: 50,
    }
    const search = { actor, filters, now: new Date().toISOString(), lateBefore: new Date().toISOString(), wanted: 51 }
    const found: string[] = []
    const cost = await costOf(
      server,
      tenant.id,
      async (sql) => {
        const { ids } = await searchAgents(sql as Tx, search, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        found.push(...ids)
      },
      'generic',
    )
    expect(found).toHaveLength(state === 'stale' ? 40_000 / everyOther : 0)
    const scans = JSON.stringify(cost.plans).match(/"Seq Scan"[^{}]*"Relation Name":"\w+"/g)
    expect(scans).toBeNull()
  },
)
