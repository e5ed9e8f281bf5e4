import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, savePolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let edge: ApiClient
let policy: TestPolicy
let agentId: string
let seq = 0

beforeAll(async () => {
  edge = await addEdge(server, tenant.id, tenant.development)
})

const approve = (version: number, hash: string, policyId = policy.id) =>
  server.owner.query(
    'update agents set approved_policy_id = $2, approved_version = $3, approved_hash = $4 where id = $1',
    [agentId, policyId, version, hash],
  )

const runs = (said: { policy_id?: string; policy_version?: number; policy_hash?: string }) =>
  edge.post('/edge/heartbeat', {
    instance_id: 'i',
    seq: ++seq,
    edge_version: '1',
    agents: [{ agent_id: agentId, ...said }],
  })

const read = async () => (await tenant.owner.api.get(`/agents/${agentId}`)).body

describe('drift compares the running policy with the approved one, by policy id and content hash', () => {
  it('drift is null if the approval or the report is missing, never false', async () => {
    policy = await addPolicy(server, tenant.id)
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    expect(await read()).toMatchObject({ approved_policy: null, running_policy: null, drift: null })
    await approve(1, policy.hash)
    expect(await read()).toMatchObject({
      approved_policy: { id: policy.id, version: 1 },
      running_policy: null,
      drift: null,
    })
    await runs({})
    expect(await read()).toMatchObject({ running_policy: null, drift: null })
    await runs({ policy_id: policy.id })
    expect(await read()).toMatchObject({ running_policy: { id: policy.id, version: null }, drift: null })
    await server.owner.query('update agents set approved_policy_id = null where id = $1', [agentId])
    await runs({ policy_id: policy.id, policy_version: 1, policy_hash: policy.hash })
    expect(await read()).toMatchObject({ approved_policy: null, running_policy: { version: 1 }, drift: null })
  })

  it('drift is false while the approved version runs; a save causes drift only when the edge reports the new version', async () => {
    policy = await addPolicy(server, tenant.id)
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    await approve(1, policy.hash)
    await runs({ policy_id: policy.id, policy_version: 1, policy_hash: policy.hash })
    const body = await read()
    expect(body.drift).toBe(false)
    expect(body.running_policy).toEqual({
      id: policy.id,
      version: 1,
      reported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      content_hash: policy.hash,
      since: body.running_policy.reported_at,
      edge: { id: expect.any(String), name: 'edge', version: '1' },
    })
    const hash = await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
    expect((await read()).drift).toBe(false)
    await runs({ policy_id: policy.id, policy_version: 2, policy_hash: hash })
    expect(await read()).toMatchObject({ drift: true, running_policy: { version: 2 }, approved_policy: { version: 1 } })
  })

  it('restoring the approved content ends the drift, whatever the version number is', async () => {
    policy = await addPolicy(server, tenant.id)
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    await approve(1, policy.hash)
    const changed = await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
    await runs({ policy_id: policy.id, policy_version: 2, policy_hash: changed })
    expect((await read()).drift).toBe(true)
    const restored = await savePolicy(server, tenant.id, policy.id, { default_effect: 'deny' })
    await runs({ policy_id: policy.id, policy_version: 3, policy_hash: restored })
    expect((await read()).drift).toBe(false)
  })

  it('another policy with the same content is drift', async () => {
    policy = await addPolicy(server, tenant.id)
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    await approve(1, policy.hash)
    await runs({ policy_id: randomUUID(), policy_version: 1, policy_hash: policy.hash })
    expect((await read()).drift).toBe(true)
  })

  it('a version that is reported without its hash has the content of that version', async () => {
    policy = await addPolicy(server, tenant.id)
    agentId = await addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id })
    await approve(1, policy.hash)
    await runs({ policy_id: policy.id, policy_version: 1 })
    expect((await read()).drift).toBe(false)
    await runs({ policy_id: policy.id, policy_version: 9 })
    expect(await read()).toMatchObject({ running_policy: { version: 9 }, drift: null })
  })
})
