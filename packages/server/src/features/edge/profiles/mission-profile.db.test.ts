import { randomUUID } from 'node:crypto'
import { MissionProfile } from '@mandate/contract/edge'
import { canonicalJson, contentHash } from '@mandate/proofs/canonical'
import { signatureHolds } from '@mandate/proofs/signature'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../../../testing/api-client.ts'
import { addAgent, createTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, giveAgentKey, savePolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let edge: ApiClient
let policy: TestPolicy

const rule = {
  id: randomUUID(),
  name: 'stop',
  priority: 1,
  enabled: true,
  effect: 'deny',
  match: { tools: ['mcp:files/*'], when: [] },
  reason: 'no',
}

beforeAll(async () => {
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = await addPolicy(server, tenant.id, { overrideMode: 'monitor', rules: [rule] })
})

const newAgent = (rest = {}) =>
  addAgent(server, tenant.id, { environmentId: tenant.development, policyId: policy.id, status: 'active', ...rest })
const pathOf = (id: string) => `/edge/agents/${id}/mission-profile`
const profileOf = async (id: string, api = edge) => (await api.get(pathOf(id))).body as MissionProfile

describe('GET /edge/agents/{id}/mission-profile', () => {
  it('200 with the policy’s current version as policy_version', async () => {
    const id = await newAgent()
    const { status, body } = await edge.get(pathOf(id))
    expect(status).toBe(200)
    const rare = ['denied_because', 'content', 'pins', 'limited_rules', 'keep_arguments_for_replay']
    const always = Object.keys(MissionProfile.shape).filter((name) => !rare.includes(name))
    expect(Object.keys(body).sort()).toEqual(always.sort())
    expect(body).toMatchObject({
      tenant_id: tenant.id,
      agent_id: id,
      status: 'active',
      governance_mode: 'monitor',
      policy_id: policy.id,
      policy_version: 1,
      policy: { default_effect: 'deny', rules: [rule] },
      profile_seq: 1,
    })
    const own = await addPolicy(server, tenant.id)
    await server.owner.query('update agents set policy_id = $2 where id = $1', [id, own.id])
    await savePolicy(server, tenant.id, own.id, { default_effect: 'allow' })
    expect(await profileOf(id)).toMatchObject({ policy_version: 2, policy: { default_effect: 'allow' } })
  })

  it('the hash of the policy, the hash of the profile and the signature match the content', async () => {
    const profile = await profileOf(await newAgent())
    const { signature, tenant_id, profile_hash, profile_seq, issued_at, policy: carried, ...stable } = profile
    expect(contentHash(carried)).toBe(policy.hash)
    expect(contentHash({ ...stable, policy_hash: policy.hash })).toBe(profile_hash)
    const { keys } = (await apiClient(server.url).get('/edge/signing-key')).body
    expect(keys).toEqual([{ kid: expect.stringMatching(/^[0-9a-f]{16}$/), public_key_pem: keys[0].public_key_pem }])
    const signed = { ...stable, tenant_id, policy: carried, profile_hash, profile_seq, issued_at }
    expect(signatureHolds(keys[0].public_key_pem, canonicalJson(signed), signature)).toBe(true)
    const forged = { ...signed, governance_mode: 'enforce' }
    expect(signatureHolds(keys[0].public_key_pem, canonicalJson(forged), signature)).toBe(false)
  })

  it('says that the environment keeps arguments, with another hash, unless the profile denies everything', async () => {
    const id = await newAgent()
    const before = await profileOf(id)
    const setting = { keep_arguments_for_replay: true }
    await tenant.owner.api.put(`/environments/${tenant.development}`, setting)
    const { signature: _, ...profile } = await profileOf(id)
    expect(profile).toMatchObject({ ...setting, profile_seq: before.profile_seq + 1 })
    const { tenant_id: __, profile_hash, profile_seq: ___, issued_at: ____, policy: _____, ...stable } = profile
    expect(contentHash({ ...stable, policy_hash: policy.hash })).toBe(profile_hash)
    expect(profile_hash).not.toBe(before.profile_hash)
    expect(await profileOf(await newAgent({ status: 'suspended' }))).not.toHaveProperty('keep_arguments_for_replay')
    await tenant.owner.api.put(`/environments/${tenant.development}`, { keep_arguments_for_replay: false })
    expect((await profileOf(id)).profile_hash).toBe(before.profile_hash)
  })

  it('304 with the ETag while If-None-Match contains the current profile', async () => {
    const id = await newAgent()
    const first = await edge.get(pathOf(id))
    const etag = first.headers.get('etag') as string
    expect(etag).toBe(`"${first.body.profile_hash}"`)
    for (const named of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, body, headers } = await edge.get(pathOf(id), { 'if-none-match': named })
      expect([status, body, headers.get('etag')]).toEqual([304, undefined, etag])
    }
    expect((await edge.get(pathOf(id), { 'if-none-match': '"x"' })).status).toBe(200)
    await tenant.owner.api.post(`/agents/${id}/suspend`)
    expect((await edge.get(pathOf(id), { 'if-none-match': etag })).status).toBe(200)
  })

  it('200 with another ETag, number and signed content after the agent or its environment was renamed', async () => {
    const id = await newAgent()
    const { id: environmentId } = (await tenant.owner.api.post('/environments', { name: 'Lab', slug: 'lab' })).body
    await server.owner.query('update agents set environment_id = $2 where id = $1', [id, environmentId])
    const own = await addEdge(server, tenant.id, environmentId)
    const lab = { id: environmentId, name: 'Lab', slug: 'lab' }
    const changes: [() => Promise<unknown>, object][] = [
      [async () => {}, { environment: lab }],
      [() => tenant.owner.api.put(`/agents/${id}`, { name: 'scribe' }), { agent_name: 'scribe' }],
      [
        () => tenant.owner.api.put(`/environments/${environmentId}`, { slug: 'den' }),
        { environment: { ...lab, slug: 'den' } },
      ],
      [
        () => tenant.owner.api.put(`/environments/${environmentId}`, { name: 'Den' }),
        { agent_name: 'scribe', environment: { ...lab, name: 'Den', slug: 'den' } },
      ],
    ]
    const etags = new Set<string | null>()
    for (const [index, [change, expected]] of changes.entries()) {
      await change()
      const { status, body, headers } = await own.get(pathOf(id), { 'if-none-match': [...etags].join() })
      expect([status, body.profile_seq]).toEqual([200, index + 1])
      expect(body).toMatchObject(expected)
      const { signature, ...signed } = body
      expect(signatureHolds(server.services.signingKey.publicKeyPem, canonicalJson(signed), signature)).toBe(true)
      const sent = { instance_id: 'lab', seq: index, edge_version: '1', agents: [{ agent_id: id }] }
      expect((await own.post('/edge/heartbeat', sent)).body.agents[0].profile_hash).toBe(body.profile_hash)
      etags.add(headers.get('etag'))
    }
    expect(etags.size).toBe(changes.length)
  })

  it.each([
    ['suspended', 'suspended', { status: 'suspended' }],
    ['archived', 'archived', { status: 'archived' }],
    ['blocked', 'blocked', { lifecycleStatus: 'blocked' }],
    ['retired', 'retired', { lifecycleStatus: 'retired' }],
    ['without a policy', 'no_policy', { policyId: null }],
  ])(
    '200 that denies everything, signed, with the reason, for an agent that is %s',
    async (_, denied_because, difference) => {
      const id = await newAgent(difference)
      const { status, body } = await edge.get(pathOf(id))
      expect(status).toBe(200)
      expect(body).toMatchObject({ governance_mode: 'enforce', policy_id: null, policy_version: null, denied_because })
      expect(body.policy).toEqual({ default_effect: 'deny', rules: [] })
      const { signature, ...signed } = body
      expect(signatureHolds(server.services.signingKey.publicKeyPem, canonicalJson(signed), signature)).toBe(true)
    },
  )

  it('an unapproved agent is denied everything under gate enforce, but not under alert', async () => {
    const other = await createTenant(server, { gate: 'alert' })
    const its = await addPolicy(server, other.id)
    const agent = { environmentId: other.development, policyId: its.id, lifecycleStatus: 'proposed' }
    const id = await addAgent(server, other.id, agent)
    const api = await addEdge(server, other.id, other.development)
    expect((await profileOf(id, api)).policy_id).toBe(its.id)
    await server.owner.query(`update tenants set governance_gate = 'enforce' where id = $1`, [other.id])
    const denied = { policy_id: null, policy: { default_effect: 'deny', rules: [] } }
    expect(await profileOf(id, api)).toMatchObject({ ...denied, denied_because: 'not_approved' })
    await other.owner.api.post(`/agents/${id}/lifecycle`, { lifecycle_status: 'approved', reason: 'fine' })
    expect((await profileOf(id, api)).policy_id).toBe(its.id)
  })

  it('a suspended agent’s own key reads a profile that denies everything; after it is resumed, its policy again', async () => {
    const id = await newAgent()
    const own = await giveAgentKey(server, tenant.id, id)
    await tenant.owner.api.post(`/agents/${id}/suspend`)
    expect(await profileOf(id, own)).toMatchObject({ status: 'suspended', policy: { rules: [] } })
    await tenant.owner.api.post(`/agents/${id}/resume`)
    expect(await profileOf(id, own)).toMatchObject({ status: 'active', policy_id: policy.id })
  })

  it('404 for an agent that the credential does not serve: of another environment or tenant, another agent, or an unknown id', async () => {
    const other = await createTenant(server)
    const [own, elsewhere] = [await newAgent(), await newAgent({ environmentId: tenant.production })]
    const foreign = await addAgent(server, other.id, { environmentId: other.development })
    const agentKey = await giveAgentKey(server, tenant.id, own)
    const neighbour = await newAgent()
    const refused = [
      await edge.get(pathOf(elsewhere)),
      await edge.get(pathOf(foreign)),
      await edge.get(pathOf(randomUUID())),
      await agentKey.get(pathOf(neighbour)),
    ]
    for (const { status, body } of refused) expect([status, body]).toEqual([404, { error: 'agent not found' }])
    expect((await edge.get(pathOf('nonsense'))).status).toBe(400)
  })
})

describe('profile_seq', () => {
  it('does not change while nothing changes, and grows with every change, also back to an earlier policy', async () => {
    const id = await newAgent()
    const [first, second] = [policy, await addPolicy(server, tenant.id)]
    await savePolicy(server, tenant.id, second.id, {})
    await savePolicy(server, tenant.id, second.id, {})
    const seqs: number[] = []
    const hashes: string[] = []
    for (const { id: policy_id } of [first, second, first, first]) {
      await tenant.owner.api.post(`/agents/${id}/assign-policy`, { policy_id })
      const { profile_seq, profile_hash } = await profileOf(id)
      seqs.push(profile_seq)
      hashes.push(profile_hash)
    }
    expect(seqs).toEqual([1, 2, 3, 3])
    expect(hashes[2]).toBe(hashes[0])
    await tenant.owner.api.post(`/agents/${id}/suspend`)
    expect((await profileOf(id)).profile_seq).toBe(4)
  })

  it('never gives two contents the same number and never decreases, while many edges read and the policy changes', async () => {
    const id = await newAgent()
    const policies = [policy, await addPolicy(server, tenant.id), await addPolicy(server, tenant.id)]
    const contentOf = new Map<number, string>()
    let isMoving = true
    const readWhileMoving = async () => {
      let last = 0
      while (isMoving) {
        const { profile_seq, profile_hash } = await profileOf(id)
        expect(profile_seq).toBeGreaterThanOrEqual(last)
        expect(contentOf.get(profile_seq) ?? profile_hash).toBe(profile_hash)
        contentOf.set(profile_seq, profile_hash)
        last = profile_seq
      }
    }
    const repoint = async () => {
      try {
        for (let n = 0; n < 15; n++) {
          await tenant.owner.api.post(`/agents/${id}/assign-policy`, { policy_id: policies[n % 3]?.id })
        }
      } finally {
        isMoving = false
      }
    }
    await Promise.all([repoint(), ...Array.from({ length: 6 }, () => readWhileMoving())])
    expect(contentOf.size).toBeGreaterThan(1)
  })

  it('the heartbeat returns the hash of the current profile', async () => {
    const id = await newAgent()
    const beat = async (seq: number) => {
      const sent = { instance_id: 'i', seq, edge_version: '1', agents: [{ agent_id: id }] }
      return (await edge.post('/edge/heartbeat', sent)).body.agents[0].profile_hash
    }
    expect(await beat(1)).toBe((await profileOf(id)).profile_hash)
    await tenant.owner.api.post(`/agents/${id}/suspend`)
    expect(await beat(2)).toBe((await profileOf(id)).profile_hash)
  })
})
