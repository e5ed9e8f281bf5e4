import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { confirmationsHash, signBatch } from '@mandate/proofs/decision-chain'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { recordConfirmed } from '../../../events/confirmation-events.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../../testing/open-stream.ts'
import { beat } from '../../../testing/running-instance.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let edge: ApiClient
let agent: string
let open: OpenStream[]

beforeEach(async () => {
  tenant = await createTenant(server)
  edge = await addEdge(server, tenant.id, tenant.development)
  agent = await addAgent(server, tenant.id, { environmentId: tenant.development })
  open = []
})
afterEach(() => {
  for (const stream of open) stream.close()
})

async function stream(credential: string, rest: { query?: string; lastEventId?: string | undefined } = {}) {
  const opened = await openStream(server.url, credential, rest)
  open.push(opened)
  return opened
}

async function freeze(target: object): Promise<string> {
  const { status, body } = await tenant.owner.api.post('/freezes', { reason: 'a key leaked', ...target })
  expect(status).toBe(201)
  return body.id
}
const freezeDevelopment = (more = {}) => freeze({ scope: 'environment', environment_id: tenant.development, ...more })

async function confirm(api: ApiClient, instance_id: string, freezeIds: string[], signed = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  const confirmations = freezeIds.map((freeze_id) => ({ freeze_id, at }))
  const answer = await api.post('/edge/confirmations', { instance_id, confirmations, ...signed })
  expect(answer).toMatchObject({ status: 202, body: { refused: [] } })
}

const reach = async (id: string, api: ApiClient) => (await api.get(`/freezes/${id}`)).body.edges
const dataOf = ({ events }: OpenStream, type: string) =>
  events.filter((one) => one.type === type).map(({ data }) => data)
const confirmed = (one: OpenStream) => dataOf(one, 'freeze.confirmed')
const counts = (one: OpenStream, count: number) =>
  vi.waitFor(() => expect(confirmed(one)).toHaveLength(count), { timeout: 60_000 })
const isProgress = (of: number) => (event: { type: string; data: { confirmed?: number } }) =>
  event.type === 'freeze.progress' && event.data.confirmed === of

/** Stores confirmations of new instances of an edge, in one transaction. */
async function confirmAtOnce(freezeId: string, count: number): Promise<void> {
  const { rows } = await server.owner.query('select id, environment_id from edges where tenant_id = $1 limit 1', [
    tenant.id,
  ])
  const [{ id: credentialId, environment_id: environmentId }] = rows
  const names = Array.from({ length: count }, (_, at) => `i-${at}`)
  const now = new Date().toISOString()
  await server.owner.query(
    `insert into freeze_confirmations (tenant_id, freeze_id, credential_id, instance_id, edge_id, environment_id, said_at, received_at, after_ms)
     select $1, $2, $3, name, $3, $4, now(), now(), 7 from unnest($5::text[]) name`,
    [tenant.id, freezeId, credentialId, environmentId, names],
  )
  const edgeId = credentialId
  const rowsOf = names.map((instanceId) => ({ freezeId, edgeId, agentId: null, instanceId, environmentId }))
  await server.services.db.transaction(tenant.id, (tx) => recordConfirmed(tx, rowsOf, now))
}

describe('freeze.confirmed', () => {
  it('names the edge and the instance, and has the totals of GET /freezes/{id}', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const events = await stream(tenant.owner.accessToken)
    const id = await freezeDevelopment()
    await confirm(edge, 'a', [id])
    await counts(events, 1)
    const { data } = (await tenant.owner.api.get(`/freezes/${id}/edges?state=confirmed`)).body
    expect(confirmed(events)).toEqual([
      {
        id: expect.any(String),
        type: 'freeze.confirmed',
        at: expect.stringMatching(/Z$/),
        resource: { type: 'freeze', id },
        environment_id: tenant.development,
        edge: data[0].edge,
        agent: null,
        instance_id: 'a',
        after_ms: data[0].after_ms,
        confirmed: 1,
        total: 2,
      },
    ])
    await confirm(edge, 'b', [id])
    await counts(events, 2)
    expect(confirmed(events)[1]).toMatchObject({ instance_id: 'b', confirmed: 2, total: 2 })
    expect(events.types.indexOf('freeze.started')).toBeLessThan(events.types.indexOf('freeze.confirmed'))
    expect(new Set(events.events.map((event) => event.id)).size).toBe(events.events.length)
  })

  it('of an instance with the own key of an agent names the agent, as GET /freezes/{id}/edges does', async () => {
    const own = await giveAgentKey(server, tenant.id, agent)
    await beat(own, 'own', agent)
    const events = await stream(tenant.owner.accessToken)
    const id = await freeze({ scope: 'agent', agent_id: agent })
    await confirm(own, 'own', [id])
    await counts(events, 1)
    const { data } = (await tenant.owner.api.get(`/freezes/${id}/edges`)).body
    const [{ edge: shownEdge, agent: shownAgent }] = data
    expect(confirmed(events)[0]).toMatchObject({ edge: shownEdge, agent: shownAgent, agent_id: agent })
    expect([shownEdge, shownAgent.id]).toEqual([null, agent])
  })

  it('of a drill has drill: true', async () => {
    await beat(edge, 'a', agent)
    const events = await stream(tenant.owner.accessToken)
    const id = await freezeDevelopment({ drill: true })
    await confirm(edge, 'a', [id])
    await counts(events, 1)
    expect(confirmed(events)[0]).toMatchObject({
      resource: { type: 'freeze', id },
      drill: true,
      confirmed: 1,
      total: 1,
    })
  })

  it('comes once, also if the instance confirms again, and with a signature', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const public_key_pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
    const { kid } = (await edge.post('/edge/keys', { public_key_pem })).body
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const events = await stream(tenant.owner.accessToken)
    const id = await freezeDevelopment()
    await confirm(edge, 'a', [id])
    await confirm(edge, 'a', [id])
    const said = [{ freeze_id: id, at: '2026-01-01T00:00:00.000Z' }]
    const signature = signBatch(createPrivateKey(pem), confirmationsHash(kid, said))
    await confirm(edge, 'a', [id], { kid, signature })
    await confirm(edge, 'b', [id])
    await vi.waitFor(() => expect(confirmed(events).map((one) => one.instance_id)).toContain('b'), { timeout: 60_000 })
    expect(confirmed(events).map(({ instance_id }) => instance_id)).toEqual(['a', 'b'])
  })

  it('of several freezes that an instance confirms at once comes for each of them', async () => {
    await beat(edge, 'a', agent)
    const events = await stream(tenant.owner.accessToken)
    const ids = [
      await freezeDevelopment(),
      await freeze({ scope: 'organization' }),
      await freezeDevelopment({ drill: true }),
    ]
    await confirm(edge, 'a', ids)
    await counts(events, 3)
    expect(
      confirmed(events)
        .map(({ resource }) => resource.id)
        .sort(),
    ).toEqual(ids.sort())
    const { rows } = await server.owner.query(
      `select from events where tenant_id = $1 and type = 'freeze.confirmations'`,
      [tenant.id],
    )
    expect(rows).toHaveLength(1)
  })
})

it('callers get the confirmations of the edges that they see, with their own totals', async () => {
  const elsewhere = await addAgent(server, tenant.id, { environmentId: tenant.production })
  const remote = await addEdge(server, tenant.id, tenant.production)
  const own = await giveAgentKey(server, tenant.id, agent)
  await Promise.all([beat(edge, 'near', agent), beat(remote, 'far', elsewhere), beat(own, 'own', agent)])
  const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, inside.id, tenant.development)
  const granted = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await grantAgent(server, tenant.id, granted.id, agent)
  const nothing = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  const narrow = await addKey(server, tenant.id, tenant.owner, { scopes: ['events:read', 'edges:read'] })
  const other = await createTenant(server)
  const streams = {
    owner: await stream(tenant.owner.accessToken),
    inside: await stream(inside.accessToken),
    granted: await stream(granted.accessToken),
    nothing: await stream(nothing.accessToken),
    bound: await stream(bound.raw),
    narrow: await stream(narrow.raw),
    other: await stream(other.owner.accessToken),
  }
  const id = await freeze({ scope: 'organization' })
  const ofEnvironment = await freezeDevelopment()
  await confirm(remote, 'far', [id])
  await confirm(edge, 'near', [id, ofEnvironment])
  await confirm(own, 'own', [id, ofEnvironment])
  const names = (one: OpenStream, freezeId: string) =>
    confirmed(one).flatMap(({ resource, instance_id }) => (resource.id === freezeId ? [instance_id] : []))
  const expected = {
    owner: [
      ['far', 'near', 'own'],
      ['near', 'own'],
    ],
    inside: [['near'], ['near']],
    granted: [['own'], []],
    bound: [
      ['near', 'own'],
      ['near', 'own'],
    ],
    nothing: [[], []],
  }
  for (const [name, lists] of Object.entries(expected)) {
    const one = streams[name as keyof typeof expected]
    await vi.waitFor(() => expect([names(one, id), names(one, ofEnvironment)], name).toEqual(lists), {
      timeout: 60_000,
    })
  }
  for (const [name, api] of Object.entries({ owner: tenant.owner.api, inside: inside.api, granted: granted.api })) {
    const { confirmed: count, total } = await reach(id, api)
    const last = confirmed(streams[name as keyof typeof expected]).findLast(({ resource }) => resource.id === id)
    expect([last.confirmed, last.total], name).toEqual([count, total])
  }
  expect(dataOf(streams.nothing, 'freeze.started').map(({ resource }) => resource.id)).toEqual([id])
  expect(streams.nothing.types).not.toContain('freeze.progress')
  expect(streams.narrow.types.filter((type) => type.startsWith('freeze.'))).toEqual([])
  expect(streams.other.events).toEqual([])
})

it('other events and confirmations that come at the same time all arrive, also for a limited caller', async () => {
  await beat(edge, 'a', agent)
  const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, inside.id, tenant.development)
  await grantAgent(server, tenant.id, inside.id, agent)
  const events = await stream(inside.accessToken, { query: '?types=agent.changed,freeze.confirmed' })
  const changeAgent = async (at: number) => {
    const verb = at % 2 === 0 ? 'suspend' : 'resume'
    expect((await tenant.owner.api.post(`/agents/${agent}/${verb}`, { reason: 'test' })).status).toBe(200)
  }
  for (let at = 0; at < 15; at++) {
    const drill = await freezeDevelopment({ drill: true })
    await Promise.all([confirm(edge, 'a', [drill]), changeAgent(at)])
  }
  await counts(events, 15)
  await vi.waitFor(() => expect(dataOf(events, 'agent.changed')).toHaveLength(15), { timeout: 60_000 })
  expect(events.isEnded).toBe(false)
})

it('a caller who loses access gets no further confirmation, and a revoked key ends the stream', async () => {
  await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
  const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, inside.id, tenant.development)
  const key = await addKey(server, tenant.id, tenant.owner)
  const [owner, narrowed, revoked] = [
    await stream(tenant.owner.accessToken),
    await stream(inside.accessToken),
    await stream(key.raw),
  ]
  const id = await freezeDevelopment()
  await confirm(edge, 'a', [id])
  for (const one of [owner, narrowed, revoked]) await counts(one, 1)
  await server.owner.query('delete from environment_access where tenant_id = $1', [tenant.id])
  expect((await tenant.owner.api.delete(`/api-keys/${key.id}`)).status).toBe(200)
  await confirm(edge, 'b', [id])
  await counts(owner, 2)
  await revoked.ends()
  expect((await tenant.owner.api.post(`/freezes/${id}/lift`, { reason: 'it is over' })).status).toBe(200)
  await owner.receives(({ type }) => type === 'freeze.lifted')
  expect([confirmed(narrowed), confirmed(revoked)].map(({ length }) => length)).toEqual([1, 1])
  expect(dataOf(narrowed, 'freeze.lifted')).toEqual([])
})

describe('freeze.progress', () => {
  it('tells the last state if edges are not named, or if there are more than 20 in a second', async () => {
    const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, inside.id, tenant.development)
    const whole = [await stream(tenant.owner.accessToken), await stream(inside.accessToken)]
    const named = await stream(tenant.owner.accessToken, { query: '?types=freeze.confirmed' })
    const progress = await stream(inside.accessToken, { query: '?types=freeze.progress' })
    const all = [...whole, named, progress]
    const [many, drill] = [await freezeDevelopment(), await freezeDevelopment({ drill: true })]
    await confirmAtOnce(many, 300)
    await confirmAtOnce(drill, 30)
    const lastOf = ({ events }: OpenStream, id: string) => events.findLast(({ data }) => data.resource.id === id)?.data
    for (const one of [...whole, progress]) {
      await vi.waitFor(() => expect(lastOf(one, many)).toMatchObject({ confirmed: 300, total: 300 }), {
        timeout: 60_000,
      })
      await vi.waitFor(() => expect(lastOf(one, drill)).toMatchObject({ drill: true, confirmed: 30, total: 30 }), {
        timeout: 60_000,
      })
    }
    // One row names 20 confirmations of an environment.
    for (const one of all.slice(0, 3))
      expect(confirmed(one).filter(({ resource }) => resource.id === many)).toHaveLength(20)
    expect(new Set(named.types)).toEqual(new Set(['freeze.confirmed']))
    expect(new Set(progress.types)).toEqual(new Set(['freeze.progress']))
  })

  it('with types=freeze.progress comes instead of each confirmation', async () => {
    await beat(edge, 'a', agent)
    const events = await stream(tenant.owner.accessToken, { query: '?types=freeze.progress' })
    const id = await freezeDevelopment()
    await confirm(edge, 'a', [id])
    const { data } = await events.receives(isProgress(1))
    expect(data).toEqual({
      id: data.id,
      type: 'freeze.progress',
      at: expect.stringMatching(/Z$/),
      resource: { type: 'freeze', id },
      environment_id: tenant.development,
      confirmed: 1,
      total: 1,
    })
  })
})

describe('Last-Event-ID', () => {
  it('a client continues with the confirmations that it missed, and gets the progress of open freezes', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const first = await stream(tenant.owner.accessToken)
    const id = await freezeDevelopment()
    await first.receives(({ type }) => type === 'freeze.started')
    first.close()
    await confirm(edge, 'a', [id])
    await confirm(edge, 'b', [id])
    const second = await stream(tenant.owner.accessToken, { lastEventId: first.lastEventId })
    await counts(second, 2)
    expect(second.types[0]).toBe('resumed')
    second.close()
    // Whatever event was the last, the state arrives.
    const query = '?types=freeze.progress'
    const progressAfter = async (lastEventId: string | undefined) => {
      const third = await stream(tenant.owner.accessToken, { lastEventId, query })
      const { id: progressId } = await third.receives(isProgress(2))
      third.close()
      const fourth = await stream(tenant.owner.accessToken, { lastEventId: progressId, query })
      await fourth.receives(isProgress(2))
      expect(fourth.types[0]).toBe('resumed')
      fourth.close()
    }
    await Promise.all([second.lastEventId, first.lastEventId, confirmed(second)[0]?.id].map(progressAfter))
  })

  it('a client that comes back after the end gets the confirmations; totals that the caller may not know are null', async () => {
    await beat(edge, 'a', agent)
    const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, inside.id, tenant.development)
    const first = await stream(inside.accessToken)
    const id = await freezeDevelopment()
    await first.receives(({ type }) => type === 'freeze.started')
    first.close()
    await confirm(edge, 'a', [id])
    expect((await tenant.owner.api.post(`/freezes/${id}/lift`, { reason: 'it is over' })).status).toBe(200)
    const second = await stream(inside.accessToken, { lastEventId: first.lastEventId })
    await counts(second, 1)
    expect(confirmed(second)[0]).toMatchObject({ instance_id: 'a', confirmed: null, total: null })
    expect(await reach(id, inside.api)).toBe(null)
  })
})

it('confirmations of more than 500 freezes are told by several rows, each of a limited size', async () => {
  const key = { edgeId: tenant.id, agentId: null, instanceId: 'a', environmentId: tenant.development }
  const rows = Array.from({ length: 1_100 }, (_, at) => ({ ...key, freezeId: `freeze ${at}` }))
  await server.services.db.transaction(tenant.id, (tx) => recordConfirmed(tx, rows, new Date().toISOString()))
  const { rows: stored } = await server.owner.query(
    `select details from events where tenant_id = $1 and type = 'freeze.confirmations' order by place`,
    [tenant.id],
  )
  const sizes = stored.map(({ details }) => [details.named.length, Object.keys(details.freezes).length])
  expect(sizes).toEqual([
    [20, 500],
    [20, 500],
    [20, 100],
  ])
})
