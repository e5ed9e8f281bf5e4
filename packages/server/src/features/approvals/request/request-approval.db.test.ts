import { randomUUID } from 'node:crypto'
import { Approval } from '@mandate/contract/approvals'
import { contentHash } from '@mandate/proofs/canonical'
import { beforeAll, describe, expect, it } from 'vitest'
import { addAgent, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { giveAgentKey } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { addPendingCall, createScene, newRequest, passTime, type Scene } from '../testing/held-calls.ts'
import { mostPending } from './request-approval.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['approvals'])
let scene: Scene

describe('POST /edge/approvals', () => {
  beforeAll(async () => {
    scene = await createScene(server)
  })

  it('201 with a pending approval for 15 minutes, assigned to managers outside production', async () => {
    const { approval_id, ...request } = newRequest(scene.agentId)
    const { status, body } = await scene.edge.post('/edge/approvals', { approval_id, ...request })
    expect(status).toBe(201)
    expect(Approval.parse(body)).toEqual(body)
    const { body: agent } = await scene.tenant.owner.api.get(`/agents/${scene.agentId}`)
    expect(body).toEqual({
      ...request,
      id: approval_id,
      agent_name: agent.name,
      environment_id: scene.tenant.development,
      arguments_exact: false,
      session_id: null,
      on_behalf_of: null,
      chain: [],
      labels: [],
      content: [],
      edge: { id: expect.any(String), name: expect.any(String) },
      status: 'pending',
      assigned_role: 'manager',
      requested_at: expect.any(String),
      expires_at: expect.any(String),
      resolved_by: null,
      resolved_at: null,
      comment: null,
      ended_because: null,
      freeze_id: null,
      consumed_at: null,
    })
    expect(Date.parse(body.expires_at) - Date.parse(body.requested_at)).toBe(15 * 60_000)
    expect((await scene.edge.get(`/edge/approvals/${approval_id}`)).body).toEqual(body)
  })

  it('shows what the edge knows of the session, and the same request again gets it too', async () => {
    const known = {
      session_id: 's'.repeat(128),
      on_behalf_of: 'ada@example.com',
      chain: [
        { type: 'user', id: randomUUID(), name: 'Ada' },
        { type: 'agent', id: randomUUID(), name: 'planner' },
      ],
      labels: ['untrusted_output', 'x'.repeat(64)],
      content: [{ pattern_id: randomUUID(), on: 'arguments', count: 2, action: 'flag' }],
    }
    const request = newRequest(scene.agentId, known)
    const { status, body } = await scene.edge.post('/edge/approvals', request)
    expect([status, body]).toEqual([201, expect.objectContaining(known)])
    expect((await scene.edge.post('/edge/approvals', request)).body).toEqual(body)
    expect((await scene.tenant.owner.api.get(`/approvals/${body.id}`)).body).toEqual(body)
    const other = await scene.edge.post('/edge/approvals', { ...request, labels: [] })
    expect(other.status).toBe(409)
  })

  it('names the edge; an approval that an agent requested with its own key names none', async () => {
    const { rows } = await server.owner.query('select id, name from edges where tenant_id = $1', [scene.tenant.id])
    expect((await addPendingCall(scene)).edge).toEqual(rows[0])
    const edge = await giveAgentKey(server, scene.tenant.id, scene.agentId)
    expect((await addPendingCall({ edge, agentId: scene.agentId })).edge).toBeNull()
  })

  it('arguments_exact is true only if the digest is that of the tool and the shown arguments', async () => {
    const args = { path: '/tmp/ü', deep: { b: 1, a: [null, 1e21] } }
    const exact = { arguments: args, args_digest: contentHash({ tool: 'mcp:files/delete', args }) }
    expect((await addPendingCall(scene, exact)).arguments_exact).toBe(true)
    for (const rest of [
      { ...exact, arguments: { ...args, path: '[redacted]' } },
      { ...exact, tool: 'mcp:files/read' },
      { ...exact, arguments: undefined },
      { args_digest: contentHash({ tool: 'mcp:files/delete', args: {} }), arguments: undefined },
    ]) {
      expect((await addPendingCall(scene, rest)).arguments_exact).toBe(false)
    }
  })

  it.each([
    ['session_id', ''],
    ['session_id', 'x'.repeat(129)],
    ['session_id', null],
    ['on_behalf_of', 'x'.repeat(201)],
    ['labels', Array(51).fill('x')],
    ['labels', ['x'.repeat(65)]],
    ['labels', 'x'],
    ['chain', Array(7).fill({ type: 'user', id: 'x', name: 'x' })],
    ['chain', [{ type: 'user', id: 'x' }]],
    ['content', Array(101).fill({ pattern_id: randomUUID(), on: 'arguments', count: 1, action: 'flag' })],
    ['content', [{ pattern_id: randomUUID(), on: 'elsewhere', count: 1, action: 'flag' }]],
    ['content', [{ pattern_id: randomUUID(), on: 'arguments', count: 0, action: 'flag' }]],
  ])('400 for %s out of its limits', async (field, value) => {
    const { status, body } = await scene.edge.post('/edge/approvals', newRequest(scene.agentId, { [field]: value }))
    expect(status).toBe(400)
    expect(body.error).toContain(field)
  })

  it('assigned to owners for an agent in production', async () => {
    const { tenant } = await createScene(server)
    const agentId = await addAgent(server, tenant.id, { environmentId: tenant.production })
    const edge = await giveAgentKey(server, tenant.id, agentId)
    expect(await addPendingCall({ edge, agentId })).toMatchObject({
      assigned_role: 'owner',
      environment_id: tenant.production,
    })
  })

  it('arguments, rule_id and rule_name are null if they are left out; arguments are stored unchanged', async () => {
    const left = { arguments: undefined, rule_id: undefined, rule_name: undefined }
    expect(await addPendingCall(scene, left)).toMatchObject({ arguments: null, rule_id: null, rule_name: null })
    const odd = JSON.parse('{"__proto__": {"a": 1}, "n": [1e-7, null, {"ü": "\\u2028"}], "constructor": "x"}')
    const { id } = await addPendingCall(scene, { arguments: odd })
    const { body } = await scene.tenant.owner.api.get(`/approvals/${id}`)
    expect(JSON.stringify(body.arguments, Object.keys(body.arguments).sort())).toContain('__proto__')
    expect(body.arguments).toEqual(odd)
  })

  it('the audit entry’s actor is the edge; it is in the agent’s trail and has the digest but no arguments', async () => {
    const secret = `secret-${randomUUID()}`
    const { id, args_digest, policy_id } = await addPendingCall(scene, { arguments: { password: secret } })
    const entries = await auditEntries(server, scene.tenant.id)
    expect(entries.filter((entry) => entry.resource_id === id)).toMatchObject([
      {
        event_type: 'approval.requested',
        source: 'edge',
        category: 'agent',
        actor_type: 'edge',
        agent_id: scene.agentId,
        environment_id: scene.tenant.development,
        details: { args_digest, policy_id, policy_version: 1, assigned_role: 'manager' },
      },
    ])
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('200 with the current approval if the request is repeated, and nothing is written', async () => {
    const request = newRequest(scene.agentId)
    await scene.edge.post('/edge/approvals', request)
    await scene.tenant.owner.api.post(`/approvals/${request.approval_id}/resolve`, { outcome: 'approved' })
    const before = (await auditEntries(server, scene.tenant.id)).length
    const { arguments: shown, ...others } = request
    // Arguments with the same values in a different key order are the same arguments.
    const { status, body } = await scene.edge.post('/edge/approvals', { arguments: shown, ...others })
    expect([status, body.id, body.status]).toEqual([200, request.approval_id, 'approved'])
    expect(await auditEntries(server, scene.tenant.id)).toHaveLength(before)
  })

  it.each([
    ['tool', { tool: 'mcp:files/read' }],
    ['digest', { args_digest: 'c'.repeat(64) }],
    ['arguments', { arguments: { path: '/tmp' } }],
    ['policy version', { policy_version: 4 }],
    ['reason', { reason: 'another' }],
  ])('409 for an id used before with another %s', async (_, other) => {
    const request = newRequest(scene.agentId)
    await scene.edge.post('/edge/approvals', request)
    const { status, body } = await scene.edge.post('/edge/approvals', { ...request, ...other })
    expect({ status, body }).toEqual({ status: 409, body: { error: 'this approval_id was used for another request' } })
    expect((await scene.edge.get(`/edge/approvals/${request.approval_id}`)).body).toMatchObject({ tool: request.tool })
  })

  it('409 for an id that another agent of the tenant used; an id of another tenant is free', async () => {
    const sibling = await addAgent(server, scene.tenant.id, { environmentId: scene.tenant.development })
    const { id } = await addPendingCall(scene)
    expect((await scene.edge.post('/edge/approvals', newRequest(sibling, { approval_id: id }))).status).toBe(409)
    expect((await addPendingCall(await createScene(server), { approval_id: id })).id).toBe(id)
  })

  it('of eight identical concurrent requests one is 201 and the others are 200', async () => {
    const request = newRequest(scene.agentId)
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.edge.post('/edge/approvals', request)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
  })

  it('404 for an agent that the credential does not serve, before the 400 of a malformed body', async () => {
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id, { environmentId: other.development })
    const elsewhere = await addAgent(server, scene.tenant.id, { environmentId: scene.tenant.production })
    const neighbour = await addAgent(server, scene.tenant.id, { environmentId: scene.tenant.development })
    const agent = await giveAgentKey(server, scene.tenant.id, scene.agentId)
    for (const [credential, agentId] of [
      [scene.edge, foreign],
      [scene.edge, elsewhere],
      [scene.edge, randomUUID()],
      [agent, neighbour],
    ] as const) {
      expect((await credential.post('/edge/approvals', newRequest(agentId))).status).toBe(404)
      expect((await credential.post('/edge/approvals', { agent_id: agentId })).status).toBe(404)
    }
    expect((await agent.post('/edge/approvals', newRequest(scene.agentId))).status).toBe(201)
  })

  it.each([
    ['arguments that are not an object', { arguments: ['a'] }, 'arguments'],
    ['null as arguments', { arguments: null }, 'arguments'],
    ['arguments too deep', { arguments: deep(21) }, 'arguments'],
    ['arguments too large', { arguments: { a: 'x'.repeat(16_384) } }, 'arguments'],
    ['NUL in a value of the arguments', { arguments: { a: ['\0'] } }, 'arguments'],
    ['half a surrogate pair in a key of the arguments', { arguments: { '\ud800': 1 } }, 'arguments'],
    ['a digest in capitals', { args_digest: 'A'.repeat(64) }, 'args_digest'],
    ['version 0', { policy_version: 0 }, 'policy_version'],
  ])('400 for %s', async (_, rest, field) => {
    const { status, body } = await scene.edge.post('/edge/approvals', newRequest(scene.agentId, rest))
    expect(status).toBe(400)
    expect(body.error).toContain(field)
  })

  it('400, not 500, for arguments 100,000 levels deep', async () => {
    const { arguments: _, ...request } = newRequest(scene.agentId)
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const text = `${JSON.stringify(request).slice(0, -1)},"arguments":${nested}}`
    expect((await scene.edge.post('/edge/approvals', text)).status).toBe(400)
  })

  it('201 for arguments 20 levels deep', async () => {
    expect(await addPendingCall(scene, { arguments: deep(20) })).toMatchObject({ arguments: deep(20) })
  })
})

describe('an agent that may not act', () => {
  it.each([
    ['suspended', { status: 'suspended' }],
    ['archived', { status: 'archived' }],
    ['blocked', { lifecycleStatus: 'blocked' }],
    ['retired', { lifecycleStatus: 'retired' }],
  ])('409 for one that is %s', async (_, state) => {
    const { edge, agentId } = await createScene(server, state)
    const { status, body } = await edge.post('/edge/approvals', newRequest(agentId))
    const error = 'the agent is not allowed to act now; check its status and lifecycle status'
    expect({ status, body }).toEqual({ status: 409, body: { error } })
  })

  it('409 for an agent that is not approved under the gate enforce, but not under alert', async () => {
    const proposed = await createScene(server, { lifecycleStatus: 'proposed' })
    await addPendingCall(proposed)
    await proposed.tenant.owner.api.put('/governance-gate', { gate: 'enforce' })
    expect((await proposed.edge.post('/edge/approvals', newRequest(proposed.agentId))).status).toBe(409)
  })
})

describe('an agent has at most 100 pending approvals', () => {
  async function fill({ tenant, agentId }: Scene, count: number) {
    await server.owner.query(
      `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
         reason, request_hash, status, assigned_role, requested_at, expires_at)
       select tenant_id, gen_random_uuid(), id, environment_id, 'mcp:a/b', '', gen_random_uuid(), 1, '', '', '', 'pending',
         'manager', now(), now() + interval '1 hour'
       from agents cross join generate_series(1, $3) where tenant_id = $1 and id = $2`,
      [tenant.id, agentId, count],
    )
  }

  it('409 for one more, even for five at once; other agents are not affected, and an overdue approval does not count', async () => {
    const full = await createScene(server)
    await fill(full, mostPending - 1)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => full.edge.post('/edge/approvals', newRequest(full.agentId))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.error).toBe(
      'the agent already has 100 pending approvals, which is the maximum; resolve some of them first',
    )
    const sibling = await addAgent(server, full.tenant.id, { environmentId: full.tenant.development })
    await addPendingCall({ edge: full.edge, agentId: sibling })
    await passTime(server, answers.find(({ status }) => status === 201)?.body.id)
    await addPendingCall(full)
  })
})

function deep(levels: number): Record<string, unknown> {
  return levels === 1 ? {} : { a: deep(levels - 1) }
}
