import { createPublicKey, verify } from 'node:crypto'
import {
  type Delegation,
  mostEndedOfCreator,
  mostOfHolder,
  mostOfUser,
  SignedDelegation,
} from '@mandate/contract/delegations'
import { canonicalJson } from '@mandate/proofs/canonical'
import { readDelegationToken } from '@mandate/proofs/delegation-token'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addEdge } from '../../testing/arrange-agents.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { deleteExpiredDelegations } from './delete-expired.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let agent: string
beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  agent = await newAgent()
})

const newAgent = (rest: object = {}) =>
  addAgent(server, tenant.id, { environmentId: tenant.development, status: 'active', ...rest })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const send = (changed: object = {}, api = owner) =>
  api.post('/delegations', { agent_id: agent, tools: ['mcp:files/*'], expires_at: inHours(1), ...changed })
const create = async (
  changed: object = {},
  api = owner,
): Promise<{ id: string; token: string; expires_at: string }> => {
  const { status, body } = await send(changed, api)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const list = async (query = '', api = owner): Promise<Delegation[]> => {
  const { status, body } = await api.get(`/delegations?${query}`)
  expect(status).toBe(200)
  return body.data
}
const stateOf = async (id: string) => (await list()).find((row) => row.id === id)?.state
const audit = async () =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type.startsWith('delegation.'))
const person = (role: 'viewer' | 'member' | 'manager', rest: object = {}) =>
  addPerson(server, tenant.id, { role, ...rest })

describe('POST /delegations', () => {
  it('201 with a token that the signing key has signed; the list and the audit trail never have the token', async () => {
    const { id, token, expires_at } = await create({ tools: ['mcp:files/*', 'mcp:files/*', 'fn:math/add'] })
    const document = readDelegationToken(token) ?? {}
    expect(SignedDelegation.parse(document)).toMatchObject({
      purpose: 'delegation',
      tenant_id: tenant.id,
      environment_id: tenant.development,
      id,
      subject: { id: tenant.owner.id },
      links: [{ id, agent: { id: agent }, tools: ['mcp:files/*', 'fn:math/add'], expires_at }],
    })
    const { signature, ...signed } = document
    const [{ public_key_pem }] = (await owner.get('/edge/signing-key')).body.keys
    const key = createPublicKey(public_key_pem)
    expect(verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(String(signature), 'base64'))).toBe(true)
    const [listed] = await list('include=may,names')
    expect(listed).toMatchObject({
      id,
      agent_id: agent,
      subject_user_id: tenant.owner.id,
      parent_id: null,
      depth: 1,
      state: 'active',
      created_by: tenant.owner.id,
      ended_at: null,
      may: ['revokeDelegation'],
    })
    expect(listed?.chain.map(({ type }) => type)).toEqual(['user', 'agent'])
    const [entry] = await audit()
    expect(entry).toMatchObject({ event_type: 'delegation.created', agent_id: agent, resource_id: id })
    const stored = await server.owner.query('select * from delegations where tenant_id = $1', [tenant.id])
    for (const text of [listed, await audit(), stored.rows]) expect(JSON.stringify(text)).not.toContain(token.slice(20))
  })

  it('400 for tools and times that are not valid; nothing is written', async () => {
    const wrong: [object, string][] = [
      [{ tools: [] }, 'tools'],
      [{ tools: ['nonsense'] }, 'tools[0]'],
      [{ tools: ['mcp:files/*', 'mcp:a/b/c'] }, 'tools[1]'],
      [{ tools: Array.from({ length: 101 }, (_, n) => `fn:a/t${n}`) }, 'tools'],
      [{ tools: ['a'.repeat(201)] }, 'tools'],
      [{ expires_at: inHours(-1) }, 'expires_at'],
      [{ expires_at: inHours(24.1) }, 'expires_at'],
      [{ expires_at: 'tomorrow' }, 'expires_at'],
      [{ agent_id: 'x' }, 'agent_id'],
      [{ subject_user_id: null }, 'subject_user_id'],
    ]
    for (const [change, named] of wrong) {
      const { status, body } = await send(change)
      expect([status, body.error], JSON.stringify(change)).toEqual([400, expect.stringContaining(named)])
    }
    expect(await audit()).toEqual([])
  })

  it('403 for another user, unless the caller is a manager; 403 for viewers; 404 for an unknown user', async () => {
    const [member, other, manager, viewer] = [
      await person('member'),
      await person('member'),
      await person('manager'),
      await person('viewer'),
    ]
    expect((await send({ subject_user_id: other.id }, member.api)).status).toBe(403)
    expect((await send({ subject_user_id: other.id, tools: 'x' }, member.api)).status).toBe(403)
    expect((await send({}, viewer.api)).status).toBe(403)
    expect((await send({ subject_user_id: agent })).status).toBe(404)
    expect(await audit()).toEqual([])
    await create({}, member.api)
    await create({ subject_user_id: other.id }, manager.api)
    expect((await list()).map((row) => [row.subject_user_id, row.created_by])).toEqual([
      [other.id, manager.id],
      [member.id, member.id],
    ])
  })

  it('404 for an agent that the caller does not see, as for an unknown one', async () => {
    const stranger = await createTenant(server)
    const scoped = await person('member', { accessScope: 'scoped' })
    const foreign = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const answers = [
      await send({}, stranger.owner.api),
      await send({}, scoped.api),
      await send({}, foreign.api),
      await send({ agent_id: tenant.id }),
      await send({ tools: 'x' }, scoped.api),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: 'agent not found' } })
    await grantAgent(server, tenant.id, scoped.id, agent)
    await create({}, scoped.api)
    expect(await list('', foreign.api)).toEqual([])
    expect(await list('', stranger.owner.api)).toEqual([])
  })

  it('409 for a user who does not see the agent, or who is no member', async () => {
    const scoped = await person('member', { accessScope: 'scoped' })
    const [viewer, learner] = [await person('viewer'), await person('viewer', { academyOnly: true })]
    expect((await send({ subject_user_id: scoped.id })).body.error).toBe('this user does not see the agent')
    for (const { id } of [viewer, learner])
      expect(await send({ subject_user_id: id })).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('members or above') },
      })
  })

  it.each([
    ['suspended', { status: 'suspended' }],
    ['archived', { status: 'archived' }],
    ['blocked', { lifecycleStatus: 'blocked' }],
    ['retired', { lifecycleStatus: 'retired' }],
    ['no environment', { environmentId: null, source: 'github' }],
  ])('409 for an agent that may not act: %s', async (word, rest) => {
    const stopped = await newAgent(rest)
    const answer = await send({ agent_id: stopped })
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining(word) } })
  })

  it(`409 for more than ${mostOfHolder} active delegations of an agent; ended ones do not count`, async () => {
    const { id } = await create()
    await server.owner.query(
      `insert into delegations (tenant_id, id, root_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools, created_at, expires_at)
       select tenant_id, n.id, n.id, '{}', 1, environment_id, agent_id, gen_random_uuid(), chain, tools, created_at, expires_at
       from delegations, lateral (select gen_random_uuid() as id from generate_series(2, $3::int)) n where tenant_id = $1 and delegations.id = $2`,
      [tenant.id, id, mostOfHolder],
    )
    expect(await send()).toMatchObject({ status: 409, body: { error: expect.stringContaining(String(mostOfHolder)) } })
    await owner.delete(`/delegations/${id}`)
    await create()
  })

  it(`409 for a person with ${mostOfUser} active delegations to an agent; others may delegate to it`, async () => {
    const member = await person('member')
    const { id } = await create({}, member.api)
    await server.owner.query(
      `insert into delegations (tenant_id, id, root_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools, created_at, expires_at)
       select tenant_id, n.id, n.id, '{}', 1, environment_id, agent_id, subject_user_id, chain, tools, created_at, expires_at
       from delegations, lateral (select gen_random_uuid() as id from generate_series(2, $3::int)) n where tenant_id = $1 and delegations.id = $2`,
      [tenant.id, id, mostOfUser],
    )
    const error = expect.stringContaining(`${mostOfUser} active delegations for one user`)
    expect(await send({}, member.api)).toMatchObject({ status: 409, body: { error } })
    await create()
  })

  it('what agents pass on does not use up the delegations of the user or of the agent', async () => {
    const { id } = await create()
    await server.owner.query(
      `insert into delegations (tenant_id, id, root_id, parent_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools,
         created_at, expires_at)
       select tenant_id, n.id, d.id, d.id, array[d.id], 2, environment_id, agent_id, subject_user_id, chain, tools, created_at, expires_at
       from delegations d, lateral (select gen_random_uuid() as id from generate_series(1, $3::int)) n where tenant_id = $1 and d.id = $2`,
      [tenant.id, id, mostOfHolder - 1],
    )
    const other = await newAgent()
    await server.owner.query(
      'update delegations set agent_id = $3 where tenant_id = $1 and parent_id = $2 and id in (select id from delegations where parent_id = $2 limit 300)',
      [tenant.id, id, other],
    )
    await create()
    await create({ agent_id: other })
  })

  it(`409 for a person with ${mostEndedOfCreator} ended delegations that have not expired; others may delegate`, async () => {
    const member = await person('member')
    const { id } = await create({}, member.api)
    await member.api.delete(`/delegations/${id}`)
    await server.owner.query(
      `insert into delegations (tenant_id, id, root_id, ancestors, depth, environment_id, agent_id, subject_user_id, chain, tools, created_by,
         created_at, expires_at, ended_at, ended_because, ended_by, ended_in)
       select tenant_id, n.id, n.id, '{}', 1, environment_id, agent_id, subject_user_id, chain, tools, created_by,
         created_at, expires_at, ended_at, ended_because, ended_by, ended_in
       from delegations, lateral (select gen_random_uuid() as id from generate_series(2, $3::int)) n where tenant_id = $1 and delegations.id = $2`,
      [tenant.id, id, mostEndedOfCreator],
    )
    expect(await send({}, member.api)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('your delegations') },
    })
    await create()
  })

  it('the token and the chain do not have the address of a user without a name', async () => {
    await server.owner.query(`update users set display_name = '' where tenant_id = $1`, [tenant.id])
    await create()
    const [delegation] = await list()
    expect(delegation?.chain[0]).toMatchObject({ type: 'user', name: 'a user' })
  })
})

describe('DELETE /delegations/{delegation_id}', () => {
  it('204 for the user for whom the agent acts, and for managers; 403 for others; 404 if not seen; 409 the second time', async () => {
    const [member, other, manager] = [await person('member'), await person('member'), await person('manager')]
    const [own, second] = [await create({}, member.api), await create({}, member.api)]
    expect((await other.api.delete(`/delegations/${own.id}`)).status).toBe(403)
    const stranger = await createTenant(server)
    expect((await stranger.owner.api.delete(`/delegations/${own.id}`)).status).toBe(404)
    const scoped = await person('manager', { accessScope: 'scoped' })
    expect((await scoped.api.delete(`/delegations/${own.id}`)).status).toBe(404)
    expect((await member.api.delete(`/delegations/${own.id}`)).status).toBe(204)
    expect((await manager.api.delete(`/delegations/${second.id}`)).status).toBe(204)
    expect((await owner.delete(`/delegations/${own.id}`)).status).toBe(409)
    const [last] = await list()
    expect(last).toMatchObject({ state: 'ended', ended_because: 'revoked', ended_by: manager.id })
    expect((await audit()).filter(({ event_type }) => event_type === 'delegation.revoked')).toHaveLength(2)
  })

  it('409 for a delegation that has expired', async () => {
    const { id } = await create()
    await server.owner.query('update delegations set expires_at = now() where tenant_id = $1 and id = $2', [
      tenant.id,
      id,
    ])
    expect(await owner.delete(`/delegations/${id}`)).toMatchObject({
      status: 409,
      body: { error: 'this delegation has expired' },
    })
    expect(await stateOf(id)).toBe('expired')
  })
})

describe('delegations end with what they are based on', () => {
  it('the agent is suspended or archived', async () => {
    const { id } = await create()
    await owner.post(`/agents/${agent}/suspend`)
    expect((await list())[0]).toMatchObject({ id, state: 'ended', ended_because: 'suspended', ended_by: null })
    await owner.post(`/agents/${agent}/resume`)
    expect(await stateOf(id)).toBe('ended')
    await create()
    expect((await owner.delete(`/agents/${agent}`)).status).toBe(204)
    expect((await list())[0]).toMatchObject({ ended_because: 'archived' })
  })

  it('the user is removed, becomes a viewer, or no longer sees the agent', async () => {
    const [removed, demoted, narrowed, kept] = [
      await person('member'),
      await person('member'),
      await person('member'),
      await person('member'),
    ]
    const granted = await person('member', { accessScope: 'scoped' })
    await grantAgent(server, tenant.id, granted.id, agent)
    for (const { api } of [removed, demoted, narrowed, kept, granted]) await create({}, api)
    expect((await owner.delete(`/users/${removed.id}`)).status).toBe(204)
    expect((await owner.put(`/users/${demoted.id}`, { role: 'viewer' })).status).toBe(200)
    expect((await owner.put(`/users/${narrowed.id}/access-scope`, { access_scope: 'scoped' })).status).toBe(200)
    const [grant] = (await owner.get(`/users/${granted.id}/grants`)).body.grants
    expect((await owner.delete(`/users/${granted.id}/grants/${grant.id}`)).status).toBe(204)
    const ended = (await list()).map((row) => [row.subject_user_id, row.ended_because])
    expect(Object.fromEntries(ended)).toEqual({
      [removed.id]: 'access_lost',
      [demoted.id]: 'access_lost',
      [narrowed.id]: 'access_lost',
      [granted.id]: 'access_lost',
      [kept.id]: null,
    })
  })
})

describe('delegations that are made while the user loses their rights', () => {
  it.each(['remove', 'demote', 'revoke the grant'] as const)(
    '%s: both end in order, and none is left',
    async (what) => {
      for (let round = 0; round < 3; round++) {
        const user = await person('manager', { accessScope: 'scoped' })
        await grantAgent(server, tenant.id, user.id, agent)
        const { id: parent } = await create({}, user.api)
        const edge = await addEdge(server, tenant.id, tenant.development)
        const receivers = [await newAgent(), await newAgent()]
        const [grant] = (await owner.get(`/users/${user.id}/grants`)).body.grants
        const losses = {
          remove: () => owner.delete(`/users/${user.id}`),
          demote: () => owner.put(`/users/${user.id}`, { role: 'viewer' }),
          'revoke the grant': () => owner.delete(`/users/${user.id}/grants/${grant.id}`),
        }
        const forUser = { subject_user_id: user.id }
        const answers = [send({}, user.api), send(forUser)]
        const child = { parent, tools: ['mcp:files/read'], expires_at: inHours(0.5) }
        for (const agent_id of receivers) answers.push(edge.post('/edge/delegations', { ...child, agent_id }))
        const lost = losses[what]()
        answers.push(send({}, user.api), send(forUser))
        expect([200, 204]).toContain((await lost).status)
        for (const { status } of await Promise.all(answers)) expect([201, 401, 403, 404, 409]).toContain(status)
        const left = (await list()).filter((row) => row.subject_user_id === user.id && row.state === 'active')
        expect(left).toEqual([])
      }
    },
  )
})

it('deletes delegations some days after they expired', async () => {
  await create()
  const days = (count: number) => new Date(Date.now() + count * 86_400_000)
  await deleteExpiredDelegations(server.services.db, days(6))
  expect(await list()).toHaveLength(1)
  await deleteExpiredDelegations(server.services.db, days(8))
  expect(await list()).toHaveLength(0)
})
