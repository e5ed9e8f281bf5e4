import { Agent } from '@mandate/contract/agents'
import { describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  grantAgent,
  type NewAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

async function addAgents(tenant: TestTenant, count: number, agent: NewAgent = {}): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await addAgent(server, tenant.id, agent))
  return ids
}

describe('GET /agents', () => {
  it('200 with the agents newest first, each with exactly the contract’s fields, and no token on the last page', async () => {
    const tenant = await createTenant(server)
    const ids = await addAgents(tenant, 3, { environmentId: tenant.development })
    const { status, body } = await tenant.owner.api.get('/agents')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    expect(idsOf(body)).toEqual(ids.toReversed())
    for (const agent of body.data) {
      expect(Object.keys(agent).sort()).toEqual(
        Object.keys(Agent.omit({ may: true, may_not: true, activity: true }).shape).sort(),
      )
      expect(Agent.parse(agent)).toEqual(agent)
    }
    expect(body.data[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect((await (await createTenant(server)).owner.api.get('/agents')).body).toEqual({ data: [] })
  })

  it('returns all agents once and in order over several pages, even if agents are created in between', async () => {
    const tenant = await createTenant(server)
    const ids = await addAgents(tenant, 7)
    const seen: string[] = []
    let token: string | undefined
    do {
      const { body } = await tenant.owner.api.get(`/agents?page_size=3${token ? `&page_token=${token}` : ''}`)
      seen.push(...idsOf(body))
      token = body.next_page_token
      await addAgents(tenant, 1)
    } while (token)
    expect(seen).toEqual(ids.toReversed())
  })

  it('page_size defaults to 50 and is clamped to 1..200; PageSize and PageToken are accepted too', async () => {
    const tenant = await createTenant(server)
    const ids = (await addAgents(tenant, 52)).toReversed()
    expect(idsOf((await tenant.owner.api.get('/agents')).body)).toEqual(ids.slice(0, 50))
    expect(idsOf((await tenant.owner.api.get('/agents?page_size=0')).body)).toEqual(ids.slice(0, 1))
    expect(idsOf((await tenant.owner.api.get('/agents?page_size=100000')).body)).toEqual(ids)
    const first = await tenant.owner.api.get('/agents?PageSize=51')
    expect(idsOf(first.body)).toEqual(ids.slice(0, 51))
    const second = await tenant.owner.api.get(`/agents?PageSize=51&PageToken=${first.body.next_page_token}`)
    expect(second.body).toEqual({ data: [expect.objectContaining({ id: ids[51] })] })
    expect((await tenant.owner.api.get('/agents?page_size=many')).status).toBe(400)
  })

  it('no token if the last page is exactly full', async () => {
    const tenant = await createTenant(server)
    await addAgents(tenant, 4)
    const first = await tenant.owner.api.get('/agents?page_size=2')
    const second = await tenant.owner.api.get(`/agents?page_size=2&page_token=${first.body.next_page_token}`)
    expect(second.body.data).toHaveLength(2)
    expect(second.body).not.toHaveProperty('next_page_token')
  })

  it('400 for a damaged page_token and for a page_token of another tenant', async () => {
    const [tenant, other] = [await createTenant(server), await createTenant(server)]
    await addAgents(tenant, 2)
    const { next_page_token: token } = (await tenant.owner.api.get('/agents?page_size=1')).body
    const damaged = [`${token.slice(0, -2)}${token.at(-1)}${token.at(-2)}`, 'x', '', `${token}x`]
    for (const bad of damaged.filter((one) => one !== token)) {
      const { status, body } = await tenant.owner.api.get(`/agents?page_token=${bad}`)
      expect([status, body.error]).toEqual([400, 'page_token is not a cursor of this list'])
    }
    expect((await other.owner.api.get(`/agents?page_token=${token}`)).status).toBe(400)
  })

  it('lists governed agents unless governance_state selects another state', async () => {
    const tenant = await createTenant(server)
    const ids: Record<string, string> = {}
    for (const governanceState of ['discovered', 'governed', 'suppressed']) {
      ids[governanceState] = await addAgent(server, tenant.id, { governanceState })
    }
    expect(idsOf((await tenant.owner.api.get('/agents')).body)).toEqual([ids.governed])
    for (const state of ['discovered', 'governed', 'suppressed']) {
      expect(idsOf((await tenant.owner.api.get(`/agents?governance_state=${state}`)).body)).toEqual([ids[state]])
    }
  })

  it('includes agents of the runtime and of connected platforms; source filters the discovery queue', async () => {
    const tenant = await createTenant(server)
    const discovered = { governanceState: 'discovered' }
    const runtime = await addAgent(server, tenant.id, { ...discovered, environmentId: tenant.development })
    const github = await addAgent(server, tenant.id, { ...discovered, source: 'github' })
    const queue = '/agents?governance_state=discovered'
    expect(idsOf((await tenant.owner.api.get(queue)).body)).toEqual([github, runtime])
    const { body } = await tenant.owner.api.get(`${queue}&source=github`)
    expect(body.data).toMatchObject([{ id: github, source: 'github', environment: null }])
    expect(idsOf((await tenant.owner.api.get(`${queue}&source=m365`)).body)).toEqual([])
  })

  it('filters by status, lifecycle_status and search; search is a case-insensitive part of the name, without wildcards', async () => {
    const tenant = await createTenant(server)
    const suspended = await addAgent(server, tenant.id, { status: 'suspended', lifecycleStatus: 'blocked' })
    const active = await addAgent(server, tenant.id, { status: 'active' })
    await server.owner.query(`update agents set name = 'Claims 100%' where id = $1`, [active])
    const list = async (query: string) => idsOf((await tenant.owner.api.get(`/agents?${query}`)).body)
    expect(await list('status=suspended')).toEqual([suspended])
    expect(await list('lifecycle_status=blocked')).toEqual([suspended])
    expect(await list('status=active&lifecycle_status=blocked')).toEqual([])
    expect(await list('search=cLAIMS')).toEqual([active])
    expect(await list('search=0%25')).toEqual([active])
    expect(await list('search=%25')).toEqual([active])
    expect(await list('search=_')).toEqual([])
    expect(await list('search=')).toEqual([active, suspended])
  })

  it.each(['status', 'source', 'governance_state', 'lifecycle_status', 'execution_coverage'])(
    '400 with the name %s if its value is unknown',
    async (name) => {
      const { owner } = await createTenant(server)
      for (const value of ['nonsense', '', 'GOVERNED']) {
        const { status, body } = await owner.api.get(`/agents?${name}=${value}`)
        expect(status).toBe(400)
        expect(body.error).toMatch(new RegExp(`^${name} must be one of `))
      }
    },
  )

  it('a scoped user sees the agents granted to them, a bound key those of its environment, and a scoped user’s bound key those that both see', async () => {
    const tenant = await createTenant(server)
    const { id, development, production, owner } = tenant
    const [mine, mineInProduction, unseen, unseenInProduction] = [
      await addAgent(server, id, { environmentId: development }),
      await addAgent(server, id, { environmentId: production }),
      await addAgent(server, id, { environmentId: development }),
      await addAgent(server, id, { environmentId: production }),
    ]
    const saas = await addAgent(server, id, { source: 'github' })
    const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, id, scoped.id, mine)
    await grantAgent(server, id, scoped.id, mineInProduction)
    const bound = { environmentId: development }
    const callers = {
      owner: [owner.api, [saas, unseenInProduction, unseen, mineInProduction, mine]],
      'scoped user': [scoped.api, [mineInProduction, mine]],
      'tenant-wide key of the scoped user': [(await addKey(server, id, scoped)).api, [mineInProduction, mine]],
      'owner’s bound key': [(await addKey(server, id, owner, bound)).api, [unseen, mine]],
      'scoped user’s bound key': [(await addKey(server, id, scoped, bound)).api, [mine]],
    } as const
    for (const [who, [api, expected]] of Object.entries(callers)) {
      const { body } = await api.get('/agents')
      expect(idsOf(body), who).toEqual(expected)
      for (const agent of [mine, mineInProduction, unseen, unseenInProduction, saas]) {
        const answers = [await api.get(`/agents/${agent}`), await api.get(`/agents/${agent}/execution-coverage`)]
        const wanted = (expected as readonly string[]).includes(agent) ? 200 : 404
        for (const { status } of answers) expect(status, `${who} ${agent}`).toBe(wanted)
      }
    }
  })

  it('401 without credentials and with an agent key', async () => {
    expect((await apiClient(server.url).get('/agents')).status).toBe(401)
    expect((await apiClient(server.url, `ak_${'0'.repeat(64)}`).get('/agents')).status).toBe(401)
  })
})
