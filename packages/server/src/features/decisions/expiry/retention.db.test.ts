import { v7 } from 'uuid'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { SigningEdge } from '../../../testing/signing-edge.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { expireDecisions } from './expire-decisions.ts'

const server = useOwnServer()
let tenant: TestTenant
let agentId: string
let edge: Awaited<ReturnType<typeof addEdge>>

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  edge = await addEdge(server, tenant.id, tenant.development)
})

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString()

function decision(days: number) {
  const at = daysAgo(days)
  return newDecision(agentId, { decision_id: v7({ msecs: Date.parse(at) }), at })
}

const send = async (...decisions: object[]) => (await edge.post('/edge/decisions', { decisions })).body
const keep = (days: unknown, api = tenant.owner.api) =>
  api.put(`/tenants/${tenant.id}`, { decision_retention_days: days })
const listed = async () => (await tenant.owner.api.get('/decisions')).body.data.length

it('an owner changes the retention, and the change counts for decisions that arrive later', async () => {
  const old = decision(100)
  expect(await send(old, decision(20))).toEqual({ accepted: 1, duplicates: 0 })
  expect((await keep(400)).body).toMatchObject({ decision_retention_days: 400 })
  expect(await send(old)).toEqual({ accepted: 1, duplicates: 0 })
  expect(await listed()).toBe(2)
  const [entry] = (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === 'tenant.updated')
  expect(entry?.details).toEqual({ old_decision_retention_days: 90, new_decision_retention_days: 400 })
})

it('a decision that is stored under an earlier retention is a duplicate', async () => {
  const sent = decision(1)
  await send(sent)
  for (const days of [30, 800, 90]) {
    await keep(days)
    expect(await send(sent)).toEqual({ accepted: 0, duplicates: 1 })
  }
  expect(await listed()).toBe(1)
  const { body } = await tenant.owner.api.get('/usage')
  expect(body.total.allow).toBe(1)
})

it('a list shows decisions of several retentions together, in order, over pages', async () => {
  const sent = [3, 2.5, 2, 1.5, 1, 0.5].map(decision)
  for (const [index, days] of [400, 30, 90, 800, 30, 90].entries()) {
    await keep(days)
    await send(sent[index] as object)
  }
  const found: string[] = []
  let token: string | undefined
  do {
    const { body } = await tenant.owner.api.get(`/decisions?page_size=2${token ? `&page_token=${token}` : ''}`)
    found.push(...body.data.map(({ decision_id }: { decision_id: string }) => decision_id))
    token = body.next_page_token
  } while (token)
  expect(found).toEqual(sent.map(({ decision_id }) => decision_id).reverse())
})

it('an expired decision is not shown before its partition is dropped, and what belongs to it is deleted', async () => {
  await keep(30)
  const sent = { ...decision(29.9), decision_id: crypto.randomUUID() }
  await send(sent)
  expect(await listed()).toBe(1)
  await server.owner.query(`update decision_records set at = at - interval '1 day' where tenant_id = $1`, [tenant.id])
  expect(await listed()).toBe(0)
  expect((await tenant.owner.api.get(`/decisions/${sent.decision_id}`)).status).toBe(404)
  const ids = async () =>
    (await server.owner.query('select from decision_ids where tenant_id = $1', [tenant.id])).rowCount
  await expireDecisions(server.services, new Date().toISOString())
  expect(await ids()).toBe(1)
  await expireDecisions(server.services, daysAgo(-31))
  expect(await ids()).toBe(0)
})

describe('keys of edges, and their gaps', () => {
  const keys = async () =>
    (await server.owner.query('select kid from edge_keys where tenant_id = $1', [tenant.id])).rows.map(({ kid }) => kid)
  const gaps = async () => {
    const text = 'select kid, from_seq from decision_gaps where tenant_id = $1 order by from_seq'
    return (await server.owner.query(text, [tenant.id])).rows.map(({ kid, from_seq }) => `${kid} ${from_seq}`)
  }
  const age = (days: number) =>
    Promise.all([
      server.owner.query(`update edge_keys set used_at = used_at - make_interval(days => $2) where tenant_id = $1`, [
        tenant.id,
        days,
      ]),
      server.owner.query(
        `update decision_gaps set opened_at = opened_at - make_interval(days => $2) where tenant_id = $1`,
        [tenant.id, days],
      ),
    ])
  const expire = () => expireDecisions(server.services, new Date().toISOString())
  const gapsOf = async (signer: SigningEdge, count: number) => {
    for (let n = 0; n < count; n++) {
      signer.chain(decision(0))
      expect((await signer.record(decision(0))).status).toBe(202)
    }
  }

  it('expire if the key is not used for the longest retention of the tenant', async () => {
    const [idle, used, registered] = [
      await SigningEdge.start(edge),
      await SigningEdge.start(edge),
      await SigningEdge.start(edge),
    ]
    await gapsOf(idle, 3)
    await keep(30)
    await age(91)
    await expire()
    expect(await keys()).toHaveLength(3)
    await age(2)
    expect((await used.record(decision(0))).status).toBe(202)
    expect((await edge.post('/edge/keys', { public_key_pem: registered.publicKeyPem })).status).toBe(201)
    await expire()
    expect((await keys()).toSorted()).toEqual([used.kid, registered.kid].toSorted())
    expect(await gaps()).toEqual([])
  })

  it('of a key in use: the first gap stays, because later records are broken', async () => {
    const signer = await SigningEdge.start(edge)
    await gapsOf(signer, 3)
    await age(93)
    const last = decision(0)
    signer.chain(decision(0))
    expect((await signer.record(last)).status).toBe(202)
    expect(await gaps()).toHaveLength(4)
    await expire()
    expect(await gaps()).toEqual([`${signer.kid} 1`, `${signer.kid} 7`])
    expect((await signer.record(decision(0))).status).toBe(202)
    expect((await tenant.owner.api.get(`/decisions/${last.decision_id}`)).body.integrity).toBe('broken')
  })
})

it('403 for anyone but an owner, 400 for another number of days', async () => {
  const manager = await addPerson(server, tenant.id, { role: 'manager' })
  expect((await keep(30, manager.api)).status).toBe(403)
  for (const days of [0, 31, '90', null]) {
    expect(await keep(days)).toMatchObject({
      status: 400,
      body: { error: 'decision_retention_days must be one of 30, 90, 400, 800' },
    })
  }
})
