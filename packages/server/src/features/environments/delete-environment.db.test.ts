import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { digest, newCredential, publicPrefix } from '../../security/credentials.ts'
import {
  addAgent,
  addKey,
  addPerson,
  auditEntries,
  createTenant,
  giveEnvironment,
  type TestPerson,
  type TestTenant,
} from '../../testing/arrange.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'

const server = useOwnServer()
let tenant: TestTenant

beforeEach(async () => {
  tenant = await createTenant(server)
})

const past = '2020-01-01T00:00:00Z'
const remove = (caller: Pick<TestPerson, 'api'>, id: string) => caller.api.delete(`/environments/${id}`)
const preview = (caller: Pick<TestPerson, 'api'>, id: string) => caller.api.get(`/environments/${id}/deletion-preview`)
const rows = async (text: string, ...values: unknown[]) => (await server.owner.query(text, values)).rows

async function addReport(environmentId: string | null, deletedAt: string | null = null): Promise<string> {
  const id = newId()
  await rows(
    `insert into reports (tenant_id, id, environment_id, title, snapshot, created_at, deleted_at)
     values ($1, $2, $3, 'Report', '{"agents": 1}', now(), $4)`,
    tenant.id,
    id,
    environmentId,
    deletedAt,
  )
  return id
}

async function addLink(
  reportId: string,
  { expiresAt = null as string | null, revokedAt = null as string | null } = {},
) {
  await rows(
    `insert into report_share_links (tenant_id, id, report_id, token_hash, created_at, expires_at, revoked_at)
     values ($1, $2, $3, '\\x00', now(), $4, $5)`,
    tenant.id,
    newId(),
    reportId,
    expiresAt,
    revokedAt,
  )
}

async function addPolicy(environmentId: string) {
  await rows(
    `insert into policies (tenant_id, id, name, environment_id, version, content_hash, created_at, updated_at)
     values ($1, $2, 'Policy', $3, 1, '', now(), now())`,
    tenant.id,
    newId(),
    environmentId,
  )
}

async function addEdge(environmentId: string, revokedAt: string | null = null): Promise<string> {
  const id = newId()
  const key = newCredential('ek')
  await rows(
    `insert into edges (tenant_id, id, name, environment_id, key_hash, key_prefix, created_at, revoked_at)
     values ($1, $2, 'Edge', $3, $4, $5, now(), $6)`,
    tenant.id,
    id,
    environmentId,
    digest(key),
    publicPrefix(key),
    revokedAt,
  )
  await rows(
    `insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'edge', $2, $3)`,
    digest(key),
    tenant.id,
    id,
  )
  return id
}

/**
 * Adds two listed reports, one report that was removed from the list, and one report of another environment. Two of their four
 * share links are active.
 */
async function addReports() {
  const [first] = [await addReport(tenant.development), await addReport(tenant.development)]
  const deleted = await addReport(tenant.development, past)
  await addLink(first)
  await addLink(first, { expiresAt: past })
  await addLink(first, { revokedAt: past })
  await addLink(deleted, { expiresAt: '2999-01-01T00:00:00Z' })
  await addLink(await addReport(tenant.production))
  return { reports_kept: 3, live_share_links: 2, reports_listed: 2 }
}

describe('who may delete an environment and preview the deletion', () => {
  const both = [
    ['DELETE', remove],
    ['deletion preview', preview],
  ] as const

  it.each(both)('%s: 403 for a caller who is not an owner', async (_name, call) => {
    for (const role of ['viewer', 'member', 'manager'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      expect((await call(person, tenant.development)).status).toBe(403)
    }
  })

  it.each(both)('%s: 403 for an owner’s environment-bound key, even for its own environment', async (_name, call) => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    for (const id of [tenant.development, tenant.production, newId()]) {
      expect(await call(bound, id)).toMatchObject({
        status: 403,
        body: { error: 'an API key bound to an environment cannot take an action reserved for owners' },
      })
    }
  })

  it.each(both)(
    '%s: 404 for an environment that a scoped user has no access to, 403 with access',
    async (_name, call) => {
      const scoped = await addPerson(server, tenant.id, { role: 'manager', accessScope: 'scoped' })
      expect((await call(scoped, tenant.development)).status).toBe(404)
      await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
      expect((await call(scoped, tenant.development)).status).toBe(403)
    },
  )

  it.each(both)(
    '%s: 404 for an environment of another organization, 400 for production and for an id that is not a UUID',
    async (_name, call) => {
      const other = await createTenant(server)
      expect((await call(tenant.owner, other.development)).status).toBe(404)
      expect((await call(tenant.owner, newId())).status).toBe(404)
      expect(await call(tenant.owner, tenant.production)).toMatchObject({
        status: 400,
        body: { error: 'a production environment cannot be deleted' },
      })
      expect((await call(tenant.owner, 'x')).status).toBe(400)
    },
  )

  it('an owner’s tenant-wide key may do both', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    expect((await preview(key, tenant.development)).status).toBe(200)
    expect((await remove(key, tenant.development)).status).toBe(204)
  })
})

describe('GET /environments/{environment_id}/deletion-preview', () => {
  it('200 with the counts of what is kept, active and listed; reading changes nothing', async () => {
    expect((await preview(tenant.owner, tenant.development)).body).toEqual({
      reports_kept: 0,
      live_share_links: 0,
      reports_listed: 0,
      api_keys: 0,
      agents: 0,
    })
    const counts = await addReports()
    expect(await preview(tenant.owner, tenant.development)).toMatchObject({ status: 200, body: counts })
    expect((await preview(tenant.owner, tenant.development)).body).toEqual({ ...counts, api_keys: 0, agents: 0 })
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('counts the same as the audit entry of the deletion', async () => {
    const counts = await addReports()
    const previewed = (await preview(tenant.owner, tenant.development)).body
    await remove(tenant.owner, tenant.development)
    const [entry] = await auditEntries(server, tenant.id)
    expect(entry).toMatchObject({
      event_type: 'environment.deleted',
      resource_id: tenant.development,
      resource_name: 'Development',
      details: { ...counts, slug: 'development' },
    })
    expect(previewed).toEqual({ ...counts, api_keys: 0, agents: 0 })
  })

  it('counts the keys that the deletion revokes, and the agents that prevent it', async () => {
    const environmentId = tenant.development
    for (const expiresAt of [null, '2020-01-01T00:00:00.000Z'])
      await addKey(server, tenant.id, tenant.owner, { environmentId, expiresAt })
    const revoked = await addKey(server, tenant.id, tenant.owner, { environmentId })
    await rows('update api_keys set revoked_at = now() where id = $1', revoked.id)
    await addKey(server, tenant.id, tenant.owner)
    await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    await addAgent(server, tenant.id, { environmentId })
    await addAgent(server, tenant.id, { environmentId, status: 'archived' })
    expect((await preview(tenant.owner, environmentId)).body).toMatchObject({ api_keys: 2, agents: 1 })
    await rows(`update agents set status = 'archived' where tenant_id = $1`, tenant.id)
    await remove(tenant.owner, environmentId)
    const [entry] = (await auditEntries(server, tenant.id)).filter((one) => one.event_type === 'environment.deleted')
    expect(entry?.details).toMatchObject({ keys_revoked: 2 })
  })
})

describe('DELETE /environments/{environment_id}', () => {
  it('204; then the environment is 404', async () => {
    expect(await remove(tenant.owner, tenant.development)).toMatchObject({ status: 204, body: undefined })
    expect((await remove(tenant.owner, tenant.development)).status).toBe(404)
    expect((await tenant.owner.api.get('/environments')).body.total).toBe(1)
  })

  it('409 with the number of active agents in it; archived agents do not count and lose the environment', async () => {
    const environmentId = tenant.development
    const archived = await addAgent(server, tenant.id, { environmentId, status: 'archived' })
    const live = [
      await addAgent(server, tenant.id, { environmentId, status: 'suspended' }),
      await addAgent(server, tenant.id, { environmentId }),
    ]
    expect(await remove(tenant.owner, environmentId)).toMatchObject({
      status: 409,
      body: { error: 'the environment still has 2 live agents; archive all its agents first' },
    })
    expect(await auditEntries(server, tenant.id)).toEqual([])
    await rows(`update agents set status = 'archived' where id = any ($1)`, live)
    expect((await remove(tenant.owner, environmentId)).status).toBe(204)
    const [agent] = await rows('select environment_id from agents where id = $1', archived)
    expect(agent.environment_id).toBeNull()
  })

  describe('the findings, reviews and approvals of its archived agents', () => {
    const tables = ['findings', 'reviews', 'approvals'] as const
    const kept = async (table: string, environmentId: string) => {
      const text = `select count(*)::int as kept from ${table} where tenant_id = $1 and environment_id = $2`
      return (await rows(text, tenant.id, environmentId))[0].kept
    }

    async function addRecords(environmentId: string, counts: [number, number, number]): Promise<string> {
      const id = await addAgent(server, tenant.id, { environmentId, status: 'archived' })
      const [findings, reviews, approvals] = counts
      const of = 'from agents cross join generate_series(1, $3) where tenant_id = $1 and id = $2'
      await rows(
        `insert into findings (tenant_id, id, agent_id, environment_id, type, severity, status, evidence, remediation, opened_at)
         select tenant_id, uuidv7(), id, environment_id, 'coverage_gap', 'high', 'closed', '{}', '', now() ${of}`,
        tenant.id,
        id,
        findings,
      )
      await rows(
        `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, opened_at)
         select tenant_id, uuidv7(), id, environment_id, 'change', 'approved', 'manager', now() ${of}`,
        tenant.id,
        id,
        reviews,
      )
      await rows(
        `insert into approvals (tenant_id, id, agent_id, environment_id, tool, args_digest, policy_id, policy_version,
           policy_hash, reason, request_hash, status, assigned_role, requested_at, expires_at)
         select tenant_id, uuidv7(), id, environment_id, 'mcp:a/b', '', id, 1, '', '', '', 'pending', 'manager', now(),
           now() + interval '1 hour' ${of}`,
        tenant.id,
        id,
        approvals,
      )
      return id
    }

    it('lose the environment; those of other environments keep theirs', async () => {
      await addRecords(tenant.development, [3, 3, 3])
      await addRecords(tenant.production, [2, 2, 2])
      expect((await remove(tenant.owner, tenant.development)).status).toBe(204)
      for (const table of tables) {
        expect(await kept(table, tenant.development), table).toBe(0)
        expect(await kept(table, tenant.production), table).toBe(2)
      }
    })

    it('keep the id of the environment beyond 10,000 of a table, and no key lists them', async () => {
      const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
      await addRecords(tenant.development, [10_003, 1, 1])
      expect((await key.api.get('/findings')).body.total).toBe(10_000)
      expect((await remove(tenant.owner, tenant.development)).status).toBe(204)
      expect(await kept('findings', tenant.development)).toBe(3)
      expect((await key.api.get('/findings')).status).toBe(401)
      const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
      expect((await elsewhere.api.get('/findings')).body).toMatchObject({ data: [], total: 0 })
    })

    it('do not make the deletion wait while another transaction has locked an approval', async () => {
      await addRecords(tenant.development, [1, 1, 2])
      const [{ id }] = await rows('select id from approvals where tenant_id = $1 order by id limit 1', tenant.id)
      await server.services.db.transaction(tenant.id, async (tx) => {
        await tx.query('select from approvals where tenant_id = $1 and id = $2 for update', [tenant.id, id])
        expect((await remove(tenant.owner, tenant.development)).status).toBe(204)
      })
      expect(await kept('approvals', tenant.development)).toBe(1)
    })
  })

  it('409 with the number of policies bound to it; nothing is written', async () => {
    await addPolicy(tenant.development)
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect(await remove(tenant.owner, tenant.development)).toMatchObject({
      status: 409,
      body: { error: 'the environment still has 1 policy; move or delete its policies first' },
    })
    expect((await key.api.get('/environments')).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('keeps its reports as reports of the organization, with evidence and share links', async () => {
    await addReports()
    const links = await rows('select id from report_share_links where tenant_id = $1 order by id', tenant.id)
    await remove(tenant.owner, tenant.development)
    const kept = await rows('select environment_id, snapshot from reports where tenant_id = $1', tenant.id)
    expect(kept.filter((report) => report.environment_id === null)).toHaveLength(3)
    expect(kept.filter((report) => report.environment_id === tenant.production)).toHaveLength(1)
    expect(kept.every((report) => report.snapshot.agents === 1)).toBe(true)
    expect(await rows('select id from report_share_links where tenant_id = $1 order by id', tenant.id)).toEqual(links)
  })

  it('revokes the keys bound to it, each with an entry; other keys keep working', async () => {
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const revoked = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    await tenant.owner.api.delete(`/api-keys/${revoked.id}`)
    const wide = await addKey(server, tenant.id, tenant.owner)
    const elsewhere = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.production })
    await remove(tenant.owner, tenant.development)
    expect(await bound.api.get('/tenants')).toMatchObject({
      status: 401,
      body: { error: 'invalid API key', code: 401 },
    })
    for (const key of [wide, elsewhere]) expect((await key.api.get('/tenants')).status).toBe(200)
    const entries = (await auditEntries(server, tenant.id)).filter((entry) => entry.resource_id === bound.id)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      event_type: 'api_key.revoked',
      details: { key_prefix: bound.raw.slice(0, 8), name: 'test key', because: 'environment_deleted' },
    })
    const list = (await tenant.owner.api.get('/api-keys')).body.data
    const shown = list.find(({ id }: { id: string }) => id === bound.id)
    expect(shown).toMatchObject({ environment_id: tenant.development, revoked_at: expect.stringMatching(/Z$/) })
  })

  it('revokes its edges and their credentials, and removes the access entries', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    await giveEnvironment(server, tenant.id, scoped.id, tenant.development)
    const [live, dead] = [await addEdge(tenant.development), await addEdge(tenant.development, past)]
    const elsewhere = await addEdge(tenant.production)
    await remove(tenant.owner, tenant.development)
    const lookups = await rows(`select id from credential_lookup where kind = 'edge' and id = any ($1)`, [
      live,
      dead,
      elsewhere,
    ])
    expect(lookups).toEqual([{ id: elsewhere }])
    const events = (await auditEntries(server, tenant.id)).filter((entry) => entry.event_type === 'edge.revoked')
    expect(events).toMatchObject([
      { resource_id: live, details: { environment_id: tenant.development, because: 'environment_deleted' } },
    ])
    expect(await rows('select id from environment_access where tenant_id = $1', tenant.id)).toEqual([])
  })

  it('a key that is created or bound during the deletion is never active in the environment', async () => {
    for (let round = 0; round < 8; round++) {
      const slug = `race-${round}`
      const { id } = (await tenant.owner.api.post('/environments', { name: slug, slug })).body
      const wide = await addKey(server, tenant.id, tenant.owner)
      const [created, bound, removed] = await Promise.all([
        tenant.owner.api.post('/api-keys', { name: 'race', environment_id: id }),
        tenant.owner.api.patch(`/api-keys/${wide.id}/environment`, { environment_id: id }),
        remove(tenant.owner, id),
      ])
      expect(removed.status).toBe(204)
      expect([201, 404]).toContain(created.status)
      expect([200, 404]).toContain(bound.status)
      const alive = await rows('select id from api_keys where environment_id = $1 and revoked_at is null', id)
      expect(alive).toEqual([])
    }
  })

  it('of five concurrent deletions one is 204 and the others are 404; one entry is written', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(tenant.owner, tenant.development)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
    expect(await auditEntries(server, tenant.id)).toHaveLength(1)
  })
})
