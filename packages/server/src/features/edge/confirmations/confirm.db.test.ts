import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { confirmationsHash, signBatch } from '@mandate/proofs/decision-chain'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeCtx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import {
  actorOf,
  addAgent,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { beat, silence as silenceInstance } from '../../../testing/running-instance.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { closeDrills } from '../../freezes/change/close-drills.ts'
import { readLastStop } from '../../freezes/list/last-stop.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let agent: string

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  agent = await newAgent()
})

const newAgent = async (environmentId = tenant.development) =>
  addAgent(server, tenant.id, {
    environmentId,
    policyId: (await addPolicy(server, tenant.id)).id,
    status: 'active',
  })
const start = async (body: object = { scope: 'environment', environment_id: tenant.development }) => {
  const answer = await owner.post('/freezes', { reason: 'stop', ...body })
  expect(answer.status).toBe(201)
  return answer.body
}
const silence = (instance: string) => silenceInstance(server, tenant.id, instance)
const at = new Date().toISOString()
const ofFreeze = (freeze_id: string) => ({ freeze_id, at })
const confirm = (api: ApiClient, instance_id: string, confirmations: object[], rest = {}) =>
  api.post('/edge/confirmations', { instance_id, confirmations, ...rest })
const reach = async (id: string, api = owner) => (await api.get(`/freezes/${id}`)).body.edges
const states = async (id: string, query = '', api = owner) => {
  const { data } = (await api.get(`/freezes/${id}/edges${query}`)).body
  return data.map((one: { instance_id: string; state: string }) => `${one.instance_id} ${one.state}`).sort()
}

/** A key of an edge that signs confirmations. */
async function signer(api: ApiClient) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const public_key_pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const { kid } = (await api.post('/edge/keys', { public_key_pem })).body
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const sign = (confirmations: object[], signedKid = kid) => ({
    kid: signedKid,
    signature: signBatch(createPrivateKey(pem), confirmationsHash(signedKid, confirmations)),
  })
  return { kid, sign }
}

describe('POST /edge/confirmations of a freeze', () => {
  it('202: each running instance counts once, also that of an own key, with the time by the clock of the server', async () => {
    const own = await giveAgentKey(server, tenant.id, agent)
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent), beat(own, 'own', agent)])
    const began = performance.now()
    const { id, edges } = await start()
    expect(edges).toEqual({ total: 3, confirmed: 0, unreachable: 0 })
    expect(await states(id)).toEqual(['a waiting', 'b waiting', 'own waiting'])
    const before = (await beat(edge, 'a', agent)).freezes
    const notice = { id, scope: 'environment', agent_id: null, environment_id: tenant.development, drill: false }
    expect(before).toEqual([notice])
    for (let n = 0; n < 2; n++) {
      const answer = await confirm(edge, 'a', [{ ...ofFreeze(id), at: '2020-01-01T00:00:00.000Z' }])
      expect(answer).toMatchObject({ status: 202, body: { accepted: 1, refused: [] } })
    }
    expect(await reach(id)).toEqual({ total: 3, confirmed: 1, unreachable: 0 })
    expect(await beat(edge, 'a', agent)).not.toHaveProperty('freezes')
    expect((await beat(own, 'own', agent)).freezes).toEqual([notice])
    expect((await owner.get(`/freezes/${id}`)).body.confirmed_all_at).toBeNull()
    await Promise.all([confirm(edge, 'b', [ofFreeze(id)]), confirm(own, 'own', [ofFreeze(id)])])
    const done = (await owner.get(`/freezes/${id}`)).body
    expect(done.edges).toEqual({ total: 3, confirmed: 3, unreachable: 0 })
    expect(Date.parse(done.confirmed_all_at)).toBeGreaterThanOrEqual(Date.parse(done.created_at))
    const { data } = (await owner.get(`/freezes/${id}/edges`)).body
    expect(
      data.map(({ edge: one, agent: k }: { edge: object; agent: object }) => [one !== null, k !== null]).sort(),
    ).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ])
    const environment = { id: tenant.development, name: 'Development', slug: 'development' }
    for (const one of data) {
      expect(one).toMatchObject({ environment, state: 'confirmed', agents: 1, kid: null, signature: null })
      expect(one.after_ms).toBeGreaterThanOrEqual(0)
      expect(one.after_ms).toBeLessThan(performance.now() - began)
    }
    const { stop_reach } = (await owner.get('/overview')).body
    expect(stop_reach).toMatchObject({ kind: 'freeze', edges: 3, confirmed: 3 })
    expect(stop_reach.p99_ms).toBeGreaterThanOrEqual(stop_reach.p50_ms)
  })

  it('shows an edge that is offline as unreachable, and as confirmed after it returned', async () => {
    await Promise.all([
      beat(edge, 'a', agent),
      beat(await addEdge(server, tenant.id, tenant.development), 'off', agent),
    ])
    await silence('off')
    const { id, edges } = await start()
    expect(edges).toEqual({ total: 2, confirmed: 0, unreachable: 1 })
    await confirm(edge, 'a', [ofFreeze(id)])
    expect(await states(id)).toEqual(['a confirmed', 'off unreachable'])
    expect(await states(id, '?state=unreachable')).toEqual(['off unreachable'])
    const { data } = (await owner.get(`/freezes/${id}/edges?state=unreachable`)).body
    expect(data).toMatchObject([{ environment: { slug: 'development' } }])
    expect(await states(id, '?state=waiting')).toEqual([])
    expect((await owner.get(`/freezes/${id}`)).body.confirmed_all_at).toBeNull()
    const [{ credential_id }] = (
      await server.owner.query(
        `select credential_id from edge_instances where tenant_id = $1 and instance_id = 'off'`,
        [tenant.id],
      )
    ).rows
    await server.owner.query('update edges set last_heartbeat_at = now() where id = $1', [credential_id])
    await server.owner.query('update edge_instances set seen_at = now() where credential_id = $1', [credential_id])
    expect(await states(id)).toEqual(['a confirmed', 'off waiting'])
  })

  it('keeps the numbers of the moment after the freeze was lifted, and refuses later confirmations', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const { id } = await start()
    await confirm(edge, 'a', [ofFreeze(id)])
    await owner.post(`/freezes/${id}/lift`, { reason: 'over' })
    expect(await beat(edge, 'b', agent)).not.toHaveProperty('freezes')
    const late = await confirm(edge, 'b', [ofFreeze(id)])
    expect(late).toMatchObject({ status: 202, body: { accepted: 0, refused: [{ index: 0 }] } })
    await server.owner.query('delete from edge_instances where tenant_id = $1', [tenant.id])
    expect(await reach(id)).toEqual({ total: 2, confirmed: 1, unreachable: 0 })
    expect(await states(id)).toEqual(['a confirmed'])
  })

  it('refuses a freeze of another place, of another tenant, of another agent’s key, and an instance without a heartbeat', async () => {
    const other = await createTenant(server)
    const otherEdge = await addEdge(server, other.id, other.development)
    const foreign = await addAgent(server, other.id, { environmentId: other.development })
    const production = await addEdge(server, tenant.id, tenant.production)
    const own = await giveAgentKey(server, tenant.id, agent)
    const neighbour = await newAgent()
    const elsewhere = await newAgent(tenant.production)
    await beat(edge, 'a', agent)
    await beat(otherEdge, 'a', foreign)
    await beat(production, 'a', elsewhere)
    await beat(own, 'own', agent)
    const { id } = await start()
    const ofNeighbour = await start({ scope: 'agent', agent_id: neighbour })
    const nobody = { status: 202, body: { accepted: 0, refused: [{ index: 0, reason: expect.any(String) }] } }
    expect(await confirm(otherEdge, 'a', [ofFreeze(id)])).toMatchObject(nobody)
    expect(await confirm(production, 'a', [ofFreeze(id)])).toMatchObject(nobody)
    expect(await confirm(own, 'own', [ofFreeze(ofNeighbour.id)])).toMatchObject(nobody)
    expect(await confirm(edge, 'a', [ofFreeze(newId())])).toMatchObject(nobody)
    expect((await confirm(edge, 'unknown', [ofFreeze(id)])).status).toBe(400)
    expect((await confirm(owner, 'a', [ofFreeze(id)])).status).toBe(401)
    expect(await reach(id)).toEqual({ total: 2, confirmed: 0, unreachable: 0 })
    expect(await reach(ofNeighbour.id)).toEqual({ total: 1, confirmed: 0, unreachable: 0 })
  })

  it('takes the good confirmations of a request with bad ones', async () => {
    await beat(edge, 'a', agent)
    const { id } = await start()
    const sent = [
      {},
      ofFreeze(newId()),
      { at, freeze_id: 7 },
      ofFreeze(id),
      { ...ofFreeze(id), agent_id: agent },
      { at: 'x' },
    ]
    const { status, body } = await confirm(edge, 'a', sent)
    expect([status, body.accepted]).toEqual([202, 1])
    expect(body.refused.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 4, 5])
    expect((await reach(id)).confirmed).toBe(1)
    expect((await confirm(edge, 'a', [])).status).toBe(400)
    expect((await confirm(edge, 'a', Array(501).fill(ofFreeze(id)))).status).toBe(400)
  })
})

describe('signed confirmations', () => {
  it('show key and signature; a signed one replaces an unsigned one', async () => {
    await beat(edge, 'a', agent)
    const { id } = await start()
    const key = await signer(edge)
    await confirm(edge, 'a', [ofFreeze(id)])
    const sent = [ofFreeze(id)]
    expect((await confirm(edge, 'a', sent, key.sign(sent))).body.accepted).toBe(1)
    await confirm(edge, 'a', [ofFreeze(id)])
    const { data } = (await owner.get(`/freezes/${id}/edges`)).body
    expect(data).toMatchObject([{ state: 'confirmed', ...key.sign(sent) }])
  })

  it('400 for a forged, changed or incomplete signature, and for a key of another credential', async () => {
    const other = await addEdge(server, tenant.id, tenant.development)
    await beat(edge, 'a', agent)
    const { id } = await start()
    const [key, foreign] = [await signer(edge), await signer(other)]
    const sent = [ofFreeze(id)]
    const bad = [
      { ...key.sign(sent), kid: foreign.kid },
      foreign.sign(sent),
      { ...foreign.sign(sent), kid: key.kid },
      key.sign([{ ...ofFreeze(id), at: '2021-01-01T00:00:00.000Z' }]),
      { kid: key.kid },
      { signature: key.sign(sent).signature },
      { kid: key.kid, signature: 'x' },
      key.sign(sent, '0'.repeat(16)),
    ]
    for (const one of bad) expect((await confirm(edge, 'a', sent, one)).status).toBe(400)
    const unsignable = [{ ...ofFreeze(id), note: '\ud800' }]
    expect((await confirm(edge, 'a', unsignable, key.sign(sent))).status).toBe(400)
    expect((await reach(id)).confirmed).toBe(0)
  })

  it('of one instance do not count for another, unless the first one stopped', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const { id } = await start()
    const key = await signer(edge)
    const sent = [ofFreeze(id)]
    const signed = key.sign(sent)
    expect((await confirm(edge, 'a', sent, signed)).body.accepted).toBe(1)
    expect((await confirm(edge, 'b', sent, signed)).body).toMatchObject({ accepted: 0, refused: [{ index: 0 }] })
    expect(await states(id)).toEqual(['a confirmed', 'b waiting'])
    const many = Array.from({ length: 4 }, (_, n) => confirm(edge, n % 2 ? 'a' : 'b', sent, signed))
    for (const { status } of await Promise.all(many)) expect(status).toBe(202)
    expect(await states(id)).toEqual(['a confirmed', 'b waiting'])
    await server.owner.query(
      `update edge_instances set seen_at = now() - interval '1 hour' where tenant_id = $1 and instance_id = 'a'`,
      [tenant.id],
    )
    expect((await confirm(edge, 'b', sent, signed)).body.accepted).toBe(1)
    expect(await states(id)).toEqual(['b confirmed'])
  })
})

describe('POST /edge/confirmations of a profile', () => {
  const profileOf = async (api = edge, id = agent) => (await api.get(`/edge/agents/${id}/mission-profile`)).body
  const ofProfile = (profile: { agent_id: string; profile_hash: string; profile_seq: number }) => ({
    agent_id: profile.agent_id,
    profile_hash: profile.profile_hash,
    profile_seq: profile.profile_seq,
    at,
  })

  it('counts the current profile only; an older one, another hash and another agent are refused', async () => {
    await beat(edge, 'a', agent)
    const old = await profileOf()
    const elsewhere = await newAgent(tenant.production)
    await owner.post(`/agents/${agent}/suspend`)
    const now = await profileOf()
    const sent = [
      ofProfile(old),
      ofProfile(now),
      { ...ofProfile(now), profile_seq: now.profile_seq + 1 },
      { ...ofProfile(now), profile_hash: old.profile_hash },
      { ...ofProfile(now), agent_id: elsewhere },
      { agent_id: agent, at },
    ]
    const { body } = await confirm(edge, 'a', sent)
    expect(body.accepted).toBe(1)
    expect(body.refused.map(({ index }: { index: number }) => index)).toEqual([0, 2, 3, 4, 5])
    expect((await confirm(edge, 'a', [ofProfile(now)])).body.accepted).toBe(1)
  })

  it('shows the reach of a suspension in the overview', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const first = await profileOf()
    for (const instance of ['a', 'b']) await confirm(edge, instance, [ofProfile(first)])
    const before = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await before.api.get('/overview')).body.stop_reach).toBeNull()
    await owner.post(`/agents/${agent}/suspend`)
    const stopped = await profileOf()
    await confirm(edge, 'a', [ofProfile(stopped)])
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect((await scoped.api.get('/overview')).body.stop_reach).toBeNull()
    await grantAgent(server, tenant.id, scoped.id, agent)
    const { stop_reach } = (await scoped.api.get('/overview')).body
    expect(stop_reach).toMatchObject({
      kind: 'suspension',
      edges: 2,
      confirmed: 1,
      p50_ms: expect.any(Number),
      p99_ms: expect.any(Number),
    })
  })
})

describe('the reach of the last stop', () => {
  // The overview remembers its counts for some seconds.
  const reached = () => {
    return readLastStop(makeCtx(server.services, actorOf(tenant), { id: 'test', ip: '', userAgent: '' }))
  }
  const startLater = (instance: string) =>
    server.owner.query(
      `update edge_instances set started_at = now() + interval '1 minute' where tenant_id = $1 and instance_id = $2`,
      [tenant.id, instance],
    )

  it('a suspension counts the instances whose last heartbeat carried the agent, also if they never confirmed', async () => {
    const other = await newAgent(tenant.development)
    const own = await giveAgentKey(server, tenant.id, agent)
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'both', agent, other), beat(own, 'own', agent)])
    await beat(edge, 'other', other)
    await owner.post(`/agents/${agent}/suspend`)
    expect(await reached()).toEqual({ kind: 'suspension', edges: 3, confirmed: 0, p50_ms: null, p99_ms: null })
    const profile = (await edge.get(`/edge/agents/${agent}/mission-profile`)).body
    const { profile_hash, profile_seq } = profile
    await confirm(edge, 'a', [{ agent_id: agent, profile_hash, profile_seq, at }])
    expect(await reached()).toMatchObject({ edges: 3, confirmed: 1, p50_ms: expect.any(Number) })
  })

  it.each(['suspension', 'freeze'])(
    'a %s does not count instances that start later, and those of revoked keys',
    async (how) => {
      const revoked = await addEdge(server, tenant.id, tenant.development)
      await Promise.all([beat(edge, 'a', agent), beat(edge, 'later', agent), beat(revoked, 'gone', agent)])
      await startLater('later')
      const freeze = how === 'freeze' ? await start() : undefined
      if (!freeze) await owner.post(`/agents/${agent}/suspend`)
      const { profile_hash, profile_seq } = (await edge.get(`/edge/agents/${agent}/mission-profile`)).body
      const stop = freeze ? ofFreeze(freeze.id) : { agent_id: agent, profile_hash, profile_seq, at }
      await confirm(edge, 'later', [stop])
      await confirm(revoked, 'gone', [stop])
      await server.owner.query(
        `update edges set revoked_at = now() where tenant_id = $1 and id in
      (select credential_id from edge_instances where tenant_id = $1 and instance_id = 'gone')`,
        [tenant.id],
      )
      expect(await reached()).toMatchObject({ kind: how, edges: 1, confirmed: 0, p50_ms: null })
      await confirm(edge, 'a', [stop])
      expect(await reached()).toMatchObject({ edges: 1, confirmed: 1, p50_ms: expect.any(Number) })
    },
  )

  it.each(['suspension', 'freeze'])(
    'a %s leaves out instances whose agent key was rotated, until they use the new key',
    async (how) => {
      const old = await giveAgentKey(server, tenant.id, agent)
      await Promise.all([beat(edge, 'a', agent), beat(old, 'own', agent)])
      const rotated = await owner.post(`/agents/${agent}/rotate-key`)
      const freeze = how === 'freeze' ? await start() : undefined
      if (!freeze) await owner.post(`/agents/${agent}/suspend`)
      expect(await reached()).toMatchObject({ kind: how, edges: 1, confirmed: 0 })
      await beat(apiClient(server.url, rotated.body.agent_key), 'own', agent)
      expect(await reached()).toMatchObject({ edges: 2, confirmed: 0 })
    },
  )

  it('a suspension leaves out what an instance confirmed before its agent key was rotated', async () => {
    const old = await giveAgentKey(server, tenant.id, agent)
    await Promise.all([beat(edge, 'a', agent), beat(old, 'own', agent)])
    await owner.post(`/agents/${agent}/suspend`)
    const { profile_hash, profile_seq } = (await edge.get(`/edge/agents/${agent}/mission-profile`)).body
    await confirm(old, 'own', [{ agent_id: agent, profile_hash, profile_seq, at }])
    expect(await reached()).toMatchObject({ edges: 2, confirmed: 1 })
    await owner.post(`/agents/${agent}/rotate-key`)
    expect(await reached()).toMatchObject({ edges: 1, confirmed: 0 })
  })
})

describe('a drill', () => {
  it('is confirmed by the instances that ran when it started, and closes after a day', async () => {
    await Promise.all([beat(edge, 'a', agent), beat(edge, 'b', agent)])
    const { id } = await start({ scope: 'organization', drill: true })
    await beat(edge, 'new', agent)
    expect((await owner.get('/overview')).body.stop_reach.kind).toBe('drill')
    expect((await beat(edge, 'a', agent)).freezes).toMatchObject([{ id, drill: true }])
    expect(await beat(edge, 'new', agent)).not.toHaveProperty('freezes')
    expect((await confirm(edge, 'new', [ofFreeze(id)])).body.accepted).toBe(0)
    expect((await confirm(edge, 'a', [ofFreeze(id)])).body.accepted).toBe(1)
    expect(await reach(id)).toEqual({ total: 2, confirmed: 1, unreachable: 0 })
    await server.owner.query(`delete from edge_instances where tenant_id = $1 and instance_id = 'b'`, [tenant.id])
    expect(await reach(id)).toEqual({ total: 2, confirmed: 1, unreachable: 1 })
    expect((await owner.get(`/freezes/${id}`)).body.confirmed_all_at).toBeNull()
    const tomorrow = new Date(Date.now() + 25 * 60 * 60_000).toISOString()
    await closeDrills(server.services, tomorrow)
    expect((await confirm(edge, 'a', [ofFreeze(id)])).body.accepted).toBe(0)
    expect(await reach(id)).toEqual({ total: 2, confirmed: 1, unreachable: 1 })
  })
})

describe('GET /freezes/{freeze_id}/edges', () => {
  it('pages through confirmed and waiting instances, each once', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `i${n}`)
    const second = await addEdge(server, tenant.id, tenant.development)
    for (const [n, name] of names.entries()) await beat(n % 2 ? edge : second, name, agent)
    const { id } = await start()
    for (const name of ['i1', 'i4']) await confirm(name === 'i1' ? edge : second, name, [ofFreeze(id)])
    const read = async (query: string) => {
      const seen: string[] = []
      let token: string | undefined
      do {
        const page = token === undefined ? '' : `&page_token=${token}`
        const { status, body } = await owner.get(`/freezes/${id}/edges?page_size=2${query}${page}`)
        expect(status).toBe(200)
        expect(body.data.length).toBeLessThanOrEqual(2)
        seen.push(...body.data.map((one: { instance_id: string }) => one.instance_id))
        token = body.next_page_token
      } while (token !== undefined)
      return seen.sort()
    }
    expect(await read('')).toEqual(names)
    expect(await read('&state=confirmed')).toEqual(['i1', 'i4'])
    expect(await read('&state=waiting')).toEqual(['i0', 'i2', 'i3', 'i5', 'i6'])
    const other = await start({ scope: 'organization' })
    const { next_page_token } = (await owner.get(`/freezes/${id}/edges?page_size=1`)).body
    expect((await owner.get(`/freezes/${other.id}/edges?page_token=${next_page_token}`)).status).toBe(400)
    expect((await owner.get(`/freezes/${id}/edges?state=gone`)).status).toBe(400)
    expect((await owner.get(`/freezes/${newId()}/edges`)).status).toBe(404)
  })

  it('shows a scoped user the instances of what they see, without numbers of agents', async () => {
    const own = await giveAgentKey(server, tenant.id, agent)
    const production = await addEdge(server, tenant.id, tenant.production)
    const elsewhere = await newAgent(tenant.production)
    await Promise.all([beat(edge, 'a', agent), beat(own, 'own', agent), beat(production, 'p', elsewhere)])
    const { id } = await start({ scope: 'organization' })
    await Promise.all([confirm(edge, 'a', [ofFreeze(id)]), confirm(production, 'p', [ofFreeze(id)])])
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect(await states(id, '', scoped.api)).toEqual([])
    expect(await reach(id, scoped.api)).toEqual({ total: 0, confirmed: 0, unreachable: 0 })
    await grantAgent(server, tenant.id, scoped.id, agent)
    expect(await states(id, '', scoped.api)).toEqual(['own waiting'])
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    expect(await states(id, '', scoped.api)).toEqual(['a confirmed', 'own waiting'])
    expect(await reach(id, scoped.api)).toEqual({ total: 2, confirmed: 1, unreachable: 0 })
    const { data } = (await scoped.api.get(`/freezes/${id}/edges`)).body
    expect(data.map(({ agents }: { agents: number | null }) => agents)).toEqual([null, null])
    await owner.post(`/freezes/${id}/lift`, { reason: 'over' })
    expect(await reach(id, scoped.api)).toBeNull()
  })
})
