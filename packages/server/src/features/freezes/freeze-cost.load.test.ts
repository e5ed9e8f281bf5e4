import { beforeAll, expect, it } from 'vitest'
import type { Sql } from '../../db/database.ts'
import { newId } from '../../db/ids/new-id.ts'
import { actorOf, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { fillAgents } from '../../testing/fill-agents.ts'
import { costOf } from '../../testing/statement-cost.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { markLateInstances } from '../edge/instances/mark-late-instances.ts'
import { countCovered } from './change/target-queries.ts'
import { countFewInstances, countInstances, type FreezeInstances } from './instance-queries.ts'
import { findFreezeEdges } from './list/edge-page-queries.ts'

const server = useOwnServer()
const sizes = [15_000, 45_000]
const tenants: TestTenant[] = []

// Each agent uses its own key, so each is a running instance.
beforeAll(async () => {
  for (const count of sizes) {
    const tenant = await createTenant(server)
    tenants.push(tenant)
    await fillAgents(server, tenant.id, { count, environmentId: tenant.development })
    await server.owner.query(
      `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
       select tenant_id, id, 'own', 1, now() + interval '1 hour', 1, environment_id from agents where tenant_id = $1`,
      [tenant.id],
    )
    expect(await markLateInstances(server.services, tenant.id)).toBe(true)
  }
  await server.owner.query('vacuum analyze agents, edge_instances')
})

const quiet = { seconds: 90, silentBefore: new Date(Date.now() - 90_000).toISOString() }
const instancesIn = (tenant: TestTenant, scope: 'environment' | 'organization'): FreezeInstances => ({
  freezeId: newId(),
  scope,
  target: scope === 'environment' ? tenant.development : tenant.id,
  place: scope === 'environment' ? tenant.development : null,
  startedBy: 'infinity',
})

async function buffers(work: (sql: Sql, tenant: TestTenant) => Promise<unknown>): Promise<number[]> {
  const found: number[] = []
  for (const tenant of tenants) {
    const costs = await Promise.all(
      (['generic', 'custom'] as const).map((mode) => costOf(server, tenant.id, (sql) => work(sql, tenant), mode)),
    )
    found.push(Math.max(...costs.map((cost) => cost.buffers)))
  }
  return found
}

const scopes = ['environment', 'organization'] as const

it.each(scopes)('the counts of a freeze read no more rows of a larger tenant: %s', async (scope) => {
  const [small = 0, large = 0] = await buffers((sql, tenant) => {
    const { target: id, place: environmentId } = instancesIn(tenant, scope)
    return countCovered(sql, actorOf(tenant), { scope, id, name: '', environmentId }, new Date().toISOString())
  })
  expect(large).toBeLessThan(small * 1.3)
})

it.each(scopes)('the counts of its instances read no more rows of a larger tenant: %s', async (scope) => {
  const [small = 0, large = 0] = await buffers((sql, tenant) =>
    countInstances(sql, actorOf(tenant), instancesIn(tenant, scope), quiet),
  )
  expect(large).toBeLessThan(small * 1.3)
})

it('the counts of 50 freezes of a list read at most ten pages more for each freeze than those of one', async () => {
  const readFor = async (freezes: number) => {
    const [, large = 0] = await buffers(async (sql, tenant) => {
      for (let each = 0; each < freezes; each++)
        await countFewInstances(sql, actorOf(tenant), instancesIn(tenant, 'environment'), quiet, freezes)
    })
    return large
  }
  const [fifty, one] = [await readFor(50), await readFor(1)]
  expect(fifty - one).toBeLessThan(50 * 10)
  expect(one).toBeLessThan(5_000)
})

it.each(scopes)('a page of its instances reads a bounded number of rows: %s', async (scope) => {
  const [small = 0, large = 0] = await buffers((sql, tenant) => {
    const page = { instances: instancesIn(tenant, scope), isOpen: true, state: undefined, after: undefined, size: 50 }
    return findFreezeEdges(sql, actorOf(tenant), page, quiet)
  })
  expect(large).toBeLessThan(small * 1.3)
  expect(large).toBeLessThan(40_000)
})
