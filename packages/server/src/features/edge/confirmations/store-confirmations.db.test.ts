import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { confirmationsHash, signBatch } from '@mandate/proofs/decision-chain'
import { beforeEach, describe, expect, it } from 'vitest'
import { TenantGroups } from '../../../concurrency/tenant-groups.ts'
import { Database, type Tx } from '../../../db/database.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { beat, silence } from '../../../testing/running-instance.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { insertFreezeConfirmations, type Sender } from './confirmation-queries.ts'
import { type ConfirmationRequest, storeConfirmations } from './store-confirmations.ts'

const server = useOwnServer()
const at = new Date().toISOString()
const otherKey = 'another instance confirmed the freeze with this key'
const isOver = 'the freeze is over, or it does not concern this instance'

let tenant: TestTenant
let edge: ApiClient
let credentialId: string
let freezeId: string

beforeEach(async () => {
  tenant = await createTenant(server)
  edge = await addEdge(server, tenant.id, tenant.development)
  const { rows } = await server.owner.query('select id from edges where tenant_id = $1', [tenant.id])
  credentialId = rows[0].id
  const agent = await newAgent()
  for (const instance of ['a', 'b', 'c', 'd']) await beat(edge, instance, agent)
  freezeId = await start()
})

const newAgent = (environmentId = tenant.development) => addAgent(server, tenant.id, { environmentId })

async function start(): Promise<string> {
  const { status, body } = await tenant.owner.api.post('/freezes', { scope: 'organization', reason: 'test' })
  expect(status).toBe(201)
  return body.id
}
const lift = (id = freezeId) => tenant.owner.api.post(`/freezes/${id}/lift`, { reason: 'over' })

function request(instanceId: string, rest: Partial<Sender> = {}, freezeIds = [freezeId]): ConfirmationRequest {
  const reach = { agentId: null, environmentId: tenant.development }
  const kid = rest.kid ?? null
  const silentBefore = new Date(Date.now() - 90_000).toISOString()
  const sender = { credentialId, instanceId, reach, kid, signature: kid, now: at, silentBefore, ...rest }
  return { sender, said: freezeIds.map((freeze_id, index) => ({ index, said: { freeze_id, at } })) }
}

/** Stores requests that arrive in the same turn of the event loop, so that they are in one group if they can be. */
const storeTogether = (...requests: ConfirmationRequest[]) =>
  Promise.allSettled(requests.map((one) => storeConfirmations(server.services, tenant.id, one)))

/** The faults of each request, or the text of its refusal. */
const answersOf = (settled: PromiseSettledResult<Map<number, string>>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? [...one.value.values()] : one.reason.message.split(':')[0]))

interface Stored {
  instance_id: string
  kid: string | null
  writer: string
}

async function stored(): Promise<Stored[]> {
  const text = `select instance_id, kid, xmin::text as writer from freeze_confirmations where tenant_id = $1 order by instance_id`
  return (await server.owner.query(text, [tenant.id])).rows
}
const names = async () => (await stored()).map(({ instance_id, kid }) => [instance_id, kid])

/** Registers a key for the credential. Returns its id, and the function that signs. */
async function newKey(api = edge) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const public_key_pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const { kid } = (await api.post('/edge/keys', { public_key_pem })).body
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  return { kid: kid as string, sign: (said: object[]) => signBatch(key, confirmationsHash(kid, said)) }
}

/** Locks a key until the returned function is called. */
async function lockKey(kid: string): Promise<() => Promise<void>> {
  const client = await server.owner.connect()
  await client.query('begin')
  await client.query('select from edge_keys where kid = $1 for update', [kid])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

describe('confirmations that arrive together', () => {
  it('are stored by one transaction, and each request gets its own faults', async () => {
    const key = await newKey()
    const answers = await storeTogether(
      request('a'),
      request('b', { kid: key.kid }),
      request('unknown'),
      request('c', {}, [freezeId, randomUUID()]),
      request('d', { kid: 'f'.repeat(16) }),
    )
    expect(answersOf(answers)).toEqual([[], [], 'instance_id', [isOver], 'kid'])
    const rows = await stored()
    expect(rows.map(({ instance_id, kid }) => [instance_id, kid])).toEqual([
      ['a', null],
      ['b', key.kid],
      ['c', null],
    ])
    expect(new Set(rows.map(({ writer }) => writer)).size).toBe(1)
  })

  it('of two instances with one key count for the first one only', async () => {
    const { kid } = await newKey()
    const answers = await storeTogether(
      request('a', { kid }),
      request('b', { kid }),
      request('c'),
      request('a', { kid }),
    )
    expect(answersOf(answers)).toEqual([[], [otherKey], [], []])
    expect(await names()).toEqual([
      ['a', kid],
      ['c', null],
    ])
  })

  it('of a new instance count instead of those of a silent one with the same key, also beside others', async () => {
    const { kid } = await newKey()
    await storeTogether(request('a', { kid }))
    await silence(server, tenant.id, 'a')
    const answers = await storeTogether(request('c'), request('b', { kid }), request('d'))
    expect(answersOf(answers)).toEqual([[], [], []])
    expect((await names()).map(([name]) => name)).toEqual(['b', 'c', 'd'])
  })

  it('of one instance are stored in their order, and a signed one replaces an unsigned one', async () => {
    const { kid } = await newKey()
    const answers = await storeTogether(request('a'), request('a', { kid }), request('a'), request('b'))
    expect(answersOf(answers)).toEqual([[], [], [], []])
    expect(await names()).toEqual([
      ['a', kid],
      ['b', null],
    ])
  })

  it('are new once for each instance', async () => {
    const { kid } = await newKey()
    const insert = async (...requests: ConfirmationRequest[]) =>
      await server.services.db.transaction(tenant.id, async (tx: Tx) => {
        const rows = await insertFreezeConfirmations(
          tx,
          requests.map(({ sender }) => ({ sender, freezeId, at })),
        )
        return [...rows.values()].map((row) => [row.instanceId, row.isNew]).sort()
      })
    expect(await insert(request('a'), request('b'))).toEqual([
      ['a', true],
      ['b', true],
    ])
    expect(await insert(request('a', { kid }), request('b'), request('c'))).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ])
  })

  it('do not count after the freeze was lifted while they waited', async () => {
    const { kid } = await newKey()
    await storeTogether(request('b'))
    const unlock = await lockKey(kid)
    const waiting = storeTogether(request('a', { kid }))
    await lift()
    await unlock()
    expect(answersOf(await waiting)).toEqual([[isOver]])
    expect(await names()).toEqual([['b', null]])
    const { body } = await tenant.owner.api.get(`/freezes/${freezeId}`)
    expect(body.edges).toMatchObject({ total: 4, confirmed: 1 })
  })

  it('do not wait for one whose key is locked by another transaction', async () => {
    const { kid } = await newKey()
    const unlock = await lockKey(kid)
    const [slow, quick] = [request('a', { kid }), request('b')].map((one) => storeTogether(one)) as [
      ReturnType<typeof storeTogether>,
      ReturnType<typeof storeTogether>,
    ]
    expect(answersOf(await quick)).toEqual([[]])
    expect(answersOf(await storeTogether(request('c')))).toEqual([[]])
    expect((await names()).map(([name]) => name)).toEqual(['b', 'c'])
    await unlock()
    expect(answersOf(await slow)).toEqual([[]])
  })

  it('of profiles count only for agents in the reach of their own credential', async () => {
    await lift()
    const [own, neighbour, elsewhere] = [await newAgent(), await newAgent(), await newAgent(tenant.production)]
    const api = await giveAgentKey(server, tenant.id, own)
    const production = await addEdge(server, tenant.id, tenant.production)
    await beat(edge, 'a', own, neighbour)
    await beat(api, 'own', own)
    await beat(production, 'p', elsewhere)
    const read = async (from: ApiClient, id: string) => (await from.get(`/edge/agents/${id}/mission-profile`)).body
    const profiles = [await read(edge, own), await read(edge, neighbour), await read(production, elsewhere)]
    const confirmations = profiles.map(({ agent_id, profile_hash, profile_seq }) => ({
      agent_id,
      profile_hash,
      profile_seq,
      at,
    }))
    const send = (from: ApiClient, instance_id: string) =>
      from.post('/edge/confirmations', { instance_id, confirmations })
    const answers = await Promise.all([send(edge, 'a'), send(api, 'own'), send(production, 'p')])
    const refused = answers.map(({ body }) => body.refused.map(({ index }: { index: number }) => index))
    expect(refused).toEqual([[2], [1, 2], [0, 1]])
  })

  it('of several server instances do not deadlock, and each key counts for one instance', async () => {
    const [agent, keys] = [await newAgent(), await Promise.all(Array.from({ length: 8 }, () => newKey()))]
    const instances = Array.from({ length: 16 }, (_, n) => `i${n}`)
    for (const instance of instances) await beat(edge, instance, agent)
    const inDevelopment = { scope: 'environment', environment_id: tenant.development, reason: 'test' }
    const { body } = await tenant.owner.api.post('/freezes', inDevelopment)
    const { connectionString: url } = server.owner.options as { connectionString: string }
    const servers = [1, 2, 3].map(() => {
      const db = new Database({ url })
      return { db, groups: new TenantGroups(db) }
    })
    const sent = servers.flatMap((services, n) =>
      (n === 1 ? instances.toReversed() : instances).map((name, place) => {
        const ids = (place + n) % 2 === 0 ? [freezeId, body.id] : [body.id, freezeId]
        // Two instances share each key, and some requests are not signed.
        const kid = place % 5 === n ? null : (keys[Number(name.slice(1)) % 8]?.kid ?? null)
        return storeConfirmations(services, tenant.id, request(name, { kid, signature: kid }, ids))
      }),
    )
    expect((await Promise.allSettled(sent)).filter(({ status }) => status === 'rejected')).toEqual([])
    // A connection reports its deadlocks when it closes.
    await Promise.all(servers.map(({ db }) => db.close()))
    const { rows } = await server.owner.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
    expect(rows).toEqual([{ deadlocks: 0 }])
    const { rows: counts } = await server.owner.query(
      'select count(*)::int as n from freeze_confirmations where tenant_id = $1 and kid is not null group by freeze_id, kid',
      [tenant.id],
    )
    expect(counts).toEqual(counts.map(() => ({ n: 1 })))
  })
})

describe('POST /edge/confirmations at the same time with many credentials', () => {
  it('401 for a key that was revoked, also between valid ones, which count', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => newAgent()))
    const apis = await Promise.all(ids.map((id) => giveAgentKey(server, tenant.id, id)))
    const keys = await Promise.all(apis.map((api) => newKey(api)))
    await Promise.all(apis.map((api, n) => beat(api, 'own', ids[n] as string)))
    await server.owner.query(`update agents set key_hash = null where id = $1`, [ids[4]])
    const confirmations = [{ freeze_id: freezeId, at }]
    const answers = await Promise.all(
      apis.map((api, n) => {
        const { kid, sign } = keys[n]!
        return api.post('/edge/confirmations', {
          instance_id: 'own',
          kid,
          confirmations,
          signature: sign(confirmations),
        })
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(ids.map((_, n) => (n === 4 ? 401 : 202)))
    expect(answers.filter(({ body }) => body.accepted === 1)).toHaveLength(9)
    expect(await stored()).toHaveLength(9)
  })
})
