import { beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '../authz/actor.ts'
import { makeCtx } from '../caller/ctx.ts'
import { newId } from '../db/ids/new-id.ts'
import { actorOf, addAgent, addPerson, createTenant, grantAgent, type TestTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { countMine as countApprovals } from './approvals/list/count-mine.ts'
import { countOpenFindings } from './findings/list/count-open.ts'
import { countMine as countReviews } from './reviews/count-mine.ts'

const server = useOwnServer()
let tenant: TestTenant
let owner: Member
let scoped: Member
let key: Member

beforeAll(async () => {
  tenant = await createTenant(server)
  owner = actorOf(tenant)
  const manager = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
  scoped = { ...owner, userId: manager.id, role: 'manager', accessScope: 'scoped' }
  key = {
    ...owner,
    kind: 'api_key',
    key: { id: newId(), prefix: '', name: '', scopes: [], environmentId: tenant.development },
  }
  const production = await addAgent(server, tenant.id, { environmentId: tenant.production })
  const development = await addAgent(server, tenant.id, { environmentId: tenant.development })
  await grantAgent(server, tenant.id, manager.id, development)
  for (const [agentId, environmentId, role] of [
    [production, tenant.production, 'owner'],
    [development, tenant.development, 'manager'],
  ]) {
    await server.owner.query(
      `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version, policy_hash,
         reason, request_hash, status, assigned_role, requested_at, expires_at)
       select $1, gen_random_uuid(), $2, $3, 'mcp:files/write', '', gen_random_uuid(), 1, '', '', '', 'pending', $4, now(),
         now() + interval '1 hour' from generate_series(1, $5::int)`,
      [tenant.id, agentId, environmentId, role, role === 'owner' ? 2 : 1200],
    )
    await server.owner.query(
      `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at)
       values ($1, gen_random_uuid(), $2, $3, 'change', 'pending', $4, now())`,
      [tenant.id, agentId, environmentId, role],
    )
    await server.owner.query(
      `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
       select $1, gen_random_uuid(), $2, $3, type, 'low', status, '{}', '', now()
       from (values ('coverage_gap', 'open'), ('coverage_gap', 'closed'), ('evidence_stale', $4)) x (type, status)`,
      [tenant.id, agentId, environmentId, role === 'owner' ? 'open' : 'closed'],
    )
  }
})

const counted = async (actor: Member) => {
  const ctx = makeCtx(server.services, actor, { id: 'count', ip: '', userAgent: '' })
  return [await countApprovals(ctx), await countReviews(ctx), await countOpenFindings(ctx)]
}

describe('counts for the overview', () => {
  it('stop at 1,000 for an owner, and count the rows of both roles', async () => {
    expect(await counted(owner)).toEqual([1000, 2, { coverage_gap: 2, evidence_stale: 1 }])
  })

  it('count what a scoped manager sees', async () => {
    expect(await counted(scoped)).toEqual([1000, 1, { coverage_gap: 1 }])
  })

  it('count what a bound key sees, which never has the authority of an owner', async () => {
    expect(await counted(key)).toEqual([1000, 1, { coverage_gap: 1 }])
    const elsewhere = { ...key, key: { ...key.key!, environmentId: tenant.production } }
    expect(await counted(elsewhere)).toEqual([0, 0, { coverage_gap: 1, evidence_stale: 1 }])
  })

  it('are 0 for a member and for a key that may only read', async () => {
    expect((await counted({ ...owner, role: 'member' })).slice(0, 2)).toEqual([0, 0])
    expect((await counted({ ...key, key: { ...key.key!, scopes: ['*:read'] } })).slice(0, 2)).toEqual([0, 0])
  })
})
