import { mostStreamsOfCaller, mostStreamsOfTenant } from '@mandate/contract/events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addPeople, callersOf } from '../../../testing/callers-of-every-kind.ts'
import { type OpenStream, openStream } from '../../../testing/open-stream.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'

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

async function stream(credential: string, query = '') {
  const opened = await openStream(server.url, credential, { query })
  open.push(opened)
  return opened
}

/** Makes an event that every caller sees who sees the whole tenant, and waits until the owner's stream has it. */
async function settle(witness: OpenStream): Promise<void> {
  const before = witness.events.length
  const id = await addAgent(server, tenant.id)
  await change(id)
  await vi.waitFor(() => expect(witness.events.length).toBeGreaterThan(before + 1), { timeout: 60_000 })
}

async function change(agentId: string): Promise<void> {
  expect((await tenant.owner.api.post(`/agents/${agentId}/suspend`, { reason: 'test' })).status).toBe(200)
}

const idsOf = ({ events }: OpenStream, type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => data.resource.id as string)

describe('what a caller receives', () => {
  it('a scoped user and a bound key get the events of the agents that they see, and managers all entries', async () => {
    const [seen, unseen] = [
      await addAgent(server, tenant.id, { environmentId: tenant.development }),
      await addAgent(server, tenant.id, { environmentId: tenant.production }),
    ]
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, tenant.id, scoped.id, seen)
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const both = await addKey(server, tenant.id, scoped, { environmentId: tenant.production })
    const streams = {
      owner: await stream(tenant.owner.accessToken),
      viewer: await stream(viewer.accessToken),
      scoped: await stream(scoped.accessToken),
      bound: await stream(bound.raw),
      both: await stream(both.raw),
    }
    await change(seen)
    await change(unseen)
    expect((await tenant.owner.api.put(`/environments/${tenant.development}`, { name: 'Dev' })).status).toBe(200)
    await settle(streams.owner)
    await vi.waitFor(() => expect(idsOf(streams.viewer, 'agent.changed')).toHaveLength(3))
    expect(idsOf(streams.owner, 'agent.changed').slice(0, 2)).toEqual([seen, unseen])
    expect(idsOf(streams.viewer, 'agent.changed').slice(0, 2)).toEqual([seen, unseen])
    expect(idsOf(streams.scoped, 'agent.changed')).toEqual([seen])
    expect(idsOf(streams.bound, 'agent.changed')).toEqual([seen])
    expect(streams.both.events).toEqual([])
    // The entry about the environment is of the organization: only managers who see the whole tenant read it.
    const entries = Object.fromEntries(
      Object.entries(streams).map(([name, one]) => [name, idsOf(one, 'audit.recorded').length]),
    )
    expect(entries).toEqual({ owner: 4, viewer: 3, scoped: 1, bound: 1, both: 0 })
  })

  it('every kind of caller receives as audit.recorded exactly the entries that it can list', async () => {
    const people = await addPeople(server, tenant, 'two owners', 'a scoped manager')
    const scopedMember = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const [one, other] = [
      await addAgent(server, tenant.id, { environmentId: tenant.production }),
      await addAgent(server, tenant.id, { environmentId: tenant.development }),
    ]
    await grantAgent(server, tenant.id, scopedMember.id, one)
    await giveEnvironment(server, tenant.id, scopedMember.id, tenant.development)
    await grantAgent(server, tenant.id, (people.manager as TestPerson).id, other)
    const callers = await callersOf(server, tenant, { ...people, 'scoped member': scopedMember })
    const streams = new Map<string, OpenStream>()
    for (const [name, { credential = '' }] of Object.entries(callers))
      streams.set(name, await stream(credential, '?types=audit.recorded'))
    const policy = { name: 'Files', environment_id: tenant.development, default_effect: 'deny', rules: [] }
    for (const body of [policy, { ...policy, name: 'Everywhere', environment_id: null }])
      expect((await tenant.owner.api.post('/policies', body)).status).toBe(201)
    await change(one)
    await change(other)
    expect((await tenant.owner.api.post('/environments', { name: 'New', slug: 'new' })).status).toBe(201)
    const owner = streams.get('owner') as OpenStream
    await vi.waitFor(() => expect(owner.events).toHaveLength(5), { timeout: 60_000 })
    for (const [name, api] of Object.entries(callers)) {
      const listed = (await api.get('/audit?limit=100')).body.data.map(({ id }: { id: string }) => id)
      await vi.waitFor(
        () => expect(idsOf(streams.get(name) as OpenStream, 'audit.recorded').sort(), name).toEqual(listed.sort()),
        { timeout: 60_000 },
      )
    }
  })

  it('a key that is limited by scopes gets only events of resources that it may read', async () => {
    const agentId = await addAgent(server, tenant.id)
    const witness = await stream(tenant.owner.accessToken)
    const narrow = await stream((await addKey(server, tenant.id, tenant.owner, { scopes: ['events:read'] })).raw)
    const agents = await stream(
      (await addKey(server, tenant.id, tenant.owner, { scopes: ['events:read', 'agents:read'] })).raw,
    )
    await change(agentId)
    await agents.receives(({ type }) => type === 'agent.changed')
    await settle(witness)
    expect(agents.types.filter((type) => type !== 'agent.changed')).toEqual([])
    expect(narrow.events).toEqual([])
  })
})

describe('a stream ends before the next events', () => {
  /** Opens a stream, ends the caller's access, and expects the stream to end without an event of the time after. */
  async function endsAfter(credential: string, end: () => Promise<unknown>) {
    const victim = await stream(credential)
    const agentId = await addAgent(server, tenant.id)
    await end()
    await change(agentId)
    await victim.ends()
    expect(victim.isBroken).toBe(false)
    expect(idsOf(victim, 'agent.changed')).toEqual([])
  }

  it('when the key is revoked', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    await endsAfter(key.raw, () => tenant.owner.api.delete(`/api-keys/${key.id}`))
  })

  it('when the user is removed', async () => {
    const person = await addPerson(server, tenant.id)
    await endsAfter(person.accessToken, async () => {
      expect((await tenant.owner.api.delete(`/users/${person.id}`)).status).toBeLessThan(300)
    })
  })

  it('when the creator of the key is removed', async () => {
    const person = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, person)
    await endsAfter(key.raw, () => tenant.owner.api.delete(`/users/${person.id}`))
  })

  it('when the person signs out', async () => {
    const person = await addPerson(server, tenant.id)
    await endsAfter(person.accessToken, () =>
      server.owner.query('update sessions set revoked_at = now() where account_id = $1', [person.accountId]),
    )
  })

  it('when the user becomes a learner', async () => {
    const person = await addPerson(server, tenant.id)
    await endsAfter(person.accessToken, () =>
      server.owner.query('update users set academy_only = true where id = $1', [person.id]),
    )
  })

  it('when the environment of a bound key is deleted', async () => {
    const { rows } = await server.owner.query(
      `insert into environments (tenant_id, id, name, slug, is_production, created_at)
       values ($1, gen_random_uuid(), 'Old', 'old', false, now()) returning id`,
      [tenant.id],
    )
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: rows[0].id })
    await endsAfter(key.raw, () =>
      server.owner.query('delete from environments where tenant_id = $1 and id = $2', [tenant.id, rows[0].id]),
    )
  })

  it('when the access token expires', async () => {
    const person = await addPerson(server, tenant.id)
    const expired = await server.services.accessTokens.issue(person.accountId, person.sessionId, 2)
    const short = await stream(expired)
    expect(short.status).toBe(200)
    await short.ends()
    expect(short.isBroken).toBe(false)
  })
})

it('a scope that is narrowed takes effect before the next events, and the stream stays open', async () => {
  const agentId = await addAgent(server, tenant.id)
  const person = await addPerson(server, tenant.id)
  const [witness, narrowed] = [await stream(tenant.owner.accessToken), await stream(person.accessToken)]
  await change(agentId)
  await narrowed.receives(({ type }) => type === 'agent.changed')
  expect((await tenant.owner.api.put(`/users/${person.id}/access-scope`, { access_scope: 'scoped' })).status).toBe(200)
  await settle(witness)
  const granted = await addAgent(server, tenant.id)
  await grantAgent(server, tenant.id, person.id, granted)
  await change(granted)
  await vi.waitFor(() => expect(idsOf(narrowed, 'agent.changed')).toEqual([agentId, granted]), { timeout: 60_000 })
  expect(narrowed.isEnded).toBe(false)
})

describe('limits', () => {
  it(`429 for more than ${mostStreamsOfCaller} streams of a person or of a key; a closed stream frees its place`, async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    for (const credential of [tenant.owner.accessToken, key.raw]) {
      const streams = await Promise.all(Array.from({ length: mostStreamsOfCaller }, () => stream(credential)))
      expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
      const refused = await openStream(server.url, credential)
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
      streams[0]?.close()
      await vi.waitFor(async () => expect((await stream(credential)).status).toBe(200), { timeout: 60_000 })
    }
  })

  it('many requests at once open no more streams than one caller may have', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 3 * mostStreamsOfCaller }, async () => (await stream(tenant.owner.accessToken)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(mostStreamsOfCaller)
  })

  it(`429 for more than ${mostStreamsOfTenant} streams of a tenant; other tenants are not affected`, async () => {
    const callers = Math.ceil(mostStreamsOfTenant / mostStreamsOfCaller)
    for (let caller = 0; caller < callers; caller++) {
      const { raw } = await addKey(server, tenant.id, tenant.owner)
      await Promise.all(Array.from({ length: mostStreamsOfCaller }, () => stream(raw)))
    }
    expect(open.filter(({ status }) => status === 200)).toHaveLength(mostStreamsOfTenant)
    expect((await stream(tenant.owner.accessToken)).status).toBe(429)
    const other = await createTenant(server)
    expect((await stream(other.owner.accessToken)).status).toBe(200)
  })
})

it('streams end when the server stops, so that clients connect to another instance', async () => {
  const instance = await server.startInstance()
  const events = await openStream(instance.url, tenant.owner.accessToken)
  await vi.waitFor(() => expect(events.lastEventId).toBeDefined())
  await instance.stop()
  await events.ends()
  expect(events.isBroken).toBe(false)
  const next = await openStream(server.url, tenant.owner.accessToken, { lastEventId: events.lastEventId })
  open.push(next)
  await next.receives(({ type }) => type === 'resumed')
})

it('a stream gets a comment and an id every 15 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const events = await stream(tenant.owner.accessToken)
    await vi.waitFor(() => expect(events.comments).toEqual(['connected']))
    const first = events.lastEventId
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(() => expect(events.comments).toEqual(['connected', 'keep-alive']))
    expect(events.lastEventId).not.toBe(first)
  } finally {
    vi.useRealTimers()
  }
})
