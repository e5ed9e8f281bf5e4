import { randomUUID } from 'node:crypto'
import { Agent } from '@mandate/contract/agents'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../security/credentials.ts'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, addPerson, auditEntries, createTenant, giveEnvironment } from '../../../testing/arrange.ts'
import { addPolicy } from '../../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../../testing/check-record-environments.ts'
import { useOwnServer, useTenant } from '../../../testing/use-test-server.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['reviews'])
const tenant = useTenant(server)

const reviewsOf = async (agentId: string) =>
  (await server.owner.query('select * from reviews where agent_id = $1', [agentId])).rows

describe('POST /agents', () => {
  it.each([
    ['no policy', 'enforce', null],
    ['a policy that inherits enforce', 'enforce', 'inherit'],
    ['a policy that inherits monitor', 'monitor', 'inherit'],
    ['a policy with the mode monitor', 'enforce', 'monitor'],
    ['a policy with the mode enforce', 'monitor', 'enforce'],
  ])('answers what a read of the agent does: %s', async (_, governance_mode, override_mode) => {
    const { owner, id, development } = await createTenant(server)
    await server.owner.query('update environments set governance_mode = $2 where id = $1', [
      development,
      governance_mode,
    ])
    const key = await addKey(server, id, owner)
    const policy = override_mode && (await owner.api.post('/policies', { name: 'P', override_mode })).body
    // The first request puts the caller into the server's cache. The second request reads the caller from the cache.
    for (let n = 0; n < 2; n++) {
      const sent = { name: 'n', environment_id: development, ...(policy && { policy_id: policy.id }) }
      const { status, body } = await key.api.post('/agents', sent)
      expect(status).toBe(201)
      const read = (await owner.api.get(`/agents/${body.agent.id}`)).body
      read.execution_coverage.computed_at = body.agent.execution_coverage.computed_at
      expect(body.agent).toEqual(read)
      const mode = override_mode === 'inherit' ? governance_mode : override_mode
      expect(read.governance_mode).toBe(mode)
    }
  })

  it('201 with the agent, which has exactly the fields of the contract, and its key', async () => {
    const sent = {
      description: 'reads claims',
      framework: 'langgraph',
      model: 'claude',
      tools: ['mcp:files/read'],
      metadata: { team: 'claims' },
      owner_user_id: tenant.owner.id,
    }
    const whole = { ...sent, name: ' Claims ', environment_id: tenant.development }
    const { status, body } = await tenant.owner.api.post('/agents', whole)
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['agent', 'agent_key'])
    expect(Object.keys(body.agent).sort()).toEqual(
      Object.keys(Agent.omit({ may: true, may_not: true, activity: true }).shape).sort(),
    )
    expect(Agent.parse(body.agent)).toEqual(body.agent)
    expect(body.agent).toMatchObject({
      ...sent,
      name: 'Claims',
      tenant_id: tenant.id,
      environment: { id: tenant.development, name: 'Development', slug: 'development' },
      status: 'registered',
      source: 'runtime',
      governance_state: 'discovered',
      governance_mode: null,
      policy: null,
      approved_policy: null,
      running_policy: null,
      drift: null,
      last_heartbeat_at: null,
      execution_coverage_state: 'unknown',
    })
    expect((await tenant.owner.api.get(`/agents/${body.agent.id}`)).body).toEqual({
      ...body.agent,
      execution_coverage: expect.objectContaining({ state: 'unknown' }),
    })
  })

  it('the key is shown once and works at the edge, and only its digest is stored', async () => {
    const { body } = await tenant.owner.api.post('/agents', { name: 'keyed', environment_id: tenant.development })
    expect(body.agent_key).toMatch(/^ak_[0-9a-f]{64}$/)
    const edge = apiClient(server.url, body.agent_key)
    expect((await edge.get(`/edge/agents/${body.agent.id}/mission-profile`)).status).toBe(200)
    expect(JSON.stringify((await tenant.owner.api.get(`/agents/${body.agent.id}`)).body)).not.toContain(body.agent_key)
    const { rows } = await server.owner.query('select * from agents where id = $1', [body.agent.id])
    expect(rows[0].key_hash).toEqual(digest(body.agent_key))
    expect(JSON.stringify([rows, await auditEntries(server, tenant.id)])).not.toContain(body.agent_key.slice(3))
  })

  it.each(['alert', 'enforce'])(
    'gate %s: the agent is proposed and an onboarding review is opened, requested by the caller',
    async (gate) => {
      const { id, owner, production, development } = await createTenant(server, { gate })
      const member = await addPerson(server, id)
      const made = await member.api.post('/agents', { name: 'a', environment_id: development })
      expect(made.body.agent.lifecycle_status).toBe('proposed')
      expect(await reviewsOf(made.body.agent.id)).toMatchObject([
        { kind: 'onboarding', status: 'pending', assigned_role: 'manager', requested_by: member.id, resolved_at: null },
      ])
      const inProduction = await owner.api.post('/agents', { name: 'b', environment_id: production })
      expect(await reviewsOf(inProduction.body.agent.id)).toMatchObject([{ assigned_role: 'owner' }])
      expect((await auditEntries(server, id)).map(({ event_type, agent_id }) => [event_type, agent_id])).toEqual([
        ['agent.created', made.body.agent.id],
        ['review.opened', made.body.agent.id],
        ['agent.created', inProduction.body.agent.id],
        ['review.opened', inProduction.body.agent.id],
      ])
    },
  )

  it('gate off: the agent is approved and no review is opened', async () => {
    const { id, owner, development } = await createTenant(server, { gate: 'off' })
    const { body } = await owner.api.post('/agents', { name: 'a', environment_id: development })
    expect(body.agent).toMatchObject({ lifecycle_status: 'approved', approved_policy: null })
    expect(await reviewsOf(body.agent.id)).toEqual([])
    expect((await auditEntries(server, id)).map((entry) => entry.event_type)).toEqual(['agent.created'])
  })

  it('an agent created with a policy is governed, and its mode is that of the policy, or of the environment if the policy inherits it', async () => {
    for (const [overrideMode, mode] of [
      ['monitor', 'monitor'],
      ['enforce', 'enforce'],
      ['inherit', 'monitor'],
    ]) {
      const { id, owner, development } = await createTenant(server)
      await server.owner.query(`update environments set governance_mode = 'monitor' where id = $1`, [development])
      const policy = await addPolicy(server, id, { overrideMode, environmentId: development })
      const sent = { name: 'a', environment_id: development, policy_id: policy.id }
      const { body } = await owner.api.post('/agents', sent)
      expect(body.agent).toMatchObject({ governance_state: 'governed', governance_mode: mode })
      expect(body.agent.policy).toEqual({ id: policy.id, name: `policy ${policy.id.slice(-6)}`, version: 1 })
    }
  })

  it('400 for a policy of another environment, 404 for an unknown policy and a policy of another tenant; nothing is written', async () => {
    const other = await createTenant(server)
    const elsewhere = await addPolicy(server, tenant.id, { environmentId: tenant.production })
    const foreign = await addPolicy(server, other.id)
    const before = (await auditEntries(server, tenant.id)).length
    const create = (policy_id: string) =>
      tenant.owner.api.post('/agents', { name: 'a', environment_id: tenant.development, policy_id })
    expect(await create(elsewhere.id)).toMatchObject({
      status: 400,
      body: { error: 'policy_id: the policy and the agent belong to different environments' },
    })
    const answers = await Promise.all([create(foreign.id), create(randomUUID())])
    for (const { status, body } of answers) expect([status, body]).toEqual([404, { error: 'policy not found' }])
    expect((await auditEntries(server, tenant.id)).length).toBe(before)
  })

  it('400 without an environment, with an unknown environment, and for an owner who is not a user of the tenant', async () => {
    const other = await createTenant(server)
    const learner = await addPerson(server, tenant.id, { role: 'viewer', academyOnly: true })
    const create = (rest: object) => tenant.owner.api.post('/agents', { name: 'a', ...rest })
    expect(await create({})).toMatchObject({ status: 400, body: { error: 'environment_id is required' } })
    for (const environment_id of [randomUUID(), other.development]) {
      expect(await create({ environment_id })).toMatchObject({
        status: 400,
        body: { error: 'environment_id: environment not found' },
      })
    }
    for (const owner_user_id of [randomUUID(), other.owner.id, learner.id]) {
      expect(await create({ environment_id: tenant.development, owner_user_id })).toMatchObject({
        status: 400,
        body: { error: 'owner_user_id: user not found' },
      })
    }
  })

  it('403 for a viewer, whatever the body', async () => {
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    expect((await viewer.api.post('/agents', { name: 'a', environment_id: tenant.development })).status).toBe(403)
    expect((await viewer.api.post('/agents', {})).status).toBe(403)
  })

  it('with an environment-bound key, a request without an environment uses the key’s; another environment is 403, even with a malformed body', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const placed = await key.api.post('/agents', { name: 'a' })
    expect(placed.body.agent.environment.id).toBe(tenant.development)
    expect((await key.api.post('/agents', { name: 'a', environment_id: tenant.development })).status).toBe(201)
    expect((await key.api.post('/agents', { name: 'a', environment_id: tenant.production })).status).toBe(403)
    expect((await key.api.post('/agents', { name: 7, environment_id: tenant.production })).status).toBe(403)
    expect((await key.api.post('/agents', { name: 'a', environment_id: randomUUID() })).status).toBe(403)
  })

  it('a bound key cannot use a policy that it cannot see: 404', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const policy = await addPolicy(server, tenant.id, { environmentId: tenant.production })
    expect((await key.api.post('/agents', { name: 'a', policy_id: policy.id })).status).toBe(404)
  })

  it('a scoped member who creates an agent gets a grant for it; an environment without access is 404', async () => {
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, member.id, tenant.development)
    const { status, body } = await member.api.post('/agents', { name: 'mine', environment_id: tenant.development })
    expect(status).toBe(201)
    expect((await member.api.get(`/agents/${body.agent.id}`)).status).toBe(200)
    const events = (await auditEntries(server, tenant.id)).filter((entry) => entry.agent_id === body.agent.id)
    expect(events.map((entry) => entry.event_type)).toContain('user.grant_created')
    for (const environment_id of [tenant.production, randomUUID()]) {
      const refused = await member.api.post('/agents', { name: 'a', environment_id })
      expect([refused.status, refused.body]).toEqual([404, { error: 'environment not found' }])
    }
    const { rows } = await server.owner.query('select agent_id from agent_grants where user_id = $1', [member.id])
    expect(rows).toEqual([{ agent_id: body.agent.id }])
  })

  it('404 through a scoped member’s bound key after the member lost access to its environment', async () => {
    const member = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const key = await addKey(server, tenant.id, member, { environmentId: tenant.development })
    expect((await key.api.post('/agents', { name: 'a' })).status).toBe(404)
    await giveEnvironment(server, tenant.id, member.id, tenant.development)
    expect((await key.api.post('/agents', { name: 'a' })).status).toBe(201)
  })

  it.each([
    ['name', 'blank', { name: ' ' }],
    ['name', 'too long', { name: 'x'.repeat(201) }],
    ['name', 'null', { name: null }],
    ['description', 'null', { description: null }],
    ['tools', 'no array', { tools: 'read' }],
    ['tools', 'an array of numbers', { tools: [1] }],
    ['metadata', 'of numbers', { metadata: { a: 1 } }],
    [
      'metadata',
      'with too many entries',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])) },
    ],
    ['policy_id', 'no UUID', { policy_id: 'x' }],
  ])('400 that names %s when it is %s', async (field, _, wrong) => {
    const sent = { name: 'a', environment_id: tenant.development, ...wrong }
    const { status, body } = await tenant.owner.api.post('/agents', sent)
    expect(status).toBe(400)
    expect(body.error).toContain(field)
  })
})
