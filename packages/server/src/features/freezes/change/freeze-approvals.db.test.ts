import { randomUUID } from 'node:crypto'
import { contentHash } from '@mandate/proofs/canonical'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../db/ids/new-id.ts'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge, addPolicy, type TestPolicy } from '../../../testing/arrange-agents.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { endApprovalsOfFreezes } from './end-approvals.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: ApiClient
let edge: ApiClient
let policy: TestPolicy
let agent: string

beforeEach(async () => {
  tenant = await createTenant(server)
  owner = tenant.owner.api
  edge = await addEdge(server, tenant.id, tenant.development)
  policy = await addPolicy(server, tenant.id)
  agent = await newAgent()
})

const newAgent = (environmentId = tenant.development) =>
  addAgent(server, tenant.id, { environmentId, policyId: policy.id, status: 'active' })
const digest = contentHash({ tool: 'mcp:files/delete', args: {} })
const request = (api = edge, agent_id = agent) =>
  api.post('/edge/approvals', {
    approval_id: randomUUID(),
    agent_id,
    tool: 'mcp:files/delete',
    arguments: {},
    args_digest: digest,
    policy_id: policy.id,
    policy_version: 1,
    policy_hash: policy.hash,
    reason: 'ask',
  })
const requested = async (api = edge, agent_id = agent) => {
  const answer = await request(api, agent_id)
  expect(answer.status).toBe(201)
  return answer.body.id as string
}
const approve = (id: string) => owner.post(`/approvals/${id}/resolve`, { outcome: 'approved' })
const consume = (id: string) =>
  edge.post(`/edge/approvals/${id}/consume`, { args_digest: digest, policy_version: 1, policy_hash: policy.hash })
const freeze = (body: object = { scope: 'environment', environment_id: tenant.development }) =>
  owner.post('/freezes', { reason: 'stop', ...body })
const statusOf = async (id: string) => (await owner.get(`/approvals/${id}`)).body.status

describe('the approvals of frozen agents', () => {
  it('expire when they are pending or approved; those of other agents stay', async () => {
    const production = await addEdge(server, tenant.id, tenant.production)
    const outside = await requested(production, await newAgent(tenant.production))
    const [pending, approved] = [await requested(), await requested()]
    await approve(approved)
    const { body } = await freeze()
    expect(body.approvals_ended).toBe(2)
    expect(await Promise.all([pending, approved, outside].map(statusOf))).toEqual(['expired', 'expired', 'pending'])
    for (const id of [pending, approved])
      expect((await owner.get(`/approvals/${id}`)).body).toMatchObject({ ended_because: 'frozen', freeze_id: body.id })
    const entries = (await auditEntries(server, tenant.id)).filter((one) => one.event_type === 'approval.expired')
    const ended = { reason: 'agent_stopped', ended_because: 'frozen', freeze_id: body.id }
    expect(entries).toMatchObject([{ details: ended }, { details: ended }])
    expect(await request()).toMatchObject({ status: 409, body: { error: expect.stringContaining('frozen') } })
    expect((await consume(approved)).status).toBe(409)
    expect((await approve(pending)).status).toBe(409)
    await owner.post(`/freezes/${body.id}/lift`, { reason: 'over' })
    expect(await statusOf(approved)).toBe('expired')
    await requested()
  })

  it('stay open for a drill', async () => {
    const id = await requested()
    expect((await freeze({ scope: 'organization', drill: true })).body).toMatchObject({
      drill: true,
      approvals_ended: 0,
    })
    expect(await statusOf(id)).toBe('pending')
    expect((await approve(id)).status).toBe(200)
    expect((await consume(id)).status).toBe(200)
  })

  it.each([['agent'], ['environment'], ['organization']])('end in batches for the scope %s', async (scope) => {
    await server.owner.query(
      `with approval as (
         insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
           reason, request_hash, status, assigned_role, requested_at, expires_at)
         select $1, uuidv7(), $2, $3, 'mcp:a/b', '', $4, 1, '', '', '', 'pending', 'manager', now(), now() + interval '1 hour'
         from generate_series(1, 250) returning tenant_id, id, expires_at)
       insert into approval_deadlines (tenant_id, approval_id, expires_at) select * from approval`,
      [tenant.id, agent, tenant.development, policy.id],
    )
    const target = { agent: { agent_id: agent }, environment: { environment_id: tenant.development }, organization: {} }
    const { body } = await freeze({ scope, ...target[scope as keyof typeof target] })
    expect(body.approvals_ended).toBe(250)
    const left = await server.owner.query(
      `select (select count(*)::int from approvals where tenant_id = $1 and status = 'pending') as pending,
         (select count(*)::int from approval_deadlines where tenant_id = $1) as deadlines,
         (select count(*)::int from freeze_endings where tenant_id = $1) as endings`,
      [tenant.id],
    )
    expect(left.rows).toEqual([{ pending: 0, deadlines: 0, endings: 0 }])
  })

  it('that a request left are ended by the job, and cannot be granted meanwhile', async () => {
    const { body } = await freeze()
    const id = newId()
    await server.owner.query(
      `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
         reason, request_hash, status, assigned_role, requested_at, expires_at)
       values ($1, $2, $3, $4, 'mcp:files/delete', $5, $6, 1, $7, '', '', 'pending', 'manager', now(), now() + interval '1 hour')`,
      [tenant.id, id, agent, tenant.development, digest, policy.id, policy.hash],
    )
    await server.owner.query('insert into freeze_endings (tenant_id, freeze_id) values ($1, $2)', [tenant.id, body.id])
    expect(await approve(id)).toMatchObject({ status: 409, body: { error: expect.stringContaining('frozen') } })
    await server.owner.query(`update approvals set status = 'approved' where id = $1`, [id])
    expect(await consume(id)).toMatchObject({ status: 409, body: { error: expect.stringContaining('frozen') } })
    await endApprovalsOfFreezes(server.services, new Date().toISOString())
    expect(await statusOf(id)).toBe('expired')
    expect((await owner.get(`/freezes/${body.id}`)).body.approvals_ended).toBe(1)
  })

  it('are never granted or used after the commit of a freeze', async () => {
    for (let round = 0; round < 12; round++) {
      const scope = [
        { scope: 'organization' },
        { scope: 'environment', environment_id: tenant.development },
        { scope: 'agent', agent_id: agent },
      ]
      const [pending, approved] = [await requested(), await requested()]
      await approve(approved)
      const [frozen] = await Promise.all([freeze(scope[round % 3]), approve(pending), consume(approved), request()])
      expect(frozen.status).toBe(201)
      const open = await server.owner.query(
        `select count(*)::int as open from approvals where tenant_id = $1 and status in ('pending', 'approved')`,
        [tenant.id],
      )
      expect(open.rows).toEqual([{ open: 0 }])
      for (const id of [pending, approved]) {
        expect((await consume(id)).status).toBe(409)
        expect((await approve(id)).status).toBe(409)
      }
      expect((await owner.post(`/freezes/${frozen.body.id}/lift`, { reason: 'over' })).status).toBe(200)
    }
  })

  it('make a freeze wait for a use that began before, and a use that begins later wait for the freeze', async () => {
    const [one, two] = [await requested(), await requested()]
    await Promise.all([approve(one), approve(two)])
    const order: string[] = []
    const release = Promise.withResolvers<void>()
    const held = server.services.db.transaction(tenant.id, async (tx) => {
      await tx.query('select pg_advisory_xact_lock_shared(1296125771, hashtext($1))', [tenant.id])
      order.push('held')
      await release.promise
    })
    await expect.poll(() => order).toEqual(['held'])
    const freezing = freeze().then((answer) => {
      order.push('frozen')
      return answer
    })
    const waiting = async () => {
      const { rows } = await server.owner.query(
        `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and classid = 1296125771 and not granted`,
      )
      return rows[0].waiting
    }
    await expect.poll(waiting).toBeGreaterThanOrEqual(1)
    const using = consume(one)
    await expect.poll(waiting).toBeGreaterThanOrEqual(2)
    expect(order).toEqual(['held'])
    release.resolve()
    await held
    expect((await freezing).status).toBe(201)
    expect((await using).status).toBe(409)
  })
})
