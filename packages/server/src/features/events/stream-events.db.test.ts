import { randomUUID } from 'node:crypto'
import { mostStreamsOfCaller } from '@mandate/contract/events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addAgent, addKey, addPerson, createTenant, type TestPerson, type TestTenant } from '../../testing/arrange.ts'
import { openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant
let open: Awaited<ReturnType<typeof openStream>>[]

beforeEach(async () => {
  tenant = await createTenant(server)
  open = []
})
afterEach(() => {
  for (const stream of open) stream.close()
})

type Options = Parameters<typeof openStream>[2] & { url?: string }
async function stream(credential = tenant.owner.accessToken, { url = server.url, ...options }: Options = {}) {
  const opened = await openStream(url, credential, options)
  open.push(opened)
  return opened
}

async function addEnvironment(by: Pick<TestPerson, 'api'> = tenant.owner): Promise<string> {
  const name = newId().slice(-12)
  const answer = await by.api.post('/environments', { name, slug: `e${name}` })
  expect(answer.status).toBe(201)
  return answer.body.id
}

async function suspend(agentId: string): Promise<void> {
  expect((await tenant.owner.api.post(`/agents/${agentId}/suspend`, { reason: 'test' })).status).toBe(200)
}

describe('GET /events/stream', () => {
  it('200 with a stream that proxies do not buffer; an audit entry arrives as audit.recorded and as the event of the change', async () => {
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const events = await stream()
    expect(events.status).toBe(200)
    expect(events.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    await suspend(agentId)
    const changed = await events.receives(({ type }) => type === 'agent.changed')
    expect(changed).toEqual({
      id: changed.data.id,
      type: 'agent.changed',
      data: {
        id: expect.any(String),
        type: 'agent.changed',
        at: expect.stringMatching(/Z$/),
        resource: { type: 'agent', id: agentId },
        agent_id: agentId,
        environment_id: tenant.production,
      },
    })
    const { data } = await events.receives(({ type }) => type === 'audit.recorded')
    const entries = await tenant.owner.api.get(`/audit?resource_id=${agentId}`)
    expect(data.resource).toEqual({ type: 'audit_entry', id: entries.body.data[0].id })
    expect(new Set(events.events.map(({ id }) => id)).size).toBe(2)
  })

  it('a HEAD request gets the headers, and keeps no stream open', async () => {
    const headers = { authorization: `Bearer ${tenant.owner.accessToken}` }
    for (let at = 0; at <= mostStreamsOfCaller; at++) {
      const answer = await fetch(`${server.url}/api/v1/events/stream`, { method: 'HEAD', headers })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    }
  })

  it('401 without a credential, with an invalid one, and with an edge key', async () => {
    for (const credential of ['', 'nonsense', `mk_${'0'.repeat(64)}`, `ek_${'0'.repeat(64)}`]) {
      expect((await stream(credential)).status).toBe(401)
    }
  })

  it('403 for a learner and for a key without the scope events:read', async () => {
    const learner = await addPerson(server, tenant.id, { academyOnly: true })
    expect((await stream(learner.accessToken)).status).toBe(403)
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['agents:read'] })
    expect((await stream(key.raw)).status).toBe(403)
  })

  it('400 for an unknown type, which the error names, and for malformed decisions', async () => {
    const answer = await tenant.owner.api.get('/events/stream?types=agent.changed,agent.exploded')
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('types must name event types; unknown: agent.exploded')
    const mistyped = await tenant.owner.api.get('/events/stream?types=freeze.lifted,freeze.startd')
    expect(mistyped.body.error).toBe(
      'types must name event types; unknown: freeze.startd; did you mean freeze.started?',
    )
    for (const query of [
      'types=',
      'types=toString',
      'types=,',
      'decisions=some',
      'types=a&types=b',
      `types=${'a'.repeat(2000)}`,
    ]) {
      expect((await tenant.owner.api.get(`/events/stream?${query}`)).status, query).toBe(400)
    }
  })

  it('404 for decisions of an unknown agent, of another tenant, and of one that the caller does not see', async () => {
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id)
    const unseen = await addAgent(server, tenant.id)
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    for (const id of [randomUUID(), foreign]) {
      expect((await tenant.owner.api.get(`/events/stream?decisions=${id}`)).status).toBe(404)
    }
    expect((await scoped.api.get(`/events/stream?decisions=${unseen}`)).status).toBe(404)
    expect((await tenant.owner.api.get(`/events/stream?decisions=${unseen}`)).status).toBe(200)
  })

  it('with types sends only these', async () => {
    const agentId = await addAgent(server, tenant.id)
    const [all, some] = [await stream(), await stream(undefined, { query: '?types=agent.changed,policy.saved' })]
    await addEnvironment()
    await suspend(agentId)
    await all.receives(({ type }) => type === 'agent.changed')
    await some.receives(({ type }) => type === 'agent.changed')
    expect(some.types).toEqual(['agent.changed'])
    expect(all.types).toEqual(['audit.recorded', 'audit.recorded', 'agent.changed'])
  })

  it('sends nothing of another tenant', async () => {
    const other = await createTenant(server)
    const [mine, theirs] = [await stream(), await stream(other.owner.accessToken)]
    await addEnvironment()
    await mine.receives(({ type }) => type === 'audit.recorded')
    await addEnvironment(other.owner)
    await theirs.receives(({ type }) => type === 'audit.recorded')
    expect([mine.events.length, theirs.events.length]).toEqual([1, 1])
  })
})

describe('Last-Event-ID', () => {
  it('sends what was missed, on any instance, first resumed with their number', async () => {
    const instance = await server.startInstance()
    try {
      const first = await stream()
      await addEnvironment()
      const { id } = await first.receives(({ type }) => type === 'audit.recorded')
      first.close()
      const agentId = await addAgent(server, tenant.id)
      await suspend(agentId)
      const second = await stream(undefined, { url: instance.url, lastEventId: id })
      await second.receives(({ type }) => type === 'agent.changed')
      expect(second.types).toEqual(['resumed', 'audit.recorded', 'agent.changed'])
      expect(second.events[0]?.data).toEqual({ id, type: 'resumed', events: 2 })
      await addEnvironment()
      await vi.waitFor(() =>
        expect(second.types).toEqual(['resumed', 'audit.recorded', 'agent.changed', 'audit.recorded']),
      )
      second.close()
    } finally {
      await instance.stop()
    }
  })

  it('a stream without events has an id too, from which a client continues', async () => {
    const quiet = await stream()
    await vi.waitFor(() => expect(quiet.lastEventId).toBeDefined())
    quiet.close()
    await addEnvironment()
    const next = await stream(undefined, { lastEventId: quiet.lastEventId })
    await next.receives(({ type }) => type === 'audit.recorded')
    expect(next.types).toEqual(['resumed', 'audit.recorded'])
  })

  it('the second event of an entry comes again if the client has only the first', async () => {
    const agentId = await addAgent(server, tenant.id)
    const first = await stream()
    await suspend(agentId)
    await first.receives(({ type }) => type === 'agent.changed')
    const [recorded, changed] = first.events
    const halfway = await stream(undefined, { lastEventId: recorded?.id })
    const whole = await stream(undefined, { lastEventId: changed?.id })
    await addEnvironment()
    await halfway.receives(
      ({ type, data }) => type === 'audit.recorded' && data.resource.id !== recorded?.data.resource.id,
    )
    await whole.receives(({ type }) => type === 'audit.recorded')
    expect(halfway.types).toEqual(['resumed', 'agent.changed', 'audit.recorded'])
    expect(whole.types).toEqual(['resumed', 'audit.recorded'])
  })

  it('reset for an id that is unknown, forged, too old, or of another tenant', async () => {
    const other = await createTenant(server)
    const theirs = await stream(other.owner.accessToken)
    await addEnvironment(other.owner)
    const { id: foreign } = await theirs.receives(({ type }) => type === 'audit.recorded')
    const mine = await stream()
    await addEnvironment()
    const { id: old } = await mine.receives(({ type }) => type === 'audit.recorded')
    await server.owner.query(`update events set stored_at = now() - interval '1 hour' where tenant_id = $1`, [
      tenant.id,
    ])
    const ids = [
      foreign,
      theirs.lastEventId,
      old,
      randomUUID(),
      'nonsense',
      '',
      '0',
      `${randomUUID()}.audit`,
      'x'.repeat(8000),
    ]
    for (const lastEventId of ids) {
      const events = await stream(undefined, { lastEventId })
      const { data } = await events.receives(({ type }) => type === 'reset')
      expect(data.type).toBe('reset')
      expect(events.types).toEqual(['reset'])
      await addEnvironment()
      await events.receives(({ type }) => type === 'audit.recorded')
      events.close()
    }
  })

  it('reset for a client that missed more than 10,000 changes', async () => {
    const first = await stream()
    await addEnvironment()
    const { id } = await first.receives(({ type }) => type === 'audit.recorded')
    first.close()
    await server.owner.query(
      `insert into events (tenant_id, slot, id, place, xact_id, snapshot, stored_at, at, type, audience, is_audited, resource_type, resource_id)
       select e.tenant_id, e.slot, gen_random_uuid(), nextval('event_places'), pg_current_xact_id(), pg_current_snapshot(), now(), now(),
         'edge.silent', 'edge', false, 'edge', gen_random_uuid()
       from events e cross join generate_series(1, 10001) where e.tenant_id = $1`,
      [tenant.id],
    )
    const late = await stream(undefined, { lastEventId: id })
    await late.receives(({ type }) => type === 'reset')
  })

  it('events that are missed and events that happen meanwhile arrive once and in order', async () => {
    const first = await stream()
    await addEnvironment()
    const { id } = await first.receives(({ type }) => type === 'audit.recorded')
    first.close()
    const made: string[] = []
    const making = (async () => {
      for (let at = 0; at < 30; at++) made.push(await addEnvironment())
    })()
    await vi.waitFor(() => expect(made.length).toBeGreaterThan(5))
    const second = await stream(undefined, { lastEventId: id })
    await making
    await vi.waitFor(() => expect(second.events.filter(({ type }) => type === 'audit.recorded')).toHaveLength(30))
    const ids = second.events.slice(1).map((event) => event.id)
    const { rows } = await server.owner.query(`select id from events where tenant_id = $1 order by place offset 1`, [
      tenant.id,
    ])
    expect(ids).toEqual(rows.map((row) => `${row.id}.audit`))
  })
})
