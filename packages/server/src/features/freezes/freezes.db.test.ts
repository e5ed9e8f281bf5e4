import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../testing/arrange-agents.ts'
import { beat, silence as silenceInstance } from '../../testing/running-instance.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let owner: ApiClient

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
})

const reason = 'a key leaked'
const ofAgent = (agent_id: string) => ({ scope: 'agent', agent_id, reason })
const ofEnvironment = (environment_id: string) => ({ scope: 'environment', environment_id, reason })
const ofOrganization = { scope: 'organization', reason }
const freeze = async (body: object, api = owner) => {
  const answer = await api.post('/freezes', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const lift = (id: string, api = owner) => api.post(`/freezes/${id}/lift`, { reason: 'over' })
const newAgent = async (environmentId: string | null = tenant.development, rest = {}) =>
  addAgent(server, tenant.id, {
    environmentId,
    policyId: (await addPolicy(server, tenant.id)).id,
    status: 'active',
    ...rest,
  })
const isFrozen = async (id: string) => (await owner.get(`/agents/${id}`)).body.frozen
const profileOf = async (api: ApiClient, id: string) => (await api.get(`/edge/agents/${id}/mission-profile`)).body
const silence = (instance: string) => silenceInstance(server, tenant.id, instance)

describe('POST /freezes', () => {
  it('201: the agents of the environment are frozen and keep their status; agents elsewhere are not', async () => {
    const [one, two] = [await newAgent(), await newAgent(tenant.development, { status: 'suspended' })]
    const elsewhere = await newAgent(tenant.production)
    await newAgent(tenant.development, { status: 'archived' })
    const body = await freeze(ofEnvironment(tenant.development))
    const [entry] = await auditEntries(server, tenant.id)
    expect(body).toEqual({
      id: expect.any(String),
      scope: 'environment',
      agent_id: null,
      environment_id: tenant.development,
      name: 'Development',
      reason,
      drill: false,
      active: true,
      agents: 2,
      approvals_ended: 0,
      created_by: tenant.owner.id,
      created_at: expect.any(String),
      lifted_by: null,
      lifted_at: null,
      lift_reason: null,
      edges: { total: 0, confirmed: 0, unreachable: 0 },
      confirmed_all_at: null,
      audit_entry_id: entry?.id,
    })
    expect(entry).toMatchObject({
      event_type: 'freeze.started',
      resource_type: 'freeze',
      resource_id: body.id,
      environment_id: tenant.development,
      details: { scope: 'environment', reason, agents: 2, edges: 0, drill: false },
    })
    expect(await Promise.all([one, two, elsewhere].map(isFrozen))).toEqual([true, true, false])
    expect((await owner.get(`/agents/${two}`)).body.status).toBe('suspended')
    const { data } = (await owner.get('/agents?governance_state=governed')).body
    expect(
      data.filter((agent: { frozen: boolean; status: string }) => agent.frozen && agent.status !== 'archived'),
    ).toHaveLength(2)
  })

  it('403 for roles below manager, and for the organization below owner and for a bound key', async () => {
    const agent = await newAgent()
    for (const role of ['viewer', 'member'] as const) {
      const { api } = await addPerson(server, tenant.id, { role })
      expect((await api.post('/freezes', ofAgent(agent))).status).toBe(403)
    }
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    expect(await manager.api.post('/freezes', ofOrganization)).toMatchObject({
      status: 403,
      body: { error: 'only an owner may freeze the organization or lift its freeze' },
    })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await bound.api.post('/freezes', ofOrganization)).status).toBe(403)
    const readOnly = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    expect((await readOnly.api.post('/freezes', ofAgent(agent))).status).toBe(403)
    expect(await auditEntries(server, tenant.id)).toEqual([])
    expect((await owner.get('/freezes')).body.total).toBe(0)
    await freeze(ofAgent(agent), manager.api)
    await freeze(ofEnvironment(tenant.development), bound.api)
  })

  it('404 for a target that the caller does not see, with a valid and with a malformed body', async () => {
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id, { environmentId: other.development })
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const [agent, elsewhere] = [await newAgent(), await newAgent(tenant.production)]
    const cases: [ApiClient, object][] = [
      [owner, ofAgent(foreign)],
      [owner, ofAgent(newId())],
      [owner, ofEnvironment(other.development)],
      [scoped.api, ofAgent(agent)],
      [scoped.api, ofEnvironment(tenant.development)],
      [bound.api, ofAgent(elsewhere)],
      [bound.api, ofEnvironment(tenant.production)],
    ]
    for (const [api, body] of cases) {
      expect((await api.post('/freezes', body)).status).toBe(404)
      expect((await api.post('/freezes', { ...body, reason: '' })).status).toBe(404)
    }
    await grantAgent(server, tenant.id, scoped.id, agent)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    await freeze(ofAgent(agent), scoped.api)
    await freeze(ofEnvironment(tenant.development), scoped.api)
  })

  it.each([
    [{ scope: 'agent', reason }],
    [{ scope: 'environment', reason }],
    [{ scope: 'agent', agent_id: randomUUID(), environment_id: randomUUID(), reason }],
    [{ scope: 'organization', agent_id: randomUUID(), reason }],
    [{ scope: 'everything', reason }],
    [{ scope: 'organization' }],
    [{ scope: 'organization', reason: '  ' }],
    [{ scope: 'organization', reason: 'x'.repeat(2001) }],
  ])('400 for %j', async (body) => {
    expect((await owner.post('/freezes', body)).status).toBe(400)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('409 for an archived agent, and for a target that is frozen already until that freeze is lifted', async () => {
    const archived = await newAgent(tenant.development, { status: 'archived' })
    expect((await owner.post('/freezes', ofAgent(archived))).status).toBe(409)
    const agent = await newAgent()
    for (const body of [ofAgent(agent), ofEnvironment(tenant.development), ofOrganization]) {
      const { id } = await freeze(body)
      expect((await owner.post('/freezes', body)).status).toBe(409)
      await freeze({ ...body, drill: true })
      expect((await lift(id)).status).toBe(200)
      await freeze(body)
    }
  })

  it('freezes the same target once when many ask at once', async () => {
    const bodies = [ofEnvironment(tenant.development), ofOrganization, ofAgent(await newAgent())]
    const answers = await Promise.all(
      bodies.flatMap((body) => Array.from({ length: 6 }, () => owner.post('/freezes', body))),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(3).fill(201), ...Array(15).fill(409)])
    expect((await auditEntries(server, tenant.id)).filter((one) => one.event_type === 'freeze.started')).toHaveLength(3)
  })
})

describe('overlapping freezes', () => {
  it('stop an agent until each is lifted; a suspension remains', async () => {
    const agent = await newAgent()
    const edge = await addEdge(server, tenant.id, tenant.development)
    const first = await profileOf(edge, agent)
    const freezes = []
    for (const body of [ofAgent(agent), ofEnvironment(tenant.development), ofOrganization])
      freezes.push(await freeze(body))
    for (const { id } of freezes) {
      expect(await isFrozen(agent)).toBe(true)
      expect(await profileOf(edge, agent)).toMatchObject({
        denied_because: 'frozen',
        status: 'active',
        policy: { rules: [] },
      })
      expect((await lift(id)).status).toBe(200)
    }
    expect(await isFrozen(agent)).toBe(false)
    const last = await profileOf(edge, agent)
    expect([last.profile_hash, last.profile_seq]).toEqual([first.profile_hash, first.profile_seq + 2])
    await owner.post(`/agents/${agent}/suspend`)
    const { id } = await freeze(ofAgent(agent))
    await lift(id)
    expect(await profileOf(edge, agent)).toMatchObject({ denied_because: 'suspended' })
  })

  it('a new agent of a frozen environment is frozen, and an agent that leaves it is not', async () => {
    await freeze(ofEnvironment(tenant.development))
    const created = await owner.post('/agents', { name: 'late', environment_id: tenant.development })
    expect(created).toMatchObject({ status: 201, body: { agent: { frozen: true } } })
    const { id } = created.body.agent
    expect(await isFrozen(id)).toBe(true)
    const edge = await addEdge(server, tenant.id, tenant.production)
    await server.owner.query('update agents set environment_id = $2 where id = $1', [id, tenant.production])
    expect(await isFrozen(id)).toBe(false)
    expect(await profileOf(edge, id)).not.toMatchObject({ denied_because: 'frozen' })
    await freeze(ofAgent(id))
    await server.owner.query('update agents set environment_id = null where id = $1', [id])
    expect(await isFrozen(id)).toBe(true)
  })

  it('stay listed and can be lifted after their agent was archived or their environment was deleted', async () => {
    const agent = await newAgent()
    const [one, two] = [await freeze(ofAgent(agent)), await freeze(ofEnvironment(tenant.development))]
    expect((await owner.delete(`/agents/${agent}`)).status).toBe(204)
    expect((await owner.get(`/agents/${agent}`)).body.status).toBe('archived')
    await server.owner.query('delete from policies where tenant_id = $1', [tenant.id]).catch(() => {})
    expect((await owner.delete(`/environments/${tenant.development}`)).status).toBe(204)
    expect((await owner.get('/freezes?active=true')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      two.id,
      one.id,
    ])
    for (const { id } of [one, two]) expect((await lift(id)).status).toBe(200)
  })
})

describe('POST /freezes/{freeze_id}/lift', () => {
  it('200 once, then 409; the audit trail has one entry', async () => {
    const { id } = await freeze(ofOrganization)
    const answers = await Promise.all(Array.from({ length: 5 }, () => lift(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect((await owner.get(`/freezes/${id}`)).body).toMatchObject({
      active: false,
      lifted_by: tenant.owner.id,
      lift_reason: 'over',
      edges: { total: 0, confirmed: 0, unreachable: 0 },
    })
    const entries = (await auditEntries(server, tenant.id)).filter((one) => one.event_type === 'freeze.lifted')
    expect(entries).toHaveLength(1)
  })

  it('409 for a drill, 403 for a caller who could not start it, 404 for a freeze that the caller does not see', async () => {
    const drill = await freeze({ ...ofOrganization, drill: true })
    expect(await lift(drill.id)).toMatchObject({ status: 409, body: { error: expect.stringContaining('drill') } })
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const { id } = await freeze(ofOrganization)
    expect((await lift(id, manager.api)).status).toBe(403)
    expect((await manager.api.post(`/freezes/${id}/lift`, {})).status).toBe(403)
    const other = await createTenant(server)
    expect((await lift(id, other.owner.api)).status).toBe(404)
    const own = await freeze(ofEnvironment(tenant.development))
    expect((await lift(own.id, scoped.api)).status).toBe(404)
    expect((await owner.post(`/freezes/${id}/lift`, {})).status).toBe(400)
    expect((await lift(own.id, manager.api)).status).toBe(200)
  })
})

describe('GET /freezes and GET /freezes/{freeze_id}', () => {
  it('show each caller the freezes of what they see; everybody sees those of the organization', async () => {
    const [inside, outside] = [await newAgent(), await newAgent(tenant.production)]
    const made: Record<string, string> = {}
    made.inside = (await freeze(ofAgent(inside))).id
    made.outside = (await freeze(ofAgent(outside))).id
    made.development = (await freeze(ofEnvironment(tenant.development))).id
    made.production = (await freeze(ofEnvironment(tenant.production))).id
    made.organization = (await freeze(ofOrganization)).id
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, outside)
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const both = await addKey(server, tenant.id, scoped, { environmentId: tenant.development })
    const seen: [ApiClient, string[]][] = [
      [viewer.api, ['inside', 'outside', 'development', 'production', 'organization']],
      [scoped.api, ['outside', 'development', 'organization']],
      [bound.api, ['inside', 'development', 'organization']],
      [both.api, ['development', 'organization']],
      [(await createTenant(server)).owner.api, []],
    ]
    for (const [api, names] of seen) {
      const { data, total } = (await api.get('/freezes?active=true')).body
      expect(data.map(({ id }: { id: string }) => id).sort()).toEqual(names.map((name) => made[name]).sort())
      expect(total).toBe(names.length)
      for (const [name, id] of Object.entries(made))
        expect((await api.get(`/freezes/${id}`)).status, name).toBe(names.includes(name) ? 200 : 404)
    }
    const ofScoped = (await scoped.api.get(`/freezes/${made.organization}`)).body
    expect([ofScoped.agents, ofScoped.approvals_ended]).toEqual([null, null])
    expect((await bound.api.get(`/freezes/${made.development}`)).body.agents).toBe(1)
    expect((await scoped.api.get('/overview')).body.freezes).toMatchObject([
      { id: made.organization, agents: null },
      { id: made.development, agents: null },
      { id: made.outside, agents: 1 },
    ])
  })

  it('page and filter, active ones first and then the newest, with names and actions', async () => {
    const agents = [await newAgent(), await newAgent(), await newAgent()]
    const ids: string[] = []
    for (const agent of agents) ids.unshift((await freeze(ofAgent(agent))).id)
    await lift(ids[0] as string)
    const { id: drill } = await freeze({ ...ofOrganization, drill: true })
    const list = async (query: string) => (await owner.get(`/freezes${query}`)).body
    const [lifted, ...active] = ids
    expect((await list('')).data.map(({ id }: { id: string }) => id)).toEqual([...active, drill, lifted])
    expect((await list('?active=true')).data.map(({ id }: { id: string }) => id)).toEqual(active)
    expect((await list('?active=false')).data.map(({ id }: { id: string }) => id)).toEqual([drill, lifted])
    expect(await list('?limit=1&offset=1')).toMatchObject({ data: [{ id: active[1] }], total: 4, limit: 1, offset: 1 })
    expect((await owner.get('/freezes?active=maybe')).status).toBe(400)
    const [shown] = (await list('?active=true&include=may,names')).data
    expect(shown.may).toEqual(['liftFreeze'])
    expect((await list('?include=names')).names).toMatchObject({ [tenant.owner.id]: expect.any(String) })
  })
})

describe('GET /freezes/preview', () => {
  it('counts what a freeze would reach, as far as the caller sees it, and changes nothing', async () => {
    const [edge, elsewhere] = [
      await addEdge(server, tenant.id, tenant.development),
      await addEdge(server, tenant.id, tenant.production),
    ]
    const [one, two, three] = [await newAgent(), await newAgent(), await newAgent(tenant.production)]
    const own = await giveAgentKey(server, tenant.id, two)
    await beat(edge, 'a', one, two)
    await beat(own, 'own', two)
    await beat(elsewhere, 'c', three)
    await silence('c')
    const preview = async (query: string, api = owner) => (await api.get(`/freezes/preview?${query}`)).body
    expect(await preview('scope=organization')).toEqual({ agents: 3, edges: 3, silent: 1, approvals: 0 })
    const environment = `scope=environment&environment_id=${tenant.development}`
    expect(await preview(environment)).toEqual({ agents: 2, edges: 2, silent: 0, approvals: 0 })
    expect(await preview(`scope=agent&agent_id=${one}`)).toEqual({ agents: 1, edges: 1, silent: 0, approvals: 0 })
    expect(await preview(`scope=agent&agent_id=${two}`)).toEqual({ agents: 1, edges: 2, silent: 0, approvals: 0 })
    // The overview and the list of instances count in the same way.
    expect((await owner.get('/overview')).body.edges).toMatchObject({ instances: 3, instances_silent: 1 })
    const instances = async (query: string, api = owner) => (await api.get(`/edges/instances${query}`)).body
    const named = async (query: string, api = owner) =>
      (await instances(query, api)).data.map((row: { instance_id: string }) => row.instance_id)
    expect(await instances('')).toMatchObject({
      data: [{ instance_id: 'c', silent: true }, { silent: false }, { silent: false }],
      total: 3,
    })
    expect(await instances('?credential=agent')).toMatchObject({
      data: [{ instance_id: 'own', edge: null, agent: { id: two, name: expect.any(String) }, agents_served: 1 }],
      total: 1,
    })
    expect(await named('?credential=edge')).toEqual(['c', 'a'])
    expect(await named('?silent=true')).toEqual(['c'])
    expect(await named('?silent=false&credential=edge')).toEqual(['a'])
    expect(await named(`?environment_id=${tenant.production}`)).toEqual(['c'])
    expect(await named('?limit=1&offset=2')).toHaveLength(1)
    expect((await owner.get('/edges/instances?credential=x')).status).toBe(400)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect(await named('', scoped.api)).toEqual([])
    expect(await preview('scope=organization', scoped.api)).toEqual({ agents: 0, edges: 0, silent: 0, approvals: 0 })
    await grantAgent(server, tenant.id, scoped.id, two)
    expect(await preview('scope=organization', scoped.api)).toEqual({ agents: 1, edges: 1, silent: 0, approvals: 0 })
    expect(await named('', scoped.api)).toEqual(['own'])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect(await preview(environment, scoped.api)).toEqual({ agents: 1, edges: 2, silent: 0, approvals: 0 })
    const ofScoped = (await instances('', scoped.api)).data
    expect(
      Object.fromEntries(
        ofScoped.map((row: { instance_id: string; agents_served: number | null }) => [
          row.instance_id,
          row.agents_served,
        ]),
      ),
    ).toEqual({ a: null, own: 1 })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect(await preview('scope=organization', bound.api)).toEqual({ agents: 2, edges: 2, silent: 0, approvals: 0 })
    expect((await named('', bound.api)).sort()).toEqual(['a', 'own'])
    for (const query of [
      '',
      'scope=x',
      'scope=agent',
      'scope=organization&agent_id=x',
      `scope=agent&environment_id=${newId()}`,
    ])
      expect((await owner.get(`/freezes/preview?${query}`)).status, query).toBe(400)
    expect((await scoped.api.get(`/freezes/preview?scope=agent&agent_id=${one}`)).status).toBe(404)
    expect((await auditEntries(server, tenant.id)).filter((one) => one.event_type.startsWith('freeze'))).toEqual([])
  })
})

describe('a drill', () => {
  it('raises profile_seq, keeps profile_hash and stops nothing', async () => {
    const [agent, elsewhere] = [await newAgent(), await newAgent(tenant.production)]
    const edge = await addEdge(server, tenant.id, tenant.development)
    const other = await addEdge(server, tenant.id, tenant.production)
    const before = await profileOf(edge, agent)
    const unmoved = await profileOf(other, elsewhere)
    const seqs: number[] = []
    for (let n = 0; n < 2; n++) {
      const drill = await freeze({ ...ofEnvironment(tenant.development), drill: true })
      expect(drill).toMatchObject({ drill: true, active: false, agents: 1 })
      const named = (await beat(edge, 'a', agent)).agents[0]
      expect([named.profile_hash, named.profile_seq]).toEqual([before.profile_hash, before.profile_seq + n + 1])
      const after = await profileOf(edge, agent)
      expect([after.profile_hash, after.profile_seq]).toEqual([named.profile_hash, named.profile_seq])
      expect(await profileOf(edge, agent)).toMatchObject({ profile_seq: named.profile_seq })
      seqs.push((await beat(edge, 'a', agent)).agents[0].profile_seq)
    }
    expect(seqs).toEqual([before.profile_seq + 1, before.profile_seq + 2])
    expect((await profileOf(other, elsewhere)).profile_seq).toBe(unmoved.profile_seq)
    expect(await isFrozen(agent)).toBe(false)
    const events = (await auditEntries(server, tenant.id)).map((entry) => entry.event_type)
    expect(events.filter((event) => event.startsWith('freeze'))).toEqual(['freeze.drilled', 'freeze.drilled'])
  })
})

describe('the events of an agent', () => {
  it('show its freezes', async () => {
    const agent = await newAgent()
    const earlier = await freeze(ofOrganization)
    await lift(earlier.id)
    const late = await newAgent()
    const { id } = await freeze(ofAgent(agent))
    await lift(id)
    await freeze(ofEnvironment(tenant.development))
    await freeze(ofEnvironment(tenant.production))
    const eventsOf = async (one: string, query = '') => {
      const { data } = (await owner.get(`/agents/${one}/timeline?type=freeze${query}`)).body
      return data.map(({ details }: { details: { event_type: string; scope: string } }) => [
        details.event_type,
        details.scope,
      ])
    }
    const own = [
      ['freeze.started', 'environment'],
      ['freeze.lifted', 'agent'],
      ['freeze.started', 'agent'],
    ]
    expect(await eventsOf(agent)).toEqual([
      ...own,
      ['freeze.lifted', 'organization'],
      ['freeze.started', 'organization'],
    ])
    expect(await eventsOf(agent, '&limit=2')).toEqual(own.slice(0, 2))
    expect(await eventsOf(late)).toEqual([['freeze.started', 'environment']])
  })
})
