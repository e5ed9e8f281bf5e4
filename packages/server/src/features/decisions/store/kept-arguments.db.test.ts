import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { SigningEdge } from '../../../testing/signing-edge.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { expireDecisions } from '../expiry/expire-decisions.ts'

const server = useOwnServer()
let tenant: TestTenant
let edge: ApiClient
let agentId: string
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
let policy: any

const tool = 'mcp:files/read'
const asks = (priority: number, effect: string, ...when: object[]) => ({
  priority,
  effect,
  match: { tools: [tool], when },
})
const rules = [
  asks(1, 'deny', { path: 'args.path', op: 'starts_with', value: '/secret' }),
  asks(2, 'deny', { path: 'args.force', op: 'exists', value: true }),
  asks(3, 'allow'),
]

beforeEach(async () => {
  tenant = await createTenant(server)
  policy = (await tenant.owner.api.post('/policies', { name: 'P', rules })).body
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
  edge = await addEdge(server, tenant.id, tenant.development)
  await keepArguments(true)
})

const keepArguments = (keep_arguments_for_replay: boolean) =>
  tenant.owner.api.put(`/environments/${tenant.development}`, { keep_arguments_for_replay })

const value = (path: string, sent: unknown) => ({ path, state: 'value', value: sent })

/** A decision and what its edge keeps of the arguments. `changed` is sent instead of what the record has the digest of. */
async function decisionWith(readings: object[][], rest: object = {}, changed: object = {}) {
  const { body } = await tenant.owner.api.get(`/policies/${policy.id}/versions/1`)
  const decision = newDecision(agentId, {
    tool,
    effect: 'allow',
    policy_id: policy.id,
    policy_version: 1,
    policy_hash: body.content_hash,
    rule_id: policy.rules[2].id,
    ...rest,
  })
  const kept = { decision_id: decision.decision_id, salt: '0'.repeat(32), undeclared: false, readings }
  return { decision: { ...decision, kept_digest: contentHash(kept) }, kept: { ...kept, ...changed } }
}

async function record(...sent: Awaited<ReturnType<typeof decisionWith>>[]) {
  const body = { decisions: sent.map(({ decision }) => decision), kept_arguments: sent.map(({ kept }) => kept) }
  const { status, body: answer } = await edge.post('/edge/decisions', body)
  expect([status, answer]).toMatchObject([202, { accepted: sent.length }])
  return sent[0]?.decision.decision_id as string
}

const keptOf = async (id: string, api: ApiClient = tenant.owner.api) =>
  (await api.get(`/decisions/${id}`)).body.kept_arguments
const readPath = [[value('args.path', '/tmp/a')]]

describe('POST /edge/decisions with kept_arguments', () => {
  it('202: keeps what the policy version of the decision reads, and nothing else', async () => {
    const extra = [value('args.token', 'hunter2'), value('args.force', 'yes'), value('args.__proto__', 1)]
    const id = await record(await decisionWith([[...readPath[0]!, ...extra]]))
    expect(await keptOf(id)).toEqual([
      value('args.path', '/tmp/a'),
      { path: 'args.force', state: 'not_kept', because: 'not_read' },
    ])
    const stored = await server.owner.query(
      'select arguments::text as text from decision_arguments where tenant_id = $1',
      [tenant.id],
    )
    expect(JSON.stringify(stored.rows)).not.toMatch(/hunter2|yes|__proto__/)
  })

  it.each<[string, object[][], object?, object?]>([
    ['a path that no rule reads', [[value('args.other', 1)]]],
    ['a tool about which no rule asks', readPath, { tool: 'mcp:files/write' }],
    ['another policy version', readPath, { policy_version: 2 }],
    ['another content of the version', readPath, { policy_hash: '0'.repeat(64) }],
    ['no policy', readPath, { policy_id: undefined }],
    ['another value than the record has the digest of', readPath, {}, { readings: [[value('args.path', '/tmp/b')]] }],
    ['a text of 1,001 characters', [[value('args.path', 'x'.repeat(1001))]]],
    ['a list of 51 items', [[value('args.path', Array(51).fill(1))]]],
    ['an object with content', [[value('args.path', { a: 1 })]]],
    ['33 paths', [Array.from({ length: 33 }, (_, n) => value(`args.p${n}`, 1))]],
    ['five readings', Array(5).fill(readPath[0])],
    ['more than 8,192 bytes', Array(4).fill(Array.from({ length: 3 }, () => value('args.path', 'x'.repeat(900))))],
    ['a path outside the arguments', [[value('agent.name', 1)]]],
    ['a text with NUL', [[value('args.path', 'a\0')]]],
    ['an unknown field', readPath, {}, { note: 'hunter2' }],
    ['a malformed item', readPath, {}, { readings: 'x' }],
  ])('202: stores the decision and drops its arguments: %s', async (_, readings, rest, changed) => {
    const id = await record(await decisionWith(readings, rest, changed))
    expect(await keptOf(id)).toBeNull()
    const stored = await server.owner.query('select from decision_arguments where tenant_id = $1', [tenant.id])
    expect(stored.rowCount).toBe(0)
  })

  it('202: drops the arguments of a decision that is not in the batch, of a duplicate, and of another tenant', async () => {
    const first = await decisionWith(readPath)
    const id = await record(first)
    const later = { ...first, kept: { ...first.kept, readings: [[value('args.path', '/tmp/later')]] } }
    const body = {
      decisions: [{ ...later.decision, kept_digest: contentHash(later.kept) }],
      kept_arguments: [later.kept],
    }
    expect((await edge.post('/edge/decisions', body)).body).toEqual({ accepted: 0, duplicates: 1 })
    expect((await edge.post('/edge/decisions', { decisions: [], kept_arguments: [later.kept] })).status).toBe(202)
    const other = await createTenant(server)
    const theirs = await addEdge(server, other.id, other.development)
    expect((await theirs.post('/edge/decisions', { decisions: [], kept_arguments: [later.kept] })).status).toBe(202)
    expect(await keptOf(id)).toEqual(readPath[0])
    expect((await other.owner.api.get(`/decisions/${id}`)).status).toBe(404)
  })

  it('400: kept_arguments that is not a list of at most 1,000 objects', async () => {
    for (const kept_arguments of ['x', [1], Array(1001).fill({})]) {
      const { status, body } = await edge.post('/edge/decisions', { decisions: [], kept_arguments })
      expect([status, body.error]).toEqual([400, expect.stringContaining('kept_arguments')])
    }
  })

  it('202: the receipt of a signed decision stays valid, and does not have the values', async () => {
    const signing = await SigningEdge.start(edge)
    const { decision, kept } = await decisionWith(readPath)
    const body = { ...signing.batch(...signing.chain(decision)), kept_arguments: [kept] }
    expect((await edge.post('/edge/decisions', body)).body).toMatchObject({ accepted: 1, refused: [] })
    expect(await keptOf(decision.decision_id)).toEqual(readPath[0])
    const receipt = (await tenant.owner.api.get(`/decisions/${decision.decision_id}/receipt`)).body
    expect(receipt.record).toMatchObject({ kept_digest: contentHash(kept) })
    expect(contentHash({ ...receipt.record, seq: undefined, prev: undefined })).toBe(receipt.links.at(-1).digest)
    expect(JSON.stringify(receipt)).not.toContain('/tmp/a')
  })
})

describe('an environment that keeps no arguments any more', () => {
  it('stores the decisions without their arguments, and shows none that it kept before', async () => {
    const before = await record(await decisionWith(readPath))
    await keepArguments(false)
    const after = await record(await decisionWith(readPath))
    expect([await keptOf(before), await keptOf(after)]).toEqual([null, null])
  })

  it('loses what it kept with the next clean-up, and another environment does not', async () => {
    await keepArguments(true)
    await tenant.owner.api.put(`/environments/${tenant.production}`, { keep_arguments_for_replay: true })
    const kept = await record(await decisionWith(readPath))
    const production = await addAgent(server, tenant.id, { environmentId: tenant.production, policyId: policy.id })
    edge = await addEdge(server, tenant.id, tenant.production)
    const other = await record(await decisionWith(readPath, { agent_id: production }))
    await keepArguments(false)
    await expireDecisions(server.services, new Date().toISOString())
    await keepArguments(true)
    expect([await keptOf(kept), await keptOf(other)]).toEqual([null, readPath[0]])
  })
})

it('the arguments expire with their decision, and are deleted with their tenant', async () => {
  await record(await decisionWith(readPath))
  const count = async () =>
    (await server.owner.query('select from decision_arguments where tenant_id = $1', [tenant.id])).rowCount
  await expireDecisions(server.services, new Date(Date.now() + 89 * 86_400_000).toISOString())
  expect(await count()).toBe(1)
  await expireDecisions(server.services, new Date(Date.now() + 91 * 86_400_000).toISOString())
  expect(await count()).toBe(0)
  await record(await decisionWith(readPath))
  const { name } = (await tenant.owner.api.get(`/tenants/${tenant.id}`)).body
  expect((await tenant.owner.api.delete(`/tenants/${tenant.id}`, { confirm: name })).status).toBe(204)
  expect(await count()).toBe(0)
})

describe('GET /decisions/{decision_id} and its list', () => {
  it('shows the arguments to everyone who sees the agent, also to a viewer, and never in a list', async () => {
    const id = await record(await decisionWith(readPath))
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    expect(await keptOf(id, viewer.api)).toEqual(readPath[0])
    expect((await scoped.api.get(`/decisions/${id}`)).status).toBe(404)
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await keptOf(id, scoped.api)).toEqual(readPath[0])
    const { data } = (await tenant.owner.api.get('/decisions')).body
    expect(data).toHaveLength(1)
    expect(data[0]).not.toHaveProperty('kept_arguments')
  })
})

describe('GET /decisions/{decision_id}/replay with kept arguments', () => {
  const replayOf = async (id: string) => (await tenant.owner.api.get(`/decisions/${id}/replay`)).body
  const absent = { path: 'args.force', state: 'absent' }

  it('200: decides by the kept values', async () => {
    const same = await record(await decisionWith([[...readPath[0]!, absent]]))
    expect(await replayOf(same)).toMatchObject({ result: 'same', replayed: { effect: 'allow' } })
    const differs = await record(await decisionWith([[value('args.path', '/secret/key'), absent]]))
    expect(await replayOf(differs)).toMatchObject({ result: 'differs', replayed: { effect: 'deny' } })
    const undeclared = await decisionWith([[...readPath[0]!, absent]], {}, {})
    const kept = { ...undeclared.kept, undeclared: true }
    const id = await record({ decision: { ...undeclared.decision, kept_digest: contentHash(kept) }, kept })
    expect(await replayOf(id)).toMatchObject({ result: 'differs', replayed: { effect: 'deny' } })
  })

  it('200: says which value is missing, and why', async () => {
    const hidden = { path: 'args.path', state: 'not_kept', because: 'redacted' }
    const id = await record(await decisionWith([[hidden, absent]]))
    const reason = 'the policy asks for args.path, whose value the edge redacted'
    expect(await replayOf(id)).toMatchObject({ result: 'undecidable', replayed: null, reason })
    const partly = await record(await decisionWith([[absent]]))
    expect(await replayOf(partly)).toMatchObject({
      reason: 'the policy asks for args.path, which the record does not have',
    })
    await keepArguments(false)
    expect(await replayOf(id)).toMatchObject({ reason: expect.stringContaining('only the digest') })
  })
})
