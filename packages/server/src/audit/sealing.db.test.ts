import { setTimeout as pause } from 'node:timers/promises'
import { checkpointHolds, entryHash, nextChainHash } from '@mandate/policy/audit-chain'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Database } from '../db/database.ts'
import { createTenant } from '../testing/arrange.ts'
import { addEntry } from '../testing/arrange-audit.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { sealPending, sealTenant } from './seal-pending.ts'
import { findLastCheckpoint } from './seal-queries.ts'
import { startSealer } from './start-sealer.ts'
import { findSealed } from './verify-queries.ts'
import { verifyTrail } from './verify-trail.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const now = () => new Date().toISOString()
const rows = async (text: string, values: unknown[] = []) => (await server.owner.query(text, values)).rows
const count = async (table: string, tenantId: string) =>
  (await rows(`select count(*)::int as n from ${table} where tenant_id = $1`, [tenantId]))[0].n

async function trail(entries: number): Promise<string> {
  const { id } = await createTenant(server)
  for (let n = 0; n < entries; n++) await addEntry(server, id, 'tenant.updated', { details: { n } })
  return id
}

const seal = (tenantId: string) => sealTenant(server.services.db, server.services.signingKey, tenantId, now())
const verify = (tenantId: string) => verifyTrail(server.services.db, server.services.signingKey, tenantId, now())

describe('sealing', () => {
  it('gives each entry its place in id order, chains them, signs the head and empties the queue', async () => {
    const { signingKey, db } = server.services
    const id = await trail(3)
    expect(await count('audit_unsealed', id)).toBe(3)
    expect(await seal(id)).toBe(3)
    expect(await count('audit_unsealed', id)).toBe(0)
    const sealed = await findSealed(db.reader(id), 0, 10)
    expect(sealed.map(({ seq, entry }) => [seq, entry?.details.n])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ])
    let chain = '0'.repeat(64)
    for (const { seq, entry, entry_hash, chain_hash } of sealed) {
      expect(entry && entryHash(entry)).toBe(entry_hash)
      chain = nextChainHash(chain, seq, entry_hash)
      expect(chain_hash).toBe(chain)
    }
    const checkpoint = await findLastCheckpoint(db.reader(id))
    expect(checkpoint).toMatchObject({ tenant_id: id, seq: 3, chain_hash: chain, kid: signingKey.kid })
    expect(checkpoint && checkpointHolds(checkpoint, new Map([[signingKey.kid, signingKey.publicKeyPem]]))).toBe(true)
  })

  it('takes the tenants that wait, in batches, and a second pass finds nothing to do', async () => {
    const { db, signingKey } = server.services
    await sealPending(db, signingKey, now())
    const [one, two] = [await trail(2), await trail(1)]
    await server.owner.query(
      `with e as (insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email,
           resource_type, resource_name, details, request_id, ip, user_agent, created_at)
         select $1, gen_random_uuid(), 'edge', 'agent.updated', 'agent', 'system', '', '', 'agent', '', '{}', '', '', '', now()
         from generate_series(1, 1200) returning id)
       insert into audit_unsealed select $1, id from e`,
      [two],
    )
    const noneElse = { broken: [], failed: new Map(), goOnAfter: undefined }
    expect(await sealPending(db, signingKey, now())).toEqual({ entries: 1203, ...noneElse })
    expect(await sealPending(db, signingKey, now())).toEqual({ entries: 0, ...noneElse })
    expect(await count('audit_checkpoints', one)).toBe(1)
    expect(await count('audit_checkpoints', two)).toBe(3)
    expect(await verify(two)).toMatchObject({ valid: true, entries: 1201, head: { seq: 1201 } })
  })

  it('two instances sealing at once while entries are written: each sealed once, the chain unbroken', async () => {
    const { signingKey } = server.services
    const id = await trail(1)
    const url = (server.owner.options as { connectionString?: string }).connectionString as string
    const instances = [new Database({ url }), new Database({ url }), new Database({ url })]
    let writing = true
    const sealers = instances.map(async (db) => {
      while (writing) await sealTenant(db, signingKey, id, now())
    })
    await Promise.all(Array.from({ length: 60 }, () => addEntry(server, id, 'tenant.updated')))
    writing = false
    await Promise.all(sealers)
    await seal(id)
    await Promise.all(instances.map((db) => db.close()))
    expect(await verify(id)).toMatchObject({ valid: true, entries: 61 })
    expect(await count('audit_seals', id)).toBe(61)
    expect(await count('audit_unsealed', id)).toBe(0)
  })

  it('an entry that is put on the queue again is not sealed twice and stops nothing', async () => {
    const id = await trail(1)
    await seal(id)
    await server.owner.query(
      'insert into audit_unsealed select tenant_id, id from audit_entries where tenant_id = $1',
      [id],
    )
    await addEntry(server, id, 'tenant.updated')
    expect(await verify(id)).toMatchObject({ valid: true, entries: 2 })
  })

  it('comes to every tenant, though more than it takes at once wait before it all the time', async () => {
    const stuck = [await trail(1), await trail(1)]
    for (const id of stuck) {
      await seal(id)
      await server.owner.query('update audit_heads set seq = 2 where tenant_id = $1', [id])
      await addEntry(server, id, 'tenant.updated')
    }
    const last = await trail(1)
    const sealer = startSealer(server.services, { everyMs: 1, tenantsAtOnce: 2 })
    await vi.waitFor(async () => expect(await count('audit_unsealed', last)).toBe(0))
    await addEntry(server, last, 'tenant.updated')
    await vi.waitFor(async () => expect(await count('audit_unsealed', last)).toBe(0))
    await sealer.close()
    for (const id of stuck) expect(await count('audit_unsealed', id)).toBe(1)
    await server.owner.query('delete from audit_unsealed where tenant_id = any ($1)', [stuck])
  })

  it('nothing is signed on top of a chain that was rewritten; another tenant is sealed all the same', async () => {
    const { db, signingKey } = server.services
    const [broken, whole] = [await trail(2), await trail(1)]
    await seal(broken)
    await server.owner.query(
      "update audit_heads set chain_hash = decode(repeat('ab', 32), 'hex') where tenant_id = $1",
      [broken],
    )
    await addEntry(server, broken, 'tenant.updated')
    const { entries, broken: found } = await sealPending(db, signingKey, now())
    expect(found.map(({ tenantId }) => tenantId)).toEqual([broken])
    expect(entries).toBeGreaterThanOrEqual(1)
    expect(await count('audit_unsealed', broken)).toBe(1)
    expect(await count('audit_unsealed', whole)).toBe(0)
    expect(await verify(broken)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed' } })
    await server.owner.query('delete from audit_unsealed where tenant_id = $1', [broken])
  })

  it('a seal put in ahead stops its tenant alone, and is found', async () => {
    const { db, signingKey } = server.services
    const [broken, whole] = [await trail(1), await trail(1)]
    await seal(broken)
    await server.owner.query(
      `insert into audit_seals select tenant_id, 2, gen_random_uuid(), entry_hash, chain_hash, sealed_at
       from audit_seals where tenant_id = $1`,
      [broken],
    )
    await addEntry(server, broken, 'tenant.updated')
    const { broken: found } = await sealPending(db, signingKey, now())
    expect(found.map(({ tenantId }) => tenantId)).toEqual([broken])
    expect(await count('audit_unsealed', whole)).toBe(0)
    expect(await verify(broken)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed', seq: 1 } })
    await server.owner.query('delete from audit_unsealed where tenant_id = $1', [broken])
  })

  it('the sealer seals by itself until it is closed, and closing lets the pass in hand finish', async () => {
    const sealer = startSealer(server.services, { everyMs: 20 })
    const id = await trail(1)
    for (let tries = 0; (await count('audit_unsealed', id)) > 0; tries++) {
      expect(tries).toBeLessThan(100)
      await pause(20)
    }
    await sealer.close()
    await addEntry(server, id, 'tenant.updated')
    await pause(100)
    expect(await count('audit_unsealed', id)).toBe(1)
    expect(await count('audit_seals', id)).toBe(1)
  })
})
