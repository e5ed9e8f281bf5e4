import { randomUUID } from 'node:crypto'
import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import { addAgent, addKey, addPerson, createTenant, grantAgent, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { newDecision } from '../../../testing/new-decision.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let agentId: string
let edge: Awaited<ReturnType<typeof addEdge>>
let policy: { id: string; content_hash: string; rules: { id: string; name: string }[] }

const onPath = [{ path: 'args.path', op: 'starts_with', value: '/tmp/' }]
const rules = [
  { priority: 1, name: 'Reads', effect: 'allow', match: { tools: ['mcp:files/read'] } },
  { priority: 2, name: 'Writes', effect: 'require_approval', match: { tools: ['mcp:files/write'], when: onPath } },
]

beforeEach(async () => {
  tenant = await createTenant(server)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = (await tenant.owner.api.post('/policies', { name: 'Files', rules })).body
})

async function record(rest: object = {}) {
  const under = { policy_id: policy.id, policy_version: 1, policy_hash: policy.content_hash }
  const decision = newDecision(agentId, { ...under, ...rest })
  expect((await edge.post('/edge/decisions', { decisions: [decision] })).status).toBe(202)
  return decision.decision_id
}

const replay = async (id: string, api = tenant.owner.api) => (await api.get(`/decisions/${id}/replay`)).body

describe('GET /decisions/{decision_id}/replay', () => {
  it('200: the recorded version decides, also after the policy was changed', async () => {
    const id = await record({ rule_id: policy.rules[0]?.id })
    expect((await tenant.owner.api.put(`/policies/${policy.id}`, { rules: [] })).status).toBe(200)
    const outcome = { effect: 'allow', rule: { id: policy.rules[0]?.id, name: 'Reads' } }
    expect(await replay(id)).toEqual({
      result: 'same',
      recorded: outcome,
      replayed: outcome,
      reason: 'version 1 of the policy decides the call as recorded',
    })
    expect(await replay(await record({ tool: 'mcp:files/delete' }))).toEqual({
      result: 'differs',
      recorded: { effect: 'allow', rule: null },
      replayed: { effect: 'deny', rule: null },
      reason: 'version 1 of the policy decides deny, and allow was recorded',
    })
  })

  it('uses the arguments of the approval if they have the recorded digest', async () => {
    const args = { path: '/tmp/x' }
    const tool = 'mcp:files/write'
    const rule_id = policy.rules[1]?.id
    const approve = async (shown: object) => {
      const id = randomUUID()
      await server.owner.query(
        `insert into approvals (tenant_id, id, agent_id, tool, args_digest, arguments, policy_id, policy_version, policy_hash, reason, request_hash,
           status, assigned_role, requested_at, expires_at)
         values ($1, $2, $3, $4, 'x', $5, $6, 1, 'x', '', 'x', 'consumed', 'manager', now(), now())`,
        [tenant.id, id, agentId, tool, JSON.stringify(shown), policy.id],
      )
      return id
    }
    const sent = { tool, rule_id, args_digest: contentHash({ tool, args }) }
    const used = await record({ ...sent, approval_id: await approve(args) })
    expect(await replay(used)).toMatchObject({
      result: 'same',
      reason: 'the policy asks for an approval, and the call passed with it',
      replayed: { effect: 'require_approval', rule: { name: 'Writes' } },
    })
    const shortened = await record({ ...sent, approval_id: await approve({ path: '/tmp/…' }) })
    expect(await replay(shortened)).toMatchObject({ result: 'undecidable', replayed: null })
    const other = await addAgent(server, tenant.id, { environmentId: tenant.development })
    const foreign = await record({ ...sent, agent_id: other, approval_id: await approve(args) })
    expect(await replay(foreign)).toMatchObject({ result: 'undecidable' })
  })

  it('is undecidable without a policy, after it was deleted, and if its content is another one', async () => {
    const named = await record()
    const unknown = await record({ policy_version: 9, policy_hash: undefined })
    const other = await record({ policy_hash: 'ab'.repeat(32) })
    const none = await record({ policy_id: undefined, policy_version: null, policy_hash: undefined, effect: 'deny' })
    const reason = async (id: string) => {
      const { result, reason } = await replay(id)
      expect(result).toBe('undecidable')
      return reason
    }
    const gone = 'is not stored: the policy was deleted, or the version never existed'
    expect(await reason(unknown)).toBe(`version 9 of the policy ${gone}`)
    expect(await reason(other)).toBe('the record names another content of the policy version than the server has')
    expect(await reason(none)).toBe('the record names no policy: the edge had none, or it did not record it')
    await tenant.owner.api.delete(`/policies/${policy.id}`)
    expect(await reason(named)).toBe(`version 1 of the policy ${gone}`)
  })

  it('a caller replays the decisions that they see', async () => {
    const id = await record()
    const status = async (api: typeof tenant.owner.api) => (await api.get(`/decisions/${id}/replay`)).status
    const scoped = await addPerson(server, tenant.id, { role: 'viewer', accessScope: 'scoped' })
    const { api: bound } = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    const stranger = await createTenant(server)
    for (const api of [scoped.api, bound, stranger.owner.api]) expect(await status(api)).toBe(404)
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect(await status(scoped.api)).toBe(200)
  })
})
