import { beforeAll, describe, expect, it } from 'vitest'
import type { Sql } from '../../../db/database.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { actorOf, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { fillAgents } from '../../../testing/fill-agents.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { countInstances } from '../../freezes/instance-queries.ts'
import { quietAt } from '../reach/quiet.ts'
import { countVisibleInstances, findInstances, type InstanceFilters } from './instance-queries.ts'
import { markLateInstances } from './mark-late-instances.ts'

// Agents that each use their own key. A tenant has so many instances that the late ones are marked.

const server = useOwnServer()
const count = 12_000
let tenant: TestTenant
const silentCount = 20

beforeAll(async () => {
  tenant = await tenantWith(count)
})

async function tenantWith(count: number): Promise<TestTenant> {
  const tenant = await createTenant(server)
  await fillAgents(server, tenant.id, { count, environmentId: tenant.development })
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
     select tenant_id, id, 'own', 1, now() + interval '1 hour', 1, environment_id from agents where tenant_id = $1`,
    [tenant.id],
  )
  await setSeen(tenant, '-1 hour')
  expect(await markLateInstances(server.services, tenant.id)).toBe(true)
  await server.owner.query('vacuum analyze agents, edge_instances')
  return tenant
}

/** Sets the last heartbeat of the instances with the highest ids. */
const setSeen = ({ id }: TestTenant, at: string, count = silentCount) =>
  server.owner.query(
    `update edge_instances set seen_at = now() + $2::interval where tenant_id = $1
       and credential_id in (select credential_id from edge_instances where tenant_id = $1 order by credential_id desc limit $3)`,
    [id, at, count],
  )
const setMarkedBefore = ({ id }: TestTenant, at: string) =>
  server.owner.query('update late_marks set marked_before = now() + $2::interval where tenant_id = $1', [id, at])
const marked = async ({ id }: TestTenant) => {
  const text = 'select count(*)::int as count from edge_instances where tenant_id = $1 and is_late'
  return (await server.owner.query(text, [id])).rows[0].count
}

const quiet = () => quietAt({ now: new Date().toISOString(), services: server.services })
const any: InstanceFilters = { credential: undefined, silent: undefined, environmentId: undefined }
const firstPage = { limit: 50, offset: 0 }
const list = (sql: Sql, tenant: TestTenant, filters: Partial<InstanceFilters>) =>
  findInstances(sql, actorOf(tenant), { ...any, ...filters }, quiet(), firstPage)
const preview = (sql: Sql, tenant: TestTenant, scope: 'environment' | 'organization') => {
  const place = scope === 'environment' ? tenant.development : null
  const instances = { freezeId: newId(), scope, target: place ?? tenant.id, place, startedBy: 'infinity' }
  return countInstances(sql, actorOf(tenant), instances, quiet())
}

/** Returns the number of silent instances, and fails if the list, the previews and the overview differ. */
async function countSilent(tenant: TestTenant): Promise<number> {
  const sql = server.services.db.reader(tenant.id)
  const { total, instances } = await list(sql, tenant, { silent: true })
  expect(instances).toHaveLength(total)
  const inList = await list(sql, tenant, {})
  expect(inList.total).toBe(10_000)
  expect(inList.instances.filter((one) => one.silent)).toHaveLength(total)
  for (const scope of ['environment', 'organization'] as const) {
    expect(await preview(sql, tenant, scope)).toMatchObject({ open: 10_000, unreachable: total })
  }
  const counts = await countVisibleInstances(sql, actorOf(tenant), quiet())
  expect(counts).toEqual({ instances: 10_000, instances_silent: total })
  return total
}

it('marked instances are silent until they return, and then lose the mark', async () => {
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([silentCount, silentCount])
  await setSeen(tenant, '1 hour', 5)
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([silentCount - 5, silentCount])
  expect(await markLateInstances(server.services, tenant.id)).toBe(true)
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([silentCount - 5, silentCount - 5])
  await setSeen(tenant, '-1 hour')
  await markLateInstances(server.services, tenant.id)
})

it('instances are marked before they are silent', async () => {
  const { seconds } = quiet()
  await setSeen(tenant, `-${seconds * 0.6} seconds`)
  await markLateInstances(server.services, tenant.id)
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([0, silentCount])
  await setSeen(tenant, '-1 hour')
  expect(await countSilent(tenant)).toBe(silentCount)
})

it('silent instances without a mark are found if the marks are too old', async () => {
  await setSeen(tenant, '-1 hour', silentCount + 5)
  await setMarkedBefore(tenant, `-${quiet().seconds + 1} seconds`)
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([silentCount + 5, silentCount])
  await markLateInstances(server.services, tenant.id)
  expect([await countSilent(tenant), await marked(tenant)]).toEqual([silentCount + 5, silentCount + 5])
})

it('a tenant with few instances gets no marks', async () => {
  const tenant = await createTenant(server)
  expect(await markLateInstances(server.services, tenant.id)).toBe(false)
  expect((await server.owner.query('select from late_marks where tenant_id = $1', [tenant.id])).rows).toEqual([])
})

it('no index of edge_instances depends on a column that each heartbeat changes', async () => {
  const { rows } = await server.owner.query(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'edge_instances'::regclass`,
  )
  expect(rows.length).toBeGreaterThan(2)
  for (const { text } of rows) expect(text).not.toMatch(/\b(seq|seen_at|closes_at)\b/)
})

const reads: [string, number, (sql: Sql, tenant: TestTenant) => Promise<unknown>][] = [
  ['the list of silent instances', 1_000, (sql, tenant) => list(sql, tenant, { silent: true })],
  ['a page of all instances', 20_000, (sql, tenant) => list(sql, tenant, {})],
  ['the overview', 20_000, (sql, tenant) => countVisibleInstances(sql, actorOf(tenant), quiet())],
  ['the preview of a freeze of an environment', 20_000, (sql, tenant) => preview(sql, tenant, 'environment')],
  ['the preview of a freeze of the organization', 20_000, (sql, tenant) => preview(sql, tenant, 'organization')],
]

describe('of a tenant with three times the instances', { tags: ['long'] }, () => {
  let larger: TestTenant
  beforeAll(async () => {
    larger = await tenantWith(3 * count)
  })

  it.each(reads)('reads no more pages: %s', async (_name, most, read) => {
    for (const one of [tenant, larger]) await setMarkedBefore(one, '0 seconds')
    for (const mode of ['generic', 'custom'] as const) {
      const [small, large] = await Promise.all(
        [tenant, larger].map((one) => costOf(server, one.id, (sql) => read(sql, one), mode)),
      )
      expect(large?.buffers).toBeLessThan((small?.buffers ?? 0) * 1.3)
      expect(large?.buffers).toBeLessThan(most)
    }
  })
})
