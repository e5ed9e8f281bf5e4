import { describe, expect, it } from 'vitest'
import type { EdgeActor } from '../../../authz/actor.ts'
import { makeCtx } from '../../../caller/ctx.ts'
import { newId } from '../../../db/ids/new-id.ts'
import { addAgent } from '../../../testing/arrange.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'
import { storeUnsigned } from './store-unsigned.ts'

const server = useTestServer()
const tenant = useTenant(server)

type Records = Parameters<typeof storeUnsigned>[1]

const newAgent = () => addAgent(server, tenant.id, { environmentId: tenant.development })
const ofAgent = (agentId: string): EdgeActor => ({
  kind: 'agent',
  tenantId: tenant.id,
  credentialId: agentId,
  agentId,
  name: 'agent',
})
const ofEdge = (environmentId: string): EdgeActor => ({
  kind: 'edge',
  tenantId: tenant.id,
  credentialId: newId(),
  environmentId,
  name: 'edge',
})
const decisionsOf = (agentId: string, count: number, rest = {}) =>
  Array.from({ length: count }, () => newDecision(agentId, rest)) as unknown as Records[number][]

/** Stores batches that arrive in the same turn of the event loop, so that they are in one group. */
const storeTogether = (...batches: [EdgeActor, Records][]) =>
  Promise.allSettled(
    batches.map(([actor, records]) => {
      const ctx = makeCtx(server.services, actor, { id: 'test', ip: '127.0.0.1', userAgent: '' })
      return storeUnsigned(ctx, records, new Map())
    }),
  )
const answered = (accepted: number, duplicates: number) => ({ status: 'fulfilled', value: { accepted, duplicates } })
const refused = (status: number, message: string) => ({ status: 'rejected', reason: { status, message } })

/** The stored decisions, in the order of the ids. `writer` is the transaction that wrote the row. */
async function storedOf(records: Records): Promise<{ edge_id: string | null; writer: string }[]> {
  const ids = records.map(({ decision_id }) => decision_id)
  const text = `select edge_id, xmin::text as writer from decision_records where tenant_id = $1 and decision_id = any($2)
    order by decision_id`
  return (await server.owner.query(text, [tenant.id, ids])).rows
}

async function callsOf(subjectId: string): Promise<number> {
  const text =
    'select coalesce(sum(calls), 0)::int as calls from decision_hours where tenant_id = $1 and subject_id = $2'
  return (await server.owner.query(text, [tenant.id, subjectId])).rows[0].calls
}

describe('small batches of decisions that arrive together', () => {
  it('are stored by one transaction, and each gets its own answer', async () => {
    const [own, other] = [await newAgent(), await newAgent()]
    const edge = ofEdge(tenant.development)
    const [one, two, three] = [decisionsOf(own, 3), decisionsOf(other, 2), decisionsOf(other, 4)]
    expect(await storeTogether([ofAgent(own), one], [edge, two], [ofAgent(other), three], [edge, []])).toEqual([
      answered(3, 0),
      answered(2, 0),
      answered(4, 0),
      answered(0, 0),
    ])
    expect(new Set((await storedOf([...one, ...two, ...three])).map(({ writer }) => writer)).size).toBe(1)
    const edgesOf = async (records: Records) => (await storedOf(records)).map(({ edge_id }) => edge_id)
    expect(await edgesOf(one)).toEqual([null, null, null])
    expect(await edgesOf(two)).toEqual([edge.credentialId, edge.credentialId])
    expect(await edgesOf(three)).toEqual([null, null, null, null])
    expect(await Promise.all([own, other, edge.credentialId].map(callsOf))).toEqual([3, 6, 2])
  })

  it('a batch that is refused stores nothing, and the others are stored', async () => {
    const [own, other] = [await newAgent(), await newAgent()]
    const tomorrow = new Date(Date.now() + 25 * 60 * 60_000).toISOString()
    const unserved = [...decisionsOf(own, 1), ...decisionsOf(other, 1)]
    const ahead = [...decisionsOf(own, 1), ...decisionsOf(own, 1, { at: tomorrow })]
    const good = decisionsOf(other, 2)
    const answers = await storeTogether(
      [ofAgent(own), unserved],
      [ofAgent(own), ahead],
      [ofEdge(tenant.production), decisionsOf(own, 1)],
      [ofAgent(other), good],
    )
    expect(answers).toMatchObject([
      refused(404, 'agent not found'),
      refused(400, 'decisions[1].at must not be more than 24 hours ahead'),
      refused(404, 'agent not found'),
      answered(2, 0),
    ])
    expect(await storedOf([...unserved, ...ahead])).toEqual([])
    expect(await storedOf(good)).toHaveLength(2)
    expect(await Promise.all([own, other].map(callsOf))).toEqual([0, 2])
  })

  it('a decision in several batches is stored and counted once, for the first of them', async () => {
    const own = await newAgent()
    const [same, more] = [decisionsOf(own, 2), decisionsOf(own, 1)]
    expect(await storeTogether([ofAgent(own), same], [ofAgent(own), [...same, ...more]], [ofAgent(own), more])).toEqual(
      [answered(2, 0), answered(1, 2), answered(0, 1)],
    )
    expect(await storedOf([...same, ...more])).toHaveLength(3)
    expect(await callsOf(own)).toBe(3)
  })

  it('do not fail because one of them fails', async () => {
    const own = await newAgent()
    const [good, bad, last] = [decisionsOf(own, 2), decisionsOf(own, 1, { args_digest: '\0' }), decisionsOf(own, 1)]
    const answers = await storeTogether([ofAgent(own), good], [ofAgent(own), bad], [ofAgent(own), last])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect([await storedOf(good), await storedOf(bad), await storedOf(last)].map((rows) => rows.length)).toEqual([
      2, 0, 1,
    ])
    expect(await callsOf(own)).toBe(3)
  })
})
