import { setTimeout as pause } from 'node:timers/promises'
import { checkpointHolds, entryHash, nextChainHash } from '@mandate/proofs/audit-chain'
import { describe, expect, it, vi } from 'vitest'
import { Database } from '../db/database.ts'
import { createTenant } from '../testing/arrange.ts'
import { addEntry, fillTrail } from '../testing/arrange-audit.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { sealPending, sealTenant } from './seal-pending.ts'
import { findLastCheckpoint } from './seal-queries.ts'
import { startSealer } from './start-sealer.ts'
import { findSealed } from './verify-queries.ts'
import { verifyTrail } from './verify-trail.ts'

const server = useOwnServer()

const now = () => new Date().toISOString()
const rows = async (text: string, values: unknown[] = []) => (await server.owner.query(text, values)).rows
const count = async (table: string, tenantId: string) =>
  (await rows(`select count(*)::int as n from ${table} where tenant_id = $1`, [tenantId]))[0].n

async function trail(entries: number): Promise<string> {
  const { id } = await createTenant(server)
  for (let n = 0; n < entries; n++) {
    await addEntry(server, id, n === 0 ? 'tenant.created' : 'tenant.updated', { details: { n } })
  }
  return id
}

const seal = (tenantId: string) => sealTenant(server.services.db, server.services, tenantId, now())
const verify = (tenantId: string) => verifyTrail(server.services, tenantId, now())

describe('sealing', () => {
  it('numbers the entries in id order, chains them, signs the head and empties the queue', async () => {
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

  it('seals one batch of each tenant in a pass, so that a long backlog delays no other tenant by more than a batch', async () => {
    const { db } = server.services
    await sealPending(db, server.services, now())
    const [one, two, three] = [await trail(2), await trail(1), await trail(3)]
    await fillTrail(server, two, { entries: 1200 })
    const clean = { refused: new Map(), broken: [], failed: new Map(), goOnAfter: undefined }
    expect(await sealPending(db, server.services, now())).toEqual({ entries: 505, hasMore: true, ...clean })
    expect([await count('audit_unsealed', one), await count('audit_unsealed', three)]).toEqual([0, 0])
    expect(await sealPending(db, server.services, now())).toEqual({ entries: 500, hasMore: true, ...clean })
    expect(await sealPending(db, server.services, now())).toEqual({ entries: 201, hasMore: false, ...clean })
    expect(await sealPending(db, server.services, now())).toEqual({ entries: 0, hasMore: false, ...clean })
    expect(await count('audit_checkpoints', one)).toBe(1)
    expect(await count('audit_checkpoints', two)).toBe(3)
    expect(await verify(two)).toMatchObject({ valid: true, entries: 1201, head: { seq: 1201 }, pending: 0 })
  })

  it('verifying seals one batch and says how many entries still wait', async () => {
    const id = await trail(1)
    await fillTrail(server, id, { entries: 1200 })
    expect(await verify(id)).toMatchObject({ valid: true, entries: 500, head: { seq: 500 }, pending: 701 })
    expect(await verify(id)).toMatchObject({ valid: true, entries: 1000, pending: 201 })
    expect(await verify(id)).toMatchObject({ valid: true, entries: 1201, pending: 0 })
  })

  it('the sealer seals a backlog without a pause between its batches', async () => {
    const id = await trail(1)
    await fillTrail(server, id, { entries: 1600 })
    // The pause between passes is longer than the test. All batches must therefore come from passes that follow each other
    // without a pause.
    const sealer = startSealer(server.services, { everyMs: 3_600_000 })
    await vi.waitFor(async () => expect(await count('audit_unsealed', id)).toBe(0), { timeout: 60_000 })
    await sealer.close()
    expect(await count('audit_seals', id)).toBe(1601)
  })

  it('instances that seal at the same time as entries are written seal each entry once and keep the chain valid', async () => {
    const id = await trail(1)
    const url = (server.owner.options as { connectionString?: string }).connectionString as string
    const instances = [new Database({ url }), new Database({ url }), new Database({ url })]
    let writing = true
    const sealers = instances.map(async (db) => {
      while (writing) await sealTenant(db, server.services, id, now())
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

  it('an entry that is queued again is not sealed twice and does not stop the sealing', async () => {
    const id = await trail(1)
    await seal(id)
    await server.owner.query(
      'insert into audit_unsealed select tenant_id, id from audit_entries where tenant_id = $1',
      [id],
    )
    await addEntry(server, id, 'tenant.updated')
    expect(await verify(id)).toMatchObject({ valid: true, entries: 2 })
  })

  it('reaches every tenant, even if more tenants than one pass takes always wait before it', async () => {
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

  it('a rewritten chain gets no more signatures, and other tenants are still sealed', async () => {
    const { db } = server.services
    const [broken, whole] = [await trail(2), await trail(1)]
    await seal(broken)
    await server.owner.query(
      "update audit_heads set chain_hash = decode(repeat('ab', 32), 'hex') where tenant_id = $1",
      [broken],
    )
    await addEntry(server, broken, 'tenant.updated')
    const { entries, broken: found } = await sealPending(db, server.services, now())
    expect(found.map(({ tenantId }) => tenantId)).toEqual([broken])
    expect(entries).toBeGreaterThanOrEqual(1)
    expect(await count('audit_unsealed', broken)).toBe(1)
    expect(await count('audit_unsealed', whole)).toBe(0)
    expect(await verify(broken)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed' } })
    await server.owner.query('delete from audit_unsealed where tenant_id = $1', [broken])
  })

  it('a seal inserted ahead of the head stops only its tenant, and verify reports it', async () => {
    const { db } = server.services
    const [broken, whole] = [await trail(1), await trail(1)]
    await seal(broken)
    await server.owner.query(
      `insert into audit_seals select tenant_id, 2, gen_random_uuid(), entry_hash, chain_hash, sealed_at
       from audit_seals where tenant_id = $1`,
      [broken],
    )
    await addEntry(server, broken, 'tenant.updated')
    const { broken: found } = await sealPending(db, server.services, now())
    expect(found.map(({ tenantId }) => tenantId)).toEqual([broken])
    expect(await count('audit_unsealed', whole)).toBe(0)
    expect(await verify(broken)).toMatchObject({ valid: false, first_bad: { reason: 'head_changed', seq: 1 } })
    await server.owner.query('delete from audit_unsealed where tenant_id = $1', [broken])
  })

  it('the sealer runs until it is closed, and closing waits for the current pass', async () => {
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
