import { AuditProof } from '@mandate/contract/audit/audit'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import { addKey, addPerson, createTenant, giveEnvironment } from '../../testing/arrange.ts'
import { addEntry, sealAll } from '../../testing/arrange-audit.ts'
import { costOf } from '../../testing/statement-cost.ts'
import { useOwnServer } from '../../testing/use-test-server.ts'
import { getProof } from './get-proof.ts'
import { enqueueVerification, findLastVerification, leaseNext, release } from './verification-queries.ts'
import { queueAllTrails, verifyTrails } from './verify-trails.ts'

const server = useOwnServer()
const hourMs = 3_600_000
const hoursAgo = (hours: number) => new Date(Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs).toISOString()

describe('GET /audit/proof', () => {
  it('200: an empty trail has no head and 24 hours without entries', async () => {
    const { owner } = await createTenant(server)
    const { status, body } = await owner.api.get('/audit/proof')
    expect(status).toBe(200)
    expect(AuditProof.parse(body)).toEqual(body)
    expect(body).toMatchObject({ entries: 0, first_at: null, head: null, sealed_through: null, waiting: 0 })
    expect(body.last_verification).toBeNull()
    expect(body.hours).toHaveLength(24)
    expect(body.hours.at(-1)).toEqual({ start: hoursAgo(0), entries: 0, sealed: 0 })
  })

  it('counts entries by the hour in which they were written, and tells sealed entries from waiting ones', async () => {
    const { id, owner } = await createTenant(server)
    for (const hours of [30, 3, 3, 2, 0]) await addEntry(server, id, 'tenant.updated', {}, { now: hoursAgo(hours) })
    await sealAll(server, id)
    const sealed = (await owner.api.get('/audit/proof')).body
    expect(sealed).toMatchObject({ entries: 5, waiting: 0, first_at: hoursAgo(30), head: { seq: 5 } })
    expect(sealed.hours.slice(-4)).toEqual([
      { start: hoursAgo(3), entries: 2, sealed: 2 },
      { start: hoursAgo(2), entries: 1, sealed: 1 },
      { start: hoursAgo(1), entries: 0, sealed: 0 },
      { start: hoursAgo(0), entries: 1, sealed: 1 },
    ])
    expect(
      sealed.hours.map(({ entries }: { entries: number }) => entries).reduce((a: number, b: number) => a + b),
    ).toBe(4)
    await addEntry(server, id, 'tenant.updated', {}, { now: hoursAgo(1) })
    const waiting = (await owner.api.get('/audit/proof')).body
    expect(waiting).toMatchObject({ entries: 6, waiting: 1, head: sealed.head, sealed_through: hoursAgo(1) })
    expect(waiting.hours.at(-2)).toEqual({ start: hoursAgo(1), entries: 1, sealed: 0 })
  })

  it('403 for a member and a viewer; a scoped manager and a bound key see the proof, as they may verify', async () => {
    const { id, owner, development } = await createTenant(server)
    const member = await addPerson(server, id)
    const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    const bound = await addKey(server, id, owner, { environmentId: development })
    expect((await member.api.get('/audit/proof')).status).toBe(403)
    expect((await member.api.post('/audit/verifications', {})).status).toBe(403)
    for (const { api } of [scoped, bound]) {
      expect((await api.get('/audit/verify')).status).toBe(200)
      expect((await api.get('/audit/proof')).status).toBe(200)
      expect((await api.post('/audit/verifications', {})).status).toBe(202)
    }
  })

  it('the cost of the proof does not depend on the length of the trail', async () => {
    const costs: number[] = []
    for (const count of [5000, 100_000]) {
      const { id } = await createTenant(server)
      await server.owner.query(insertSealed, [id, count])
      await server.owner.query('vacuum analyze audit_entries, audit_seals')
      const now = new Date().toISOString()
      const proof = await getProof({ sql: server.services.db.reader(id), now })
      expect(proof).toMatchObject({ entries: count, head: { seq: count } })
      // One entry a second: every full hour has 3,600 entries.
      expect(proof.hours.at(-2)).toMatchObject({ sealed: count > 7200 ? 3600 : expect.any(Number) })
      const { buffers, plans } = await costOf(server, id, (sql) => getProof({ sql, now }), 'generic')
      expect(buffers, JSON.stringify(plans)).toBeLessThan(25_000)
      costs.push(buffers)
    }
    expect(costs[1]).toBeLessThan(costs[0]! * 1.5)
  }, 60_000)
})

// One entry a second, the newest one now.
const insertSealed = `
  with e as (
    insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email, resource_type,
      resource_name, details, request_id, ip, user_agent, created_at)
    select $1::uuid, (lpad(to_hex(t.ms), 12, '0') || '7' || right($1::text, 3) || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
      'control_plane', 'agent.updated', 'agent', 'system', '', '', 'agent', '', '{}', '', '', '', to_timestamp(t.ms / 1000.0)
    from generate_series(1, $2::int) n
    cross join lateral (select (extract(epoch from now())::bigint - ($2::int - n)) * 1000 as ms) t
    returning id
  ), s as (
    insert into audit_seals (tenant_id, seq, entry_id, entry_hash, chain_hash, sealed_at)
    select $1::uuid, row_number() over (order by id), id, sha256('e'), sha256('c'), now() from e
  )
  insert into audit_heads (tenant_id, seq, chain_hash) values ($1::uuid, $2::int, sha256('c'))`

describe('POST /audit/verifications', () => {
  it('202; the job stores the result with the person who asked, and a second request meanwhile starts no other run', async () => {
    const { id } = await createTenant(server)
    const manager = await addPerson(server, id, { role: 'manager', displayName: 'Mel' })
    await addEntry(server, id, 'tenant.created')
    const jobs = async () =>
      (await server.owner.query('select count(*)::int as n from audit_verification_queue where tenant_id = $1', [id]))
        .rows[0].n
    const answers = await Promise.all([1, 2, 3].map(() => manager.api.post('/audit/verifications', {})))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(await jobs()).toBe(1)
    await verifyTrails(server.services)
    expect(await jobs()).toBe(0)
    const { last_verification } = (await manager.api.get('/audit/proof')).body
    expect(last_verification).toEqual({
      at: expect.any(String),
      valid: true,
      entries: 1,
      took_ms: expect.any(Number),
      by: { user_id: manager.id, name: 'Mel' },
    })
  })

  it('an invalid trail gives an invalid result', async () => {
    const { id, owner } = await createTenant(server)
    await addEntry(server, id, 'tenant.created')
    await sealAll(server, id)
    await server.owner.query(`update audit_entries set event_type = 'tenant.updated' where tenant_id = $1`, [id])
    await owner.api.post('/audit/verifications', {})
    await verifyTrails(server.services)
    expect((await owner.api.get('/audit/proof')).body.last_verification).toMatchObject({ valid: false, entries: 0 })
  })

  it('the daily job verifies every trail, in the name of nobody', async () => {
    const tenants = [await createTenant(server), await createTenant(server)]
    for (const { id } of tenants) await addEntry(server, id, 'tenant.created')
    await queueAllTrails(server.services, new Date().toISOString())
    await verifyTrails(server.services)
    for (const { owner } of tenants)
      expect((await owner.api.get('/audit/proof')).body.last_verification).toMatchObject({ valid: true, by: null })
  })

  it('a process that lost its lease stores nothing; another process takes over', async () => {
    const { id, owner } = await createTenant(server)
    const { db } = server.services
    await db.transaction(id, (tx) => enqueueVerification(tx, owner.id, new Date().toISOString()))
    await server.owner.query('update audit_verification_queue set leased_until = $2 where tenant_id <> $1', [
      id,
      '2100-01-01',
    ])
    const first = (await db.transaction(id, (tx) => leaseNext(tx, 60)))!
    expect(first).toMatchObject({ tenant_id: id, attempts: 1 })
    expect(await db.transaction(id, (tx) => leaseNext(tx, 60))).toBeUndefined()
    await server.owner.query(
      `update audit_verification_queue set leased_until = now() - interval '1 second' where tenant_id = $1`,
      [id],
    )
    const second = (await db.transaction(id, (tx) => leaseNext(tx, 60)))!
    expect(second.attempts).toBe(2)
    expect(await db.transaction(id, (tx) => release(tx, first))).toBe(false)
    expect(await db.transaction(id, (tx) => release(tx, second))).toBe(true)
    expect(await findLastVerification(db.reader(id))).toBeUndefined()
  })

  it('a verification in progress does not keep an organization from being deleted', async () => {
    const { id, name, owner } = await createTenant(server)
    await owner.api.post('/audit/verifications', {})
    expect((await owner.api.delete(`/tenants/${id}`, { confirm: name })).status).toBe(204)
    await verifyTrails(server.services)
    const { rows } = await server.owner.query(
      'select tenant_id from audit_verification_queue where tenant_id = $1 union all select tenant_id from audit_verifications where tenant_id = $1',
      [id],
    )
    expect(rows).toEqual([])
  })
})

describe('entries of GET /audit', () => {
  it('have their place in the chain for callers who may verify, once they are sealed', async () => {
    const { id, owner, development } = await createTenant(server)
    const agentId = newId()
    await addEntry(server, id, 'agent.updated', { agentId })
    await addEntry(server, id, 'agent.updated', { agentId })
    await sealAll(server, id)
    const { head } = (await owner.api.get('/audit/proof')).body
    const member = await addPerson(server, id)
    await giveEnvironment(server, id, member.id, development)
    const [second, first] = (await owner.api.get('/audit')).body.data
    expect(second).toMatchObject({ seq: 2, hash: head.chain_hash, previous_hash: first.hash })
    expect(first).toMatchObject({ seq: 1, previous_hash: '0'.repeat(64) })
    await addEntry(server, id, 'agent.updated', { agentId })
    const [waiting] = (await owner.api.get('/audit?limit=1')).body.data
    expect(waiting).not.toHaveProperty('seq')
    const seen = (await member.api.get('/audit')).body.data
    expect(seen).toHaveLength(3)
    for (const entry of seen)
      for (const field of ['seq', 'hash', 'previous_hash']) expect(entry).not.toHaveProperty(field)
  })

  it('event_type takes a prefix and a star, and pages through all of its types', async () => {
    const { id, owner } = await createTenant(server)
    const events = [
      'user.invited',
      'user.joined',
      'agent.updated',
      'user.invitation.revoked',
      'tenant.updated',
    ] as const
    for (let n = 0; n < 4; n++) for (const event of events) await addEntry(server, id, event, { details: { n } })
    const all = (await owner.api.get('/audit?limit=200')).body.data
    const wanted = all.filter(({ event_type }: { event_type: string }) => event_type.startsWith('user.'))
    expect(wanted).toHaveLength(12)
    expect((await owner.api.get('/audit?event_type=user.*')).body).toEqual({ data: wanted })
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await owner.api.get(`/audit?event_type=user.*&limit=5${cursor}`)
      paged.push(...body.data)
      if (body.next_cursor === undefined) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(paged).toEqual(wanted)
    const count = async (query: string) => (await owner.api.get(`/audit?${query}`)).body.data.length
    expect(await count('event_type=user.invitation.*')).toBe(4)
    expect(await count('event_type=nothing.*')).toBe(0)
    expect(await count('event_type=user*')).toBe(0)
    expect(await count('event_type=user.*&source=edge')).toBe(0)
    expect(await count(`event_type=user.*&resource_type=user&limit=200`)).toBe(12)
    expect(await count(`event_type=user.*&resource_id=${wanted[0].resource.id}`)).toBe(1)
    const exported = String((await owner.api.get('/audit/export?event_type=user.*')).body)
    expect(exported.split('\n').filter((line) => line.includes('"event_type":"user.'))).toHaveLength(12)
  })
})
