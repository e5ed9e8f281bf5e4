import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { addPolicy, savePolicy, type TestPolicy } from '../../testing/arrange-agents.ts'
import { checkRecordEnvironments } from '../../testing/check-record-environments.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
checkRecordEnvironments(server, ['reviews'])
let tenant: TestTenant
let member: TestPerson
let manager: TestPerson
let policy: TestPolicy

beforeEach(async () => {
  tenant = await createTenant(server)
  member = await addPerson(server, tenant.id)
  manager = await addPerson(server, tenant.id, { role: 'manager' })
  policy = await addPolicy(server, tenant.id)
})

/** Creates an agent over HTTP. Returns it with its onboarding review. */
async function onboard(by: TestPerson = member, environment_id = tenant.development) {
  const created = await by.api.post('/agents', { name: 'Scribe', environment_id, policy_id: policy.id })
  const { body } = await by.api.get('/reviews?status=pending&kind=onboarding')
  const review = body.data.find((each: { agent_id: string }) => each.agent_id === created.body.agent.id)
  return { agentId: created.body.agent.id as string, reviewId: review.id as string }
}

const resolve = (by: Pick<TestPerson, 'api'>, id: string, outcome = 'approved', comment = 'looked at it') =>
  by.api.post(`/reviews/${id}/resolve`, { outcome, comment })
const agentOf = async (id: string) => (await tenant.owner.api.get(`/agents/${id}`)).body
const reviewOf = async (id: string) => (await tenant.owner.api.get(`/reviews/${id}`)).body
const entries = async (type: string) =>
  (await auditEntries(server, tenant.id)).filter(({ event_type }) => event_type === type)
const attestation = (by: TestPerson, agentId: string) =>
  by.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })

describe('POST /reviews/{id}/resolve: outcomes', () => {
  it('a review that approves an agent sets the policy version in force as the approval of record', async () => {
    const { agentId, reviewId } = await onboard()
    const hash = await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
    const { status, body } = await resolve(manager, reviewId)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: reviewId,
      agent_id: agentId,
      environment_id: tenant.development,
      subject: { policy_id: policy.id, approved: null, running: null },
      kind: 'onboarding',
      status: 'approved',
      assigned_role: 'manager',
      requested_by: member.id,
      opened_at: expect.any(String),
      resolved_by: manager.id,
      resolved_at: expect.stringMatching(/Z$/),
      comment: 'looked at it',
    })
    expect(await agentOf(agentId)).toMatchObject({
      lifecycle_status: 'approved',
      approved_policy: { id: policy.id, version: 2 },
    })
    const { rows } = await server.owner.query('select approved_hash from agents where id = $1', [agentId])
    expect(rows[0].approved_hash).toBe(hash)
    await savePolicy(server, tenant.id, policy.id, { default_effect: 'deny' })
    const { id: review_id, resolved_by: approved_by, resolved_at: approved_at } = await reviewOf(reviewId)
    expect((await agentOf(agentId)).approved_policy).toEqual({
      id: policy.id,
      version: 2,
      content_hash: hash,
      approved_by,
      approved_at,
      review_id,
    })
  })

  it.each(['approved', 'attested'])(
    '409: a policy version that the caller did not look at does not become the approval of record: %s',
    async (outcome) => {
      const { agentId, reviewId: onboarding } = await onboard()
      const reviewId = outcome === 'approved' ? onboarding : (await attestation(member, agentId)).body.id
      const by = outcome === 'approved' ? manager : tenant.owner
      const send = (seen: object | null) =>
        by.api.post(`/reviews/${reviewId}/resolve`, { outcome, comment: 'looked at it', policy: seen })
      const at = (version: number | null) => ({ policy_id: policy.id, version })
      await savePolicy(server, tenant.id, policy.id, { default_effect: 'allow' })
      for (const other of [at(1), at(3), at(null), null, { policy_id: randomUUID(), version: 2 }]) {
        expect(await send(other)).toMatchObject({
          status: 409,
          body: {
            error: 'the approval would be of another policy version than the one in policy; read the agent again',
          },
        })
      }
      expect(await reviewOf(reviewId)).toMatchObject({ status: 'pending' })
      expect(await agentOf(agentId)).toMatchObject({ approved_policy: null, lifecycle_status: 'proposed' })
      expect(await entries('review.resolved')).toEqual([])
      expect(await send(at(2))).toMatchObject({ status: 200 })
      expect(await agentOf(agentId)).toMatchObject({ approved_policy: { id: policy.id, version: 2 } })
    },
  )

  it('409: an agent without a policy is approved only if the caller saw no policy', async () => {
    const created = await member.api.post('/agents', { name: 'Bare', environment_id: tenant.development })
    const { body } = await member.api.get(`/reviews?status=pending&agent_id=${created.body.agent.id}`)
    const send = (seen: object | null) =>
      manager.api.post(`/reviews/${body.data[0].id}/resolve`, { outcome: 'approved', comment: 'ok', policy: seen })
    expect(await send({ policy_id: policy.id, version: 1 })).toMatchObject({ status: 409 })
    expect(await send(null)).toMatchObject({ status: 200, body: { status: 'approved' } })
  })

  it('a rejection does not depend on the policy version that the caller looked at', async () => {
    const { reviewId } = await onboard()
    const sent = { outcome: 'rejected', comment: 'no', policy: { policy_id: policy.id, version: 9 } }
    expect(await manager.api.post(`/reviews/${reviewId}/resolve`, sent)).toMatchObject({ status: 200 })
  })

  it('approving and rejecting are audited with actor, previous status and reason', async () => {
    const { agentId, reviewId } = await onboard()
    await resolve(manager, reviewId, 'rejected', 'it writes to production')
    expect((await agentOf(agentId)).lifecycle_status).toBe('blocked')
    expect((await agentOf(agentId)).approved_policy).toBeNull()
    const [moved, ...rest] = await entries('agent.lifecycle.changed')
    expect(rest).toEqual([])
    expect(moved).toMatchObject({
      actor_user_id: manager.id,
      agent_id: agentId,
      details: { previous_state: 'proposed', new_state: 'blocked', reason: 'it writes to production' },
    })
    expect(await entries('review.resolved')).toMatchObject([
      { source: 'control_plane', actor_user_id: manager.id, resource_id: reviewId, details: { outcome: 'rejected' } },
    ])
  })

  it('a review that attests an agent sets the approval of record and changes no status', async () => {
    const agentId = await addAgent(server, tenant.id, {
      environmentId: tenant.production,
      policyId: policy.id,
      lifecycleStatus: 'blocked',
    })
    const opened = await attestation(member, agentId)
    expect(opened.status).toBe(201)
    expect(opened.body).toMatchObject({ kind: 'attestation', status: 'pending', assigned_role: 'manager' })
    expect((await resolve(manager, opened.body.id, 'attested')).status).toBe(200)
    expect(await agentOf(agentId)).toMatchObject({
      lifecycle_status: 'blocked',
      approved_policy: { id: policy.id, version: 1 },
    })
    expect(await entries('agent.lifecycle.changed')).toEqual([])
  })

  it('an agent without a policy is approved without an approval of record', async () => {
    const agentId = await addAgent(server, tenant.id, {
      environmentId: tenant.development,
      lifecycleStatus: 'proposed',
    })
    const { body } = await attestation(member, agentId)
    expect((await resolve(manager, body.id)).status).toBe(200)
    expect(await agentOf(agentId)).toMatchObject({ lifecycle_status: 'approved', approved_policy: null })
  })

  it('an approval supersedes the other pending reviews of the agent, and none of another agent', async () => {
    const [one, other] = [await onboard(), await onboard()]
    const { body } = await attestation(member, one.agentId)
    await resolve(manager, one.reviewId)
    expect(await reviewOf(body.id)).toMatchObject({ status: 'superseded', resolved_by: null })
    expect((await reviewOf(other.reviewId)).status).toBe('pending')
    expect((await resolve(manager, body.id, 'attested')).status).toBe(409)
  })
})

describe('POST /reviews/{id}/resolve: permissions', () => {
  it('a review of a production agent is assigned to owners: 403 for a manager and for an owner’s bound key', async () => {
    const { agentId, reviewId } = await onboard(member, tenant.production)
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    for (const by of [manager, bound]) expect((await resolve(by, reviewId)).status).toBe(403)
    expect((await resolve(bound, reviewId)).body.error).toContain('bound to an environment')
    expect((await agentOf(agentId)).lifecycle_status).toBe('proposed')
    expect(await entries('review.resolved')).toEqual([])
    expect((await resolve(tenant.owner, reviewId)).status).toBe(200)
  })

  it('an owner’s bound key resolves a review assigned to managers, in its environment', async () => {
    const { reviewId } = await onboard()
    const [here, there] = [
      await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development }),
      await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production }),
    ]
    expect((await resolve(there, reviewId)).status).toBe(404)
    expect((await resolve(here, reviewId)).status).toBe(200)
  })

  it('403 for members and viewers', async () => {
    const { reviewId } = await onboard()
    const viewer = await addPerson(server, tenant.id, { role: 'viewer' })
    for (const by of [member, viewer]) expect((await resolve(by, reviewId)).status).toBe(403)
  })

  it('403 for the requester while another user could resolve it, also through a key', async () => {
    const { reviewId } = await onboard(manager)
    const key = await addKey(server, tenant.id, manager)
    for (const by of [manager, key]) expect((await resolve(by, reviewId)).status).toBe(403)
    expect((await reviewOf(reviewId)).status).toBe('pending')
    expect((await resolve(tenant.owner, reviewId)).status).toBe(200)
  })

  it('the requester resolves it if no other user could; learners, pending users and users who do not see the agent do not count', async () => {
    const { agentId, reviewId } = await onboard(tenant.owner, tenant.production)
    expect((await resolve(tenant.owner, reviewId)).status).toBe(200)
    const own = await onboard(tenant.owner)
    expect((await resolve(tenant.owner, own.reviewId)).status).toBe(403)
    await server.owner.query(`update users set access_scope = 'scoped' where id = $1`, [manager.id])
    await addPerson(server, tenant.id, { role: 'manager', status: 'pending' })
    expect((await resolve(tenant.owner, own.reviewId)).status).toBe(200)
    const { body } = await attestation(tenant.owner, agentId)
    await grantAgent(server, tenant.id, manager.id, agentId)
    expect((await resolve(tenant.owner, body.id, 'attested')).status).toBe(403)
  })

  it('what is reserved for owners cannot be bypassed: an attestation neither approves a production agent nor resolves an owner’s review', async () => {
    const { agentId } = await onboard(member, tenant.production)
    const { body } = await attestation(member, agentId)
    for (const outcome of ['approved', 'attested']) {
      expect((await resolve(manager, body.id, outcome)).status).toBe(403)
    }
    expect(await agentOf(agentId)).toMatchObject({ lifecycle_status: 'proposed', approved_policy: null })
    const blocked = await addAgent(server, tenant.id, { environmentId: tenant.production, lifecycleStatus: 'blocked' })
    const asked = await attestation(member, blocked)
    expect((await resolve(manager, asked.body.id, 'approved')).status).toBe(403)
    expect((await resolve(manager, asked.body.id, 'attested')).status).toBe(200)
  })

  it('403 and 404 come before the 400 of a malformed body', async () => {
    const { reviewId } = await onboard(member, tenant.production)
    const post = (by: TestPerson, id: string) => by.api.post(`/reviews/${id}/resolve`, { outcome: 'maybe' })
    expect((await post(manager, reviewId)).status).toBe(403)
    expect((await post(manager, randomUUID())).status).toBe(404)
    expect((await post(tenant.owner, reviewId)).status).toBe(400)
  })
})

describe('reviews: resolved once, and visible like their agents', () => {
  it('a resolution by its requester does not deadlock with a heartbeat that locks the agent and then inserts rows of the tenant', async () => {
    const alone = await createTenant(server)
    const made = await alone.owner.api.post('/agents', { name: 'Scribe', environment_id: alone.development })
    const { body } = await alone.owner.api.get('/reviews?status=pending')
    const client = await server.owner.connect()
    try {
      await client.query('begin')
      await client.query('select from agents where id = $1 for no key update', [made.body.agent.id])
      const answer = resolve(alone.owner, body.data[0].id)
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await server.owner.query(waiting)).rows.length).toBe(1)
      // The lock of an insert into a table with a foreign key to the tenant.
      await client.query('select from tenants where id = $1 for key share', [alone.id])
      await client.query('commit')
      expect((await answer).status).toBe(200)
    } finally {
      client.release()
    }
  })

  it('409 for a resolved review; of many concurrent resolutions one succeeds', async () => {
    const { reviewId } = await onboard()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        resolve(n % 2 ? manager : tenant.owner, reviewId, n % 3 ? 'approved' : 'rejected'),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
    expect(await entries('review.resolved')).toHaveLength(1)
    expect(await entries('agent.lifecycle.changed')).toHaveLength(1)
    expect((await resolve(manager, reviewId)).body.error).toBe('this review is already resolved')
  })

  it('409 while an attestation is pending; of many concurrent requests one opens it', async () => {
    const { agentId } = await onboard()
    const answers = await Promise.all(Array.from({ length: 8 }, () => attestation(member, agentId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect((await member.api.post(`/agents/${agentId}/reviews`, { kind: 'onboarding' })).status).toBe(400)
  })

  it('a review of an agent that the caller cannot see is 404 with the bytes of an unknown id, and is in no list', async () => {
    const { agentId, reviewId } = await onboard()
    const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
    const foreign = (await createTenant(server)).owner
    const bound = await addKey(server, tenant.id, manager, { environmentId: tenant.production })
    const unknown = await manager.api.get(`/reviews/${randomUUID()}`)
    for (const by of [scoped, foreign, bound]) {
      const answer = await by.api.get(`/reviews/${reviewId}`)
      expect([answer.status, answer.body]).toEqual([404, unknown.body])
      expect((await resolve(by, reviewId)).body).toEqual(unknown.body)
      expect((await by.api.get('/reviews')).body).toMatchObject({ data: [], total: 0 })
      expect((await by.api.post(`/agents/${agentId}/reviews`, { kind: 'attestation' })).status).toBe(404)
    }
    await grantAgent(server, tenant.id, scoped.id, agentId)
    expect((await scoped.api.get('/reviews')).body.total).toBe(1)
    expect((await scoped.api.get(`/reviews/${reviewId}`)).status).toBe(200)
  })

  it('GET /reviews filters by agent, status and kind, newest first, in pages', async () => {
    const ids = []
    for (let n = 0; n < 3; n++) ids.unshift((await onboard()).reviewId)
    const { agentId } = await onboard()
    const { body } = await attestation(member, agentId)
    const list = async (query: string) => (await member.api.get(`/reviews?${query}`)).body
    expect(await list('kind=attestation')).toMatchObject({ data: [{ id: body.id }], total: 1, limit: 50, offset: 0 })
    const ofAgent = await list(`agent_id=${agentId}`)
    expect(ofAgent.data.map(({ kind }: { kind: string }) => kind)).toEqual(['attestation', 'onboarding'])
    expect(await list(`agent_id=${randomUUID()}`)).toMatchObject({ data: [], total: 0 })
    expect((await list('kind=onboarding&limit=2&offset=2')).data.map(({ id }: { id: string }) => id)).toEqual(
      ids.slice(1),
    )
    await resolve(manager, ids[0] as string)
    expect(await list('status=approved')).toMatchObject({ data: [{ id: ids[0] }], total: 1 })
    expect((await member.api.get('/reviews?status=open')).status).toBe(400)
  })
})
