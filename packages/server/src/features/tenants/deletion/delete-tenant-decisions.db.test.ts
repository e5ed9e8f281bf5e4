import { v7 } from 'uuid'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { SigningEdge } from '../../../testing/signing-edge.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

const server = useOwnServer()

const remove = (tenant: TestTenant) => tenant.owner.api.delete(`/tenants/${tenant.id}`, { confirm: tenant.name })

interface Scene {
  tenant: TestTenant
  api: ApiClient
  edge: SigningEdge
  decision: object
}

async function arrange(): Promise<Scene> {
  const tenant = await createTenant(server)
  const agent_id = await addAgent(server, tenant.id, { environmentId: tenant.development })
  const api = await addEdge(server, tenant.id, tenant.development)
  const call = { tool: 'mcp:files/read', effect: 'allow', mode: 'enforce', policy_version: null, args_digest: 'd' }
  const decision = { decision_id: v7(), agent_id, ...call, at: new Date().toISOString() }
  return { tenant, api, edge: await SigningEdge.start(api), decision }
}

const batches: [string, (scene: Scene) => ReturnType<ApiClient['post']>][] = [
  ['an unsigned batch', ({ api, decision }) => api.post('/edge/decisions', { decisions: [decision] })],
  ['a signed batch', ({ edge, decision }) => edge.record(decision)],
]

/** Locks a table, so that requests stop where they write to it. Returns a function that ends the lock. */
async function lockTable(table: string): Promise<() => Promise<void>> {
  const client = await server.owner.connect()
  onTestFinished(() => client.release())
  await client.query('begin')
  await client.query(`lock table ${table} in share row exclusive mode`)
  return async () => {
    await client.query('rollback')
  }
}

async function untilWaiting(requests: number): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await server.owner.query(waiting)).rowCount, { timeout: 60_000 }).toBe(requests)
}

/** The tables of decisions and edge keys that have rows of the tenant. */
async function tablesLeft({ id }: TestTenant): Promise<string[]> {
  const { rows } = await server.owner.query(`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and (relname like 'decision%' or relname = 'edge_keys') order by 1`)
  const counts = rows.map(async ({ name }) => {
    const { rowCount } = await server.owner.query(`select from ${name} where tenant_id = $1`, [id])
    return rowCount ? name : []
  })
  return (await Promise.all(counts)).flat()
}

describe.each(batches)('%s and the deletion of its tenant at the same time leave no rows', (_, send) => {
  it('if the batch comes first, it is stored and then deleted', async () => {
    const scene = await arrange()
    const unlock = await lockTable('decision_minutes')
    const batch = send(scene)
    await untilWaiting(1)
    const removal = remove(scene.tenant)
    await untilWaiting(2)
    await unlock()
    expect([(await batch).status, (await removal).status]).toEqual([202, 204])
    expect(await tablesLeft(scene.tenant)).toEqual([])
  })

  it('if the deletion comes first, the batch is 401', async () => {
    const scene = await arrange()
    const unlock = await lockTable('decision_minutes')
    const removal = remove(scene.tenant)
    await untilWaiting(1)
    const batch = send(scene)
    await untilWaiting(2)
    await unlock()
    expect([(await batch).status, (await removal).status]).toEqual([401, 204])
    expect(await tablesLeft(scene.tenant)).toEqual([])
  })
})

it('a key that an edge registers during the deletion of its tenant is 401 and leaves no row', async () => {
  const scene = await arrange()
  const unlock = await lockTable('decision_links')
  const removal = remove(scene.tenant)
  await untilWaiting(1)
  const registration = SigningEdge.start(scene.api)
  await untilWaiting(2)
  await unlock()
  expect((await removal).status).toBe(204)
  expect((await registration).kid).toBeUndefined()
  expect(await tablesLeft(scene.tenant)).toEqual([])
})
