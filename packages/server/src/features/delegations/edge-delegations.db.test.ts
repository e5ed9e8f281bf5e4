import { createPublicKey, verify } from 'node:crypto'
import { EndedDelegations, mostDepth, mostPassedOn, mostReceived } from '@mandate/contract/delegations'
import { canonicalJson } from '@mandate/proofs/canonical'
import { readDelegationToken } from '@mandate/proofs/delegation-token'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { addAgent, addPerson, auditEntries, createTenant, type TestTenant } from '../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../testing/arrange-agents.ts'
import { type OpenStream, openStream } from '../../testing/open-stream.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
const streams: OpenStream[] = []
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let agents: string[]
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  agents = await Promise.all(Array.from({ length: 7 }, newAgent))
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

function newAgent() {
  return addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active' })
}
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const tools = ['mcp:files/read*']
const soon = inHours(1)
const root = async (changed: object = {}): Promise<string> => {
  const sent = { agent_id: agents[0], tools, expires_at: inHours(2), ...changed }
  const { status, body } = await owner.post('/delegations', sent)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const sendOn = (parent: string, changed: object = {}, api = edge) =>
  api.post('/edge/delegations', { parent, agent_id: agents[1], tools, expires_at: soon, ...changed })
const on = async (parent: string, changed: object = {}, api = edge) => {
  const { status, body } = await sendOn(parent, changed, api)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; token: string }
}
const endedIds = async () => {
  const { rows } = await server.owner.query(
    'select id from delegations where tenant_id = $1 and ended_at is not null',
    [tenant.id],
  )
  return rows.map(({ id }) => id).sort()
}
const ended = async (query = '', api = edge): Promise<EndedDelegations> => {
  const { status, body } = await api.get(`/edge/delegations/ended?${query}`)
  expect(status).toBe(200)
  return EndedDelegations.parse(body)
}
const beat = async (agentIds: string[], api = edge) => {
  const said = agentIds.map((agent_id) => ({ agent_id }))
  const body = { instance_id: 'one', seq: 1, edge_version: '1', agents: said }
  return (await api.post('/edge/heartbeat', body)).body.delegations
}

describe('POST /edge/delegations', () => {
  it('201 with a token that has the whole chain; the trail names the agent that delegated', async () => {
    const first = await root()
    const own = await giveAgentKey(server, tenant.id, agents[0] as string)
    const { id, token } = await on(first, { tools: ['mcp:files/read_text'] }, own)
    expect(readDelegationToken(token)).toMatchObject({
      id,
      subject: { id: tenant.owner.id },
      links: [
        { id: first, agent: { id: agents[0] }, tools },
        { id, agent: { id: agents[1] }, tools: ['mcp:files/read_text'] },
      ],
    })
    const [listed] = (await owner.get(`/delegations?agent_id=${agents[1]}`)).body.data
    expect(listed).toMatchObject({ id, parent_id: first, depth: 2, created_by: null, subject_user_id: tenant.owner.id })
    const entry = (await auditEntries(server, tenant.id)).at(-1)
    expect(entry).toMatchObject({ event_type: 'delegation.created', actor_type: 'agent', source: 'edge' })
  })

  it('400 for more tools or more time than the parent, and for an agent that is in the chain', async () => {
    const first = await root()
    const wrong: [object, string][] = [
      [{ tools: ['mcp:files/*'] }, 'tools: mcp:files/* is not covered'],
      [{ tools: ['*'] }, 'tools'],
      [{ tools: ['mcp:files/read_text', 'mcp:files/write'] }, 'mcp:files/write'],
      [{ expires_at: inHours(3) }, 'expires_at'],
      [{ expires_at: inHours(-1) }, 'expires_at'],
      [{ agent_id: agents[0] }, 'in the chain'],
    ]
    for (const [change, text] of wrong) {
      const { status, body } = await sendOn(first, change)
      expect([status, body.error], JSON.stringify(change)).toEqual([400, expect.stringContaining(text)])
    }
    expect((await owner.get('/delegations')).body.total).toBe(1)
  })

  it('404 for a parent that the key cannot use, and for an agent of another environment or tenant', async () => {
    const first = await root()
    const stranger = await createTenant(server)
    const outside = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const foreign = await addAgent(server, stranger.id, { environmentId: stranger.development })
    const keys = [
      await giveAgentKey(server, tenant.id, agents[1] as string),
      await addEdge(server, tenant.id, tenant.production),
      await addEdge(server, stranger.id, stranger.development),
    ]
    for (const api of keys)
      expect(await sendOn(first, { agent_id: agents[2] }, api)).toMatchObject({
        status: 404,
        body: { error: 'delegation not found' },
      })
    expect((await sendOn(tenant.id)).status).toBe(404)
    for (const agent_id of [outside, foreign, tenant.id])
      expect(await sendOn(first, { agent_id })).toMatchObject({ status: 404, body: { error: 'agent not found' } })
    expect((await sendOn(first, {}, owner)).status).toBe(401)
  })

  it(`409 for a chain deeper than ${mostDepth}, for a parent that ended or expired, and for a stopped agent`, async () => {
    let parent = await root()
    for (let depth = 2; depth <= mostDepth; depth++) parent = (await on(parent, { agent_id: agents[depth] })).id
    expect((await sendOn(parent)).body.error).toContain(`${mostDepth} deep`)
    const first = await root()
    await owner.post(`/agents/${agents[1]}/suspend`)
    expect(await sendOn(first)).toMatchObject({ status: 409, body: { error: 'the agent is suspended' } })
    await owner.post(`/agents/${agents[1]}/resume`)
    await server.owner.query('update delegations set expires_at = now() where id = $1', [first])
    expect((await sendOn(first, { expires_at: new Date(Date.now() + 1).toISOString() })).status).toBeOneOf([400, 409])
    const second = await root()
    await owner.delete(`/delegations/${second}`)
    expect(await sendOn(second)).toMatchObject({ status: 409, body: { error: 'the parent has ended' } })
  })
})

it('409 while the agent that holds the parent is frozen', async () => {
  const first = await root()
  const own = await giveAgentKey(server, tenant.id, agents[0] as string)
  const frozen = await owner.post('/freezes', { scope: 'agent', agent_id: agents[0], reason: 'an incident' })
  expect(frozen.status).toBe(201)
  for (const api of [own, edge])
    expect(await sendOn(first, {}, api)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('may not act') },
    })
  expect((await owner.post(`/freezes/${frozen.body.id}/lift`, { reason: 'over' })).status).toBe(200)
  await on(first, {}, own)
})

it(`409 for more than ${mostPassedOn} delegations below one, and for an agent that received ${mostReceived}; people delegate still`, async () => {
  const fill = (parent: string, agentId: string | undefined, count: number) =>
    server.owner.query(
      `insert into delegations (tenant_id, id, root_id, parent_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools,
         created_at, expires_at)
       select tenant_id, n.id, d.id, d.id, array[d.id], 2, environment_id, $3, subject_user_id, chain, tools, created_at, expires_at
       from delegations d, lateral (select gen_random_uuid() as id from generate_series(1, $4::int)) n where tenant_id = $1 and d.id = $2`,
      [tenant.id, parent, agentId, count],
    )
  const [first, second] = [await root(), await root()]
  await fill(first, agents[2], mostPassedOn - 1)
  await on(first)
  expect(await sendOn(first)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('passed on from one') },
  })
  await on(second)
  await fill(await root({ agent_id: agents[3] }), agents[1], mostReceived)
  expect(await sendOn(second)).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining('other agents passed on') },
  })
  await root({ agent_id: agents[1] })
})

describe('ending a delegation', () => {
  it('ends everything below it, and nothing beside it', async () => {
    const first = await root()
    const second = await on(first)
    const third = await on(second.id, { agent_id: agents[2] })
    const beside = await on(first, { agent_id: agents[3] })
    await owner.delete(`/delegations/${second.id}`)
    expect(await endedIds()).toEqual([second.id, third.id].sort())
    await owner.delete(`/delegations/${first}`)
    expect(await endedIds()).toEqual([first, second.id, third.id, beside.id].sort())
    expect((await ended()).ended.map(({ id }) => id)).toEqual([second.id, first])
  })

  it('ends what is below an agent in the chain that is archived', async () => {
    const first = await root()
    const second = await on(first)
    const third = await on(second.id, { agent_id: agents[2] })
    expect((await owner.delete(`/agents/${agents[1]}`)).status).toBe(204)
    expect(await endedIds()).toEqual([second.id, third.id].sort())
  })

  it('ends the whole chain of a user who is removed', async () => {
    const member = await addPerson(server, tenant.id, { role: 'member' })
    const first = await root({ subject_user_id: member.id })
    const second = await on(first)
    await owner.delete(`/users/${member.id}`)
    expect(await endedIds()).toEqual([first, second.id].sort())
  })

  it('leaves no child below an ended delegation when both happen at once', async () => {
    for (let round = 0; round < 12; round++) {
      const first = await root()
      const middle = await on(first)
      const children = agents.slice(2, 6).map((agent_id) => sendOn(middle.id, { agent_id }))
      const [revoked, ...answers] = await Promise.all([
        owner.delete(`/delegations/${round % 2 === 0 ? first : middle.id}`),
        ...children,
      ])
      expect(revoked?.status).toBe(204)
      for (const { status } of answers) expect([201, 409]).toContain(status)
      const { rows } = await server.owner.query(
        'select count(*)::int as n from delegations where tenant_id = $1 and $2 = any(ancestors) and ended_at is null',
        [tenant.id, middle.id],
      )
      expect(rows[0].n).toBe(0)
    }
  })
})

describe('GET /edge/delegations/ended', () => {
  it('200 with the signed list of what ended after a version', async () => {
    expect(await ended()).toMatchObject({ version: 0, since: 0, ended: [] })
    const [first, second] = [await root(), await root()]
    expect(await ended()).toMatchObject({ version: 1, ended: [] })
    await owner.delete(`/delegations/${first}`)
    await owner.delete(`/delegations/${second}`)
    const all = await ended()
    expect(all).toMatchObject({ tenant_id: tenant.id, environment_id: tenant.development, version: 3, since: 0 })
    expect(all.ended.map(({ id }) => id)).toEqual([first, second])
    const { signature, ...signed } = all
    const [{ public_key_pem }] = (await edge.get('/edge/signing-key')).body.keys
    const key = createPublicKey(public_key_pem)
    expect(verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(signature, 'base64'))).toBe(true)
    expect((await ended('since=2')).ended.map(({ id }) => id)).toEqual([second])
    expect(await ended('since=99')).toMatchObject({ version: 3, since: 0, ended: [{}, {}] })
    expect((await edge.get('/edge/delegations/ended?since=-1')).status).toBe(400)
    await server.owner.query('update delegations set expires_at = now() where id = $1', [first])
    expect((await ended()).ended.map(({ id }) => id)).toEqual([second])
  })

  it('each environment and tenant has a list of its own; an agent key reads that of its environment', async () => {
    const first = await root()
    await owner.delete(`/delegations/${first}`)
    const production = await addEdge(server, tenant.id, tenant.production)
    const stranger = await createTenant(server)
    const foreign = await addEdge(server, stranger.id, stranger.development)
    for (const api of [production, foreign]) expect((await ended('', api)).ended).toEqual([])
    const own = await giveAgentKey(server, tenant.id, agents[3] as string)
    expect((await ended('', own)).ended).toHaveLength(1)
    const homeless = await addAgent(server, tenant.id, { source: 'github' })
    const without = await giveAgentKey(server, tenant.id, homeless)
    expect((await without.get('/edge/delegations/ended')).status).toBe(404)
  })

  it('heartbeat answers name the version from the first delegation on, also without agents', async () => {
    expect(await beat(agents)).toBeUndefined()
    const first = await root()
    expect(await beat(agents)).toEqual({ version: 1, at: expect.any(String) })
    await owner.delete(`/delegations/${first}`)
    expect(await beat([])).toMatchObject({ version: 2 })
    const own = await giveAgentKey(server, tenant.id, agents[0] as string)
    expect(await beat([agents[0] as string], own)).toMatchObject({ version: 2 })
  })

  it('the stream tells the edges of the environment, and no others', async () => {
    const open = async (api: ApiClient) => {
      const stream = await openStream(server.url, api.credential as string, {
        path: '/edge/stream',
        query: '?instance_id=one',
      })
      streams.push(stream)
      return stream
    }
    const mine = await open(edge)
    const other = await open(await addEdge(server, tenant.id, tenant.production))
    const own = await open(await giveAgentKey(server, tenant.id, agents[4] as string))
    const first = await root()
    await mine.receives(({ type, data }) => type === 'delegations' && data.version === 1)
    await owner.delete(`/delegations/${first}`)
    await mine.receives(({ type, data }) => type === 'delegations' && data.version === 2)
    await own.receives(({ type, data }) => type === 'delegations' && data.version === 2)
    expect(other.types).not.toContain('delegations')
  })
})
