import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { type Chained, hashOf, SigningEdge } from '../../../testing/signing-edge.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let agentId: string
let api: ApiClient
let edge: SigningEdge

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  api = await addEdge(server, tenant.id, tenant.development)
  edge = await SigningEdge.start(api)
})

const decision = (rest: object = {}) => newDecision(agentId, rest)
const decisions = (count: number) => Array.from({ length: count }, () => decision())

const answer = (accepted: number, rest: object = {}) => ({
  status: 202,
  body: { accepted, duplicates: 0, expired: 0, refused: [], ...rest },
})

/** The integrity of each stored decision, by its number. Decisions of one number are joined. */
async function integrities(): Promise<Record<string, string>> {
  const { body } = await tenant.owner.api.get('/decisions?page_size=200')
  const rows: { receipt: { seq: number } | null; integrity: string }[] = body.data
  const byNumber = Map.groupBy(rows, ({ receipt }) => String(receipt?.seq))
  return Object.fromEntries(
    [...byNumber]
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([seq, same]) => {
        return [seq, [...new Set(same.map(({ integrity }) => integrity))].join()]
      }),
  )
}

const gaps = async () => {
  const text = `select kind, from_seq, to_seq, agent_id from decision_gaps where tenant_id = $1 order by from_seq, kind`
  const { rows } = await server.owner.query(text, [tenant.id])
  return rows.map(({ kind, from_seq, to_seq, agent_id }) => {
    expect(agent_id).toBe(agentId)
    return `${kind} ${from_seq}-${to_seq}`
  })
}

async function nothingIsStored() {
  expect((await tenant.owner.api.get('/decisions')).body.data).toEqual([])
  const { rows } = await server.owner.query('select from decision_links where tenant_id = $1', [tenant.id])
  expect(rows).toEqual([])
}

describe('a signed batch', () => {
  it('is stored, and arrives a second time without effect', async () => {
    const sent = edge.chain(...decisions(3))
    expect(await edge.send(...sent)).toMatchObject(answer(3))
    expect(await edge.send(...sent)).toMatchObject(answer(0, { duplicates: 3 }))
    expect(await edge.send(...sent.slice(1))).toMatchObject(answer(0, { duplicates: 2 }))
    expect(await integrities()).toEqual({ 1: 'signed', 2: 'signed', 3: 'signed' })
    const { total } = (await tenant.owner.api.get('/usage')).body
    expect(total).toEqual({ allow: 3, deny: 0, require_approval: 0 })
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
  })

  it('may arrive before the batch before it: the gap closes with that batch', async () => {
    const [first, second, third] = [
      edge.chain(...decisions(2)),
      edge.chain(...decisions(2)),
      edge.chain(...decisions(2)),
    ]
    expect(await edge.send(...first)).toMatchObject(answer(2))
    expect(await edge.send(...third)).toMatchObject(answer(2))
    expect(await gaps()).toEqual(['gap 3-4'])
    expect(await integrities()).toEqual({ 1: 'signed', 2: 'signed', 5: 'broken', 6: 'broken' })
    expect(await edge.send(...second)).toMatchObject(answer(2))
    expect(await gaps()).toEqual([])
    expect(Object.values(await integrities())).toEqual(Array(6).fill('signed'))
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
  })

  it('closes a gap in parts', async () => {
    const all = edge.chain(...decisions(7))
    expect(await edge.send(all[0]!)).toMatchObject(answer(1))
    expect(await edge.send(all[6]!)).toMatchObject(answer(1))
    expect(await edge.send(all[3]!)).toMatchObject(answer(1))
    expect(await gaps()).toEqual(['gap 2-3', 'gap 5-6'])
    expect(await edge.send(all[1]!, all[2]!)).toMatchObject(answer(2))
    expect(await gaps()).toEqual(['gap 5-6'])
    expect((await integrities())[4]).toBe('signed')
    expect(await edge.send(all[4]!, all[5]!)).toMatchObject(answer(2))
    expect(await gaps()).toEqual([])
  })

  describe('with a gap before a record that names no agent of the edge', () => {
    const items = async () => {
      const { body } = await tenant.owner.api.get(`/findings?agent_id=${agentId}&type=decision_gap&status=open`)
      return body.data[0]?.evidence.items.map(({ from, to }: { from: number; to: number }) => `${from}-${to}`) ?? null
    }
    const send = async (...sent: Chained[]) => expect((await edge.send(...sent)).status).toBe(202)

    it.each([
      ['is malformed', () => decision({ effect: 'maybe' })],
      ['is of an agent that does not exist', () => decision({ agent_id: randomUUID() })],
    ])('opens the finding with the next record of the edge, if the record %s', async (_, bad) => {
      const all = edge.chain(decision(), ...decisions(3), bad(), decision())
      await send(all[0]!)
      await send(all[4]!)
      expect(await items()).toBeNull()
      await send(all[4]!)
      expect(await items()).toBeNull()
      await send(all[5]!)
      expect(await items()).toEqual(['2-4'])
      expect(await gaps()).toEqual(['gap 2-4'])
      await send(...all.slice(1, 4))
      expect(await items()).toBeNull()
    })

    it('opens the finding if the next record is one of the missing', async () => {
      const all = edge.chain(decision(), ...decisions(3), decision({ effect: 'maybe' }))
      await send(all[0]!)
      await send(all[4]!)
      await send(all[2]!)
      expect(await items()).toEqual(['2-2', '4-4'])
      await send(all[1]!)
      await send(all[3]!)
      expect(await items()).toBeNull()
      expect(await gaps()).toEqual([])
    })

    it('opens no finding for an agent that the edge does not serve', async () => {
      const foreign = await addAgent(server, tenant.id, { environmentId: tenant.production })
      const all = edge.chain(...decisions(2), decision({ agent_id: foreign }))
      await send(all[0]!)
      await send(all[2]!)
      await send(all[2]!)
      const { body } = await tenant.owner.api.get('/findings?type=decision_gap')
      expect(body.data).toEqual([])
    })
  })

  it('closes more gaps than the finding shows, and then the finding', async () => {
    const all = edge.chain(...decisions(111))
    for (let n = 0; n < all.length; n += 2) expect(await edge.send(all[n]!)).toMatchObject(answer(1))
    const finding = async () =>
      (await tenant.owner.api.get(`/findings?agent_id=${agentId}&type=decision_gap`)).body.data[0]
    expect((await finding()).evidence).toMatchObject({ dropped: 5 })
    for (let n = 109; n >= 3; n -= 2) await edge.send(all[n]!)
    expect(await finding()).toMatchObject({ status: 'open', evidence: { items: [{ kid: edge.kid, from: 2, to: 2 }] } })
    await edge.send(all[1]!)
    expect(await finding()).toMatchObject({ status: 'closed' })
  })

  describe('with other records than the missing ones is a fork, and the gap stays', () => {
    let first: Chained
    let missing: Chained[]
    let last: Chained
    beforeEach(async () => {
      const all = edge.chain(...decisions(6)) as [Chained, ...Chained[]]
      ;[first, missing, last] = [all[0], all.slice(1, 5), all[5] as Chained]
      for (const one of [first, last]) expect(await edge.send(one)).toMatchObject(answer(1))
      expect(await gaps()).toEqual(['gap 2-5'])
    })
    const after = (record: Chained) => {
      edge.head = { seq: record.seq, hash: hashOf(record) }
    }

    it('if they do not lead to the record after the gap', async () => {
      after(first)
      expect(await edge.record(...decisions(4))).toMatchObject(answer(4))
      expect(await gaps()).toEqual(['fork 2-2', 'gap 2-5'])
      after(last)
      expect(await edge.record(decision())).toMatchObject(answer(1))
      expect(await edge.send(...missing)).toMatchObject(answer(4))
      expect(await gaps()).toEqual(['fork 2-2'])
      expect((await integrities())[7]).toBe('broken')
      const { body } = await tenant.owner.api.get('/findings?type=decision_gap&status=open')
      expect(body.data).toMatchObject([{ evidence: { items: [{ kid: edge.kid, from: 2, to: 2 }] } }])
    })

    it('if they arrive in parts', async () => {
      after(first)
      expect(await edge.record(decision())).toMatchObject(answer(1))
      expect(await edge.record(...decisions(3))).toMatchObject(answer(3))
      expect(await gaps()).toEqual(['fork 3-3', 'gap 3-5'])
    })

    it('if they do not follow the record before the gap', async () => {
      edge.head = { seq: 1, hash: 'f'.repeat(64) }
      expect(await edge.record(...decisions(2))).toMatchObject(answer(2))
      expect(await gaps()).toEqual(['fork 2-2', 'gap 2-5'])
    })
  })

  it('after a state folder was restored from a backup, the chain has a fork and stays broken from there', async () => {
    const before = edge.chain(...decisions(2))
    const lost = edge.chain(...decisions(2))
    expect(await edge.send(...before, ...lost)).toMatchObject(answer(4))
    edge.head = { seq: 2, hash: hashOf(before[1]!) }
    expect(await edge.record(...decisions(3))).toMatchObject(answer(3))
    expect(await gaps()).toEqual(['fork 3-3'])
    expect(await integrities()).toEqual({ 1: 'signed', 2: 'signed', 3: 'broken', 4: 'broken', 5: 'broken' })
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual(['fork 3-3'])
  })

  it('of each instance follows the chain of its own key', async () => {
    const other = await SigningEdge.start(api)
    expect(await edge.record(...decisions(2))).toMatchObject(answer(2))
    expect(await other.record(...decisions(2))).toMatchObject(answer(2))
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await integrities()).toEqual({ 1: 'signed', 2: 'signed', 3: 'signed' })
    expect(await gaps()).toEqual([])
  })

  it('with one bad record among 1,000 stores the others; the chain goes on over the refused record', async () => {
    const bad = decision({ effect: 'maybe' })
    const sent = [...decisions(499), bad, ...decisions(500)]
    expect(await edge.record(...sent)).toMatchObject(
      answer(999, {
        refused: [{ decision_id: bad.decision_id, reason: 'effect must be one of allow, deny, require_approval' }],
      }),
    )
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
    expect((await tenant.owner.api.get(`/decisions/${bad.decision_id}`)).status).toBe(404)
  })

  it('refuses records of agents that the credential does not serve, and stores the others', async () => {
    const foreign = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const stranger = await createTenant(server)
    const strange = await addAgent(server, stranger.id, { environmentId: stranger.development })
    const sent = [foreign, strange, randomUUID()].map((agent_id) => decision({ agent_id }))
    const refused = sent.map(({ decision_id }) => ({ decision_id, reason: 'agent not found' }))
    expect(await edge.record(...sent, decision())).toMatchObject(answer(1, { refused }))
    expect(await integrities()).toEqual({ 4: 'signed' })
    expect(await gaps()).toEqual([])
  })

  it('keeps expired records in the chain by their hashes', async () => {
    const old = new Date(Date.now() - 91 * 86_400_000).toISOString()
    expect(await edge.record(decision({ at: old }), decision())).toMatchObject(answer(1, { expired: 1 }))
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
    expect(await integrities()).toEqual({ 2: 'signed', 3: 'signed' })
  })

  it('that arrives again after its decisions expired opens no gap and no fork', async () => {
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString()
    const sent = edge.chain(...Array.from({ length: 3 }, () => decision({ at: old })))
    expect(await edge.send(...sent)).toMatchObject(answer(3))
    await server.owner.query('update tenants set decision_retention_days = 30 where id = $1', [tenant.id])
    await server.owner.query('delete from decision_records where tenant_id = $1', [tenant.id])
    expect(await edge.send(...sent.slice(0, 2))).toMatchObject(answer(0, { expired: 2 }))
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
    expect(await integrities()).toEqual({ 4: 'signed' })
  })

  it('refuses a record more than a day ahead, and stores the others', async () => {
    const ahead = decision({ at: new Date(Date.now() + 25 * 3_600_000).toISOString() })
    expect(await edge.record(ahead, decision())).toMatchObject(
      answer(1, { refused: [{ decision_id: ahead.decision_id, reason: 'at must not be more than 24 hours ahead' }] }),
    )
  })

  it('refuses an id with a year above 9999, also if the batch does not continue the chain', async () => {
    const never = decision({ decision_id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' })
    const reason = 'decision_id must not have a time that is more than 24 hours ahead'
    const refused = answer(1, { refused: [{ decision_id: never.decision_id, reason }] })
    edge.chain(decision())
    const sent = edge.chain(never, decision())
    expect(await edge.send(...sent)).toMatchObject(refused)
    expect(await edge.send(...sent)).toMatchObject(answer(0, { duplicates: 2 }))
  })

  it('refuses a record without a place, over which the chain goes on', async () => {
    const chained = edge.chain(...decisions(2))
    const loose = decision()
    const sent = [chained[0]!, loose as unknown as Chained, chained[1]!]
    expect(await edge.send(...sent)).toMatchObject(
      answer(2, { refused: [{ decision_id: loose.decision_id, reason: expect.stringContaining('seq and prev') }] }),
    )
    expect(await gaps()).toEqual([])
  })
})

describe('a signed result', () => {
  const labelsOf = async (id: string) => (await tenant.owner.api.get(`/decisions/${id}`)).body.labels

  it('changes a decision of its key, and an unsigned one of its edge', async () => {
    const [first, unsigned] = [decision(), decision()]
    expect(await edge.record(first)).toMatchObject(answer(1))
    expect((await api.post('/edge/decisions', { decisions: [unsigned] })).status).toBe(202)
    const results = [first, unsigned].map(({ decision_id }) => decision({ of: decision_id, labels: ['seen'] }))
    expect(await edge.record(...results)).toMatchObject(answer(2))
    expect(await labelsOf(first.decision_id)).toEqual(['seen'])
    expect(await labelsOf(unsigned.decision_id)).toEqual(['seen'])
  })

  it('changes no decision of another key, also without a signature', async () => {
    const other = await SigningEdge.start(api)
    const first = decision()
    expect(await other.record(first)).toMatchObject(answer(1))
    const forged = () => decision({ of: first.decision_id, labels: ['forged'] })
    expect(await edge.record(forged())).toMatchObject(answer(1))
    expect((await api.post('/edge/decisions', { decisions: [forged()] })).status).toBe(202)
    expect(await labelsOf(first.decision_id)).toBeNull()
  })
})

describe('a batch that the key did not sign', () => {
  const refusal = (error: unknown) => ({ status: 400, body: { error } })

  it('400 for an unknown key, and for a key of another organization', async () => {
    const sent = edge.batch(...edge.chain(decision()))
    const unknown = refusal('kid is not the id of a registered key')
    expect(await api.post('/edge/decisions', { ...sent, kid: '0'.repeat(16) })).toMatchObject(unknown)
    const stranger = await createTenant(server)
    const foreign = await addEdge(server, stranger.id, stranger.development)
    expect(await foreign.post('/edge/decisions', sent)).toMatchObject(unknown)
    await nothingIsStored()
  })

  it('400 without a signature, and for the signature of another batch, of another key, or of a changed batch', async () => {
    const one = edge.batch(...edge.chain(...decisions(2)))
    const other = edge.batch(...edge.chain(decision()))
    const rival = await SigningEdge.start(api)
    const wrong = refusal(expect.stringContaining('signature does not verify'))
    const send = (body: object) => api.post('/edge/decisions', body)
    expect(await send({ ...one, signature: undefined })).toMatchObject(refusal('signature is required with kid'))
    expect(await send({ ...one, signature: other.signature })).toMatchObject(wrong)
    expect(await send({ ...one, signature: rival.batch(...one.decisions).signature })).toMatchObject(wrong)
    expect(await send({ ...one, kid: rival.kid })).toMatchObject(wrong)
    const [first, last] = one.decisions as [Chained, Chained]
    expect(await send({ ...one, decisions: [first, { ...last, effect: 'deny' }] })).toMatchObject(wrong)
    expect(await send({ ...one, decisions: [last, first] })).toMatchObject(wrong)
    expect(await send({ ...one, decisions: [first] })).toMatchObject(wrong)
    await nothingIsStored()
  })

  it('400 if the chain inside the batch is broken, because the signature does not cover what is before', async () => {
    const uncovered = refusal(expect.stringContaining('signature does not cover the whole batch'))
    const [first, , third] = edge.chain(...decisions(3)) as [Chained, Chained, Chained]
    expect(await edge.send(first, third)).toMatchObject(uncovered)
    expect(await edge.send({ ...first, effect: 'deny' }, ...edge.chain(decision()))).toMatchObject(uncovered)
    await nothingIsStored()
  })

  it('400 for a forged record before a record that was signed earlier', async () => {
    const sent = edge.batch(...edge.chain(...decisions(2)))
    expect(await api.post('/edge/decisions', sent)).toMatchObject(answer(2))
    const last = sent.decisions.at(-1) as Chained
    const forged = { ...decision({ effect: 'deny' }), seq: 3, prev: hashOf(last) }
    expect(await api.post('/edge/decisions', { ...sent, decisions: [forged, last] })).toMatchObject({ status: 400 })
    expect(await integrities()).toEqual({ 1: 'signed', 2: 'signed' })
    expect(await edge.record(decision())).toMatchObject(answer(1))
  })
})

describe('batches at the same time', () => {
  it('of one key are stored one after another, and leave no gap', async () => {
    const batches = Array.from({ length: 8 }, () => edge.chain(...decisions(5)))
    const answers = await Promise.all([...batches, ...batches].map((batch) => edge.send(...batch)))
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(202))
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(40)
    expect(await gaps()).toEqual([])
    expect(Object.values(await integrities())).toEqual(Array(40).fill('signed'))
  })
})

describe('POST /edge/keys', () => {
  const pemOf = (type: 'ed25519' | 'x25519' = 'ed25519') => {
    const { publicKey } = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')
    return publicKey.export({ type: 'spki', format: 'pem' })
  }

  it('answers the same attestation for a key that another credential registered, and this credential may use it', async () => {
    const taker = await addEdge(server, tenant.id, tenant.development)
    const register = (by: ApiClient) => by.post('/edge/keys', { public_key_pem: edge.publicKeyPem })
    const [first, second] = [await register(api), await register(taker)]
    expect(first.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect(await edge.record(decision())).toMatchObject(answer(1))
    expect(await taker.post('/edge/decisions', edge.batch(...edge.chain(decision())))).toMatchObject(answer(1))
    expect(await gaps()).toEqual([])
  })

  it('attests the same key separately in each organization', async () => {
    const stranger = await createTenant(server)
    const foreign = await addEdge(server, stranger.id, stranger.development)
    const { status, body } = await foreign.post('/edge/keys', { public_key_pem: edge.publicKeyPem })
    expect(status).toBe(201)
    const own = await api.post('/edge/keys', { public_key_pem: edge.publicKeyPem })
    expect(body.kid).toBe(own.body.kid)
    expect(body.attestation).not.toBe(own.body.attestation)
  })

  it('400 for a key of another kind and for a private key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    for (const public_key_pem of [pemOf('x25519'), privateKey.export({ type: 'pkcs8', format: 'pem' }), 'x']) {
      expect((await api.post('/edge/keys', { public_key_pem })).status).toBe(400)
    }
  })

  it('409 for the 201st new key of a credential within 24 hours; the keys of another credential do not count', async () => {
    for (let n = 1; n < 200; n++) {
      expect((await api.post('/edge/keys', { public_key_pem: pemOf() })).status).toBe(201)
    }
    expect(await api.post('/edge/keys', { public_key_pem: pemOf() })).toMatchObject({
      status: 409,
      body: { error: 'a credential can register at most 200 new keys within 24 hours' },
    })
    expect((await api.post('/edge/keys', { public_key_pem: edge.publicKeyPem })).status).toBe(201)
    const agent = await giveAgentKey(server, tenant.id, agentId)
    expect((await agent.post('/edge/keys', { public_key_pem: pemOf() })).status).toBe(201)
    await server.owner.query(`update edge_keys set created_at = created_at - interval '1 day' where tenant_id = $1`, [
      tenant.id,
    ])
    expect((await api.post('/edge/keys', { public_key_pem: pemOf() })).status).toBe(201)
  })
})
