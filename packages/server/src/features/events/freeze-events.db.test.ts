import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { type OpenStream, openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant
let open: OpenStream[]

beforeEach(async () => {
  tenant = await createTenant(server)
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

const lift = async (id: string) =>
  expect((await tenant.owner.api.post(`/freezes/${id}/lift`, { reason: 'it is over' })).status).toBe(200)

/** The events of a stream without `audit.recorded` and `resumed`: type and resource. */
const shown = ({ events }: OpenStream) =>
  events
    .filter(({ type }) => type !== 'audit.recorded' && type !== 'resumed')
    .map(({ type, data }) => `${type} ${data.resource.id}`)
const shows = (one: OpenStream, expected: string[]) =>
  vi.waitFor(() => expect(shown(one)).toEqual(expected), { timeout: 60_000 })

const inDevelopment = () => addAgent(server, tenant.id, { environmentId: tenant.development })

it('a freeze of an agent is freeze.started and agent.changed of the agent, and its end freeze.lifted and agent.changed', async () => {
  const agentId = await inDevelopment()
  const events = await stream(tenant.owner.accessToken)
  const id = await freeze({ scope: 'agent', agent_id: agentId })
  await lift(id)
  const both = [`agent.changed ${agentId}`, `freeze.started ${id}`]
  await shows(events, [...both, `agent.changed ${agentId}`, `freeze.lifted ${id}`])
  const place = { agent_id: agentId, environment_id: tenant.development }
  const { data: started } = await events.receives(({ type }) => type === 'freeze.started')
  expect(started).toEqual({
    id: expect.any(String),
    type: 'freeze.started',
    at: expect.stringMatching(/Z$/),
    resource: { type: 'freeze', id },
    ...place,
  })
  const { data: changed } = await events.receives(({ type }) => type === 'agent.changed')
  expect(changed).toMatchObject({ resource: { type: 'agent', id: agentId }, ...place })
  expect(new Set(events.events.map((event) => event.id)).size).toBe(events.events.length)
})

it('a freeze of an environment or of the organization is one agent.changed, about its target', async () => {
  await Promise.all([inDevelopment(), inDevelopment()])
  const events = await stream(tenant.owner.accessToken)
  const first = await freeze({ scope: 'environment', environment_id: tenant.development })
  const second = await freeze({ scope: 'organization' })
  await shows(events, [
    `agent.changed ${tenant.development}`,
    `freeze.started ${first}`,
    `agent.changed ${tenant.id}`,
    `freeze.started ${second}`,
  ])
  const data = events.events.filter(({ type }) => type !== 'audit.recorded').map((event) => event.data)
  expect(data.map(({ resource }) => resource.type)).toEqual(['environment', 'freeze', 'tenant', 'freeze'])
  const places = data.map(({ agent_id, environment_id }) => [agent_id, environment_id])
  const [environment, none] = [
    [undefined, tenant.development],
    [undefined, undefined],
  ]
  expect(places).toEqual([environment, environment, none, none])
})

it('a drill is freeze.started with drill: true, and changes no agent', async () => {
  const agentId = await inDevelopment()
  const events = await stream(tenant.owner.accessToken)
  const id = await freeze({ scope: 'agent', agent_id: agentId, drill: true })
  await shows(events, [`freeze.started ${id}`])
  expect(events.events.at(-1)?.data.drill).toBe(true)
})

it('callers get the events of the freezes that they can read, and agent.changed if they see an agent of the target', async () => {
  const agentId = await inDevelopment()
  const inside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, inside.id, tenant.development)
  const granted = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await grantAgent(server, tenant.id, granted.id, agentId)
  const outside = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  await giveEnvironment(server, tenant.id, outside.id, tenant.production)
  const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
  const near = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
  const far = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
  const narrow = await addKey(server, tenant.id, tenant.owner, { scopes: ['events:read', 'agents:read'] })
  const other = await createTenant(server)
  const credentials = {
    viewer: viewer.accessToken,
    inside: inside.accessToken,
    granted: granted.accessToken,
    outside: outside.accessToken,
    near: near.raw,
    far: far.raw,
    narrow: narrow.raw,
    other: other.owner.accessToken,
  }
  const streams = new Map<string, OpenStream>()
  for (const [name, credential] of Object.entries(credentials)) streams.set(name, await stream(credential))
  const ofAgent = await freeze({ scope: 'agent', agent_id: agentId })
  const ofEnvironment = await freeze({ scope: 'environment', environment_id: tenant.development })
  const ofAll = await freeze({ scope: 'organization' })
  const frozen = {
    agent: `agent.changed ${agentId}`,
    environment: `agent.changed ${tenant.development}`,
    all: `agent.changed ${tenant.id}`,
  }
  const started = {
    agent: `freeze.started ${ofAgent}`,
    environment: `freeze.started ${ofEnvironment}`,
    all: `freeze.started ${ofAll}`,
  }
  const whole = [frozen.agent, started.agent, frozen.environment, started.environment, frozen.all, started.all]
  const expected: Record<string, string[]> = {
    viewer: whole,
    inside: [frozen.environment, started.environment, frozen.all, started.all],
    granted: [frozen.agent, started.agent, frozen.environment, frozen.all, started.all],
    outside: [frozen.all, started.all],
    near: whole,
    far: [frozen.all, started.all],
    narrow: [frozen.agent, frozen.environment, frozen.all],
  }
  for (const [name, lines] of Object.entries(expected)) {
    await vi.waitFor(() => expect(shown(streams.get(name) as OpenStream), name).toEqual(lines), { timeout: 60_000 })
  }
  expect(streams.get('other')?.events).toEqual([])
  for (const [name, { api }] of Object.entries({ inside, granted, outside, viewer })) {
    const readable = (await api.get('/freezes')).body.data.map(({ id }: { id: string }) => `freeze.started ${id}`)
    const received = expected[name]?.filter((line) => line.startsWith('freeze.'))
    expect(received, name).toEqual(readable.reverse())
  }
})

it('a scoped user who sees very many agents is told of a change without its place, unless one of them is found in it', async () => {
  const many = await addPerson(server, tenant.id, { accessScope: 'scoped' })
  const events = await stream(many.accessToken)
  await server.owner.query(
    `with granted as (insert into agents (tenant_id, id, name, environment_id, status, source, governance_state, lifecycle_status, created_at, updated_at)
       select $1, gen_random_uuid(), 'agent ' || n, $3, 'active', 'runtime', 'governed', 'approved', now(), now()
       from generate_series(1, 1001) n returning tenant_id, id)
     insert into agent_grants (tenant_id, id, user_id, agent_id, created_at)
     select tenant_id, gen_random_uuid(), $2, id, now() from granted`,
    [tenant.id, many.id, tenant.production],
  )
  await freeze({ scope: 'environment', environment_id: tenant.development })
  await shows(events, [`agent.changed ${tenant.id}`])
  const { data } = await events.receives(({ type }) => type === 'agent.changed')
  expect([data.resource.type, data.agent_id, data.environment_id]).toEqual(['tenant', undefined, undefined])
  await freeze({ scope: 'environment', environment_id: tenant.production })
  await shows(events, [`agent.changed ${tenant.id}`, `agent.changed ${tenant.production}`])
})

it('a client continues with the freezes that it missed', async () => {
  const agentId = await inDevelopment()
  const first = await stream(tenant.owner.accessToken)
  const id = await freeze({ scope: 'agent', agent_id: agentId })
  await shows(first, [`agent.changed ${agentId}`, `freeze.started ${id}`])
  first.close()
  await lift(id)
  const second = await stream(tenant.owner.accessToken, { lastEventId: first.lastEventId })
  await second.receives(({ type }) => type === 'freeze.lifted')
  expect(second.types).toEqual(['resumed', 'audit.recorded', 'agent.changed', 'freeze.lifted'])
  expect(second.events[0]?.data.events).toBe(3)
})

it('a client that has only the first events of a row gets the others', async () => {
  const agentId = await inDevelopment()
  const first = await stream(tenant.owner.accessToken)
  const id = await freeze({ scope: 'agent', agent_id: agentId })
  const { id: changed } = await first.receives(({ type }) => type === 'agent.changed')
  first.close()
  const second = await stream(tenant.owner.accessToken, {
    lastEventId: changed,
    query: '?types=agent.changed,freeze.started',
  })
  await shows(second, [`freeze.started ${id}`])
})
