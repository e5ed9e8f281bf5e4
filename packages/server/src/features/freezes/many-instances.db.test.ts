import { beforeAll, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { createTenant, type TestTenant } from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { fillAgents } from '../../testing/fill-agents.ts'
import { beat } from '../../testing/running-instance.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

// 10,500 agents that each use their own key, and one edge. All counts stop at 10,000, which means "10,000 or more".

const server = useOwnServer()
const count = 10_500
let tenant: TestTenant
let owner: ApiClient
const last = `(select id from agents where tenant_id = $1 order by id desc limit 1)`

beforeAll(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  await fillAgents(server, tenant.id, { count, environmentId: tenant.development })
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
     select tenant_id, id, 'own', 1, now() + interval '1 hour', 1, environment_id from agents where tenant_id = $1`,
    [tenant.id],
  )
  await server.owner.query('vacuum analyze agents, edge_instances')
})

const read = async (path: string) => {
  const answer = await owner.get(path)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}
const freeze = async (body: object) => {
  const answer = await owner.post('/freezes', { reason: 'a test', ...body })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const lift = (id: string) => owner.post(`/freezes/${id}/lift`, { reason: 'over' })

/** Stores confirmations of every instance, except the last ones in the order of the ids. */
const confirmAllBut = (id: string, left: number) =>
  server.owner.query(
    `insert into freeze_confirmations (tenant_id, freeze_id, credential_id, instance_id, agent_id, environment_id, said_at, received_at, after_ms)
     select tenant_id, $2, credential_id, instance_id, credential_id, environment_id, now(), now(), 100 from edge_instances
     where tenant_id = $1 and instance_id = 'own' order by credential_id limit $3 on conflict do nothing`,
    [tenant.id, id, count - left],
  )
const lastIsSeen = (at: string) =>
  server.owner.query(
    `update edge_instances set seen_at = now() + $2::interval where tenant_id = $1 and credential_id = ${last}`,
    [tenant.id, at],
  )

it.each(['environment', 'organization'] as const)(
  'a freeze is complete only after the last of 10,500 instances confirmed: %s',
  async (scope) => {
    const { id } = await freeze({ scope, ...(scope === 'environment' && { environment_id: tenant.development }) })
    await confirmAllBut(id, 1)
    const waiting = { edges: { total: 10_000, confirmed: 10_000, unreachable: 0 }, confirmed_all_at: null }
    expect(await read(`/freezes/${id}`)).toMatchObject(waiting)
    await lastIsSeen('-1 hour')
    expect(await read(`/freezes/${id}`)).toMatchObject({ edges: { unreachable: 1 }, confirmed_all_at: null })
    await lastIsSeen('1 hour')
    await confirmAllBut(id, 0)
    const complete = await read(`/freezes/${id}`)
    expect(complete).toMatchObject({ ...waiting, confirmed_all_at: expect.any(String) })
    expect(await lift(id)).toMatchObject({ status: 200, body: { confirmed_all_at: complete.confirmed_all_at } })
  },
)

it('a silent instance after 10,000 others is counted and listed', async () => {
  await lastIsSeen('-1 hour')
  expect(await read('/freezes/preview?scope=organization')).toMatchObject({ edges: 10_000, silent: 1 })
  expect(await read('/edges/instances?silent=true')).toMatchObject({ total: 1, data: [{ silent: true }] })
  expect(await read('/edges/instances?limit=2')).toMatchObject({
    total: 10_000,
    data: [{ silent: true }, { silent: false }],
  })
  const { edges } = await read('/overview')
  expect(edges).toMatchObject({ instances: 10_000, instances_silent: 1 })
  await lastIsSeen('1 hour')
})

it('a freeze of one agent counts the edge and the instance of the agent among 10,500 others', async () => {
  const edge = await addEdge(server, tenant.id, tenant.development)
  const { rows } = await server.owner.query(last.slice(1, -1), [tenant.id])
  expect(await read(`/freezes/preview?scope=agent&agent_id=${rows[0].id}`)).toMatchObject({ edges: 1 })
  await beat(edge, 'late', rows[0].id)
  expect(await read(`/freezes/preview?scope=agent&agent_id=${rows[0].id}`)).toMatchObject({ edges: 2 })
  expect(await read('/edges/instances?credential=edge')).toMatchObject({ total: 1 })
})

it('pages of instances are full behind 505 silent instances that stopped', async () => {
  const edge = await addEdge(server, tenant.id, tenant.development)
  const { rows } = await server.owner.query(last.slice(1, -1), [tenant.id])
  await beat(edge, 'runs', rows[0].id)
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
     select tenant_id, credential_id, 'stopped ' || n, 1, now() - interval '1 day', 1, environment_id
     from edge_instances, generate_series(1, 505) n where tenant_id = $1 and instance_id = 'runs'`,
    [tenant.id],
  )
  for (const query of ['limit=20', 'limit=20&offset=9990']) {
    const { data, total } = await read(`/edges/instances?${query}`)
    expect([data.length, total]).toEqual([20, 10_000])
    expect(data.every(({ instance_id }: { instance_id: string }) => !instance_id.startsWith('stopped'))).toBe(true)
  }
})

it('the list of freezes leaves out counts that would read many instances; the freeze itself has them', async () => {
  // A second process with the key of each agent.
  await server.owner.query(
    `insert into edge_instances (tenant_id, credential_id, instance_id, seq, seen_at, agents, environment_id)
     select tenant_id, credential_id, 'second', 1, seen_at, 1, environment_id from edge_instances
     where tenant_id = $1 and instance_id = 'own'`,
    [tenant.id],
  )
  const { id } = await freeze({ scope: 'organization' })
  await confirmAllBut(id, 0)
  expect((await read('/freezes?limit=1')).data).toMatchObject([{ id, edges: null, confirmed_all_at: null }])
  expect(await read(`/freezes/${id}`)).toMatchObject({ edges: { confirmed: 10_000 } })
  await lift(id)
})
