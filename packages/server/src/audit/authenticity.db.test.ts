import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newId } from '../db/ids/new-id.ts'
import { entryKeysOf } from '../security/entry-keys.ts'
import { createTenant } from '../testing/arrange.ts'
import { addEntry, fillTrail, sealAll } from '../testing/arrange-audit.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { sealPending, sealTenant } from './seal-pending.ts'
import { startSealer } from './start-sealer.ts'
import { verifyTrail } from './verify-trail.ts'

const server = useOwnServer()

const now = () => new Date().toISOString()
const rows = async (text: string, values: unknown[] = []) => (await server.owner.query(text, values)).rows
const refusedOf = (tenantId: string) =>
  rows('select entry_id, reason from audit_refused where tenant_id = $1 order by entry_id', [tenantId])
const seal = (tenantId: string) => sealTenant(server.services.db, server.services, tenantId, now())
const verify = (tenantId: string) => verifyTrail(server.services, tenantId, now())

async function trail(): Promise<string> {
  const { id } = await createTenant(server)
  await addEntry(server, id, 'tenant.created')
  return id
}

/**
 * Inserts entries and rows of the queue, as a database superuser could do. The entries are copies of the first entry of the
 * trail with new ids.
 */
async function forge(tenantId: string, ids: readonly string[], mac: Buffer | null = null): Promise<void> {
  await rows(
    `insert into audit_entries select (r).* from (select jsonb_populate_record(e, jsonb_build_object('id', f.id)) as r
       from audit_entries e, unnest($2::uuid[]) f (id)
       where e.tenant_id = $1 and e.id = (select min(id::text)::uuid from audit_entries where tenant_id = $1)) x`,
    [tenantId, ids],
  )
  await rows(
    'insert into audit_unsealed (tenant_id, entry_id, mac) select $1, f.id, $3 from unnest($2::uuid[]) f (id)',
    [tenantId, ids, mac],
  )
}

describe('an entry that the server did not write', () => {
  it('is not sealed, is reported by verify, and does not stop the sealing of later entries', async () => {
    const id = await trail()
    const [old, recent] = ['01800000-0000-7000-8000-000000000001', newId()]
    await forge(id, [old, recent])
    await addEntry(server, id, 'tenant.updated')
    expect(await seal(id)).toBe(2)
    expect(await refusedOf(id)).toEqual([
      { entry_id: old, reason: 'mac_missing' },
      { entry_id: recent, reason: 'mac_missing' },
    ])
    expect(await verify(id)).toMatchObject({
      valid: false,
      entries: 2,
      pending: 0,
      first_bad: { reason: 'entry_unauthenticated', entry_id: old },
    })
    await addEntry(server, id, 'tenant.updated')
    expect(await seal(id)).toBe(1)
    await rows('delete from audit_refused where tenant_id = $1', [id])
    expect(await verify(id)).toMatchObject({ valid: false, first_bad: { reason: 'entry_unsealed', entry_id: old } })
    await rows('delete from audit_entries where tenant_id = $1 and id = any($2)', [id, [old, recent]])
    expect(await verify(id)).toMatchObject({ valid: true, entries: 3 })
  })

  it('is not sealed with the MAC of another entry, of another tenant, or an invented MAC', async () => {
    const [id, other] = [await trail(), await trail()]
    const macs = await rows('select mac from audit_unsealed where tenant_id = any($1)', [[id, other]])
    expect(macs).toHaveLength(2)
    const made = [
      Buffer.alloc(0),
      randomBytes(32),
      Buffer.concat([server.services.entryKeys.ids[0] as Buffer, randomBytes(32)]),
    ]
    for (const mac of [...macs.map((row) => row.mac as Buffer), ...made]) {
      const forged = newId()
      await forge(id, [forged], mac)
      await seal(id)
      expect(await refusedOf(id)).toContainEqual({ entry_id: forged, reason: 'mac_wrong' })
    }
    expect((await rows('select 1 from audit_seals where tenant_id = $1', [id])).length).toBe(1)
  })

  it('delays no tenant’s sealing, for any number of such entries and any content', async () => {
    const id = await trail()
    const forged = Array.from({ length: 1100 }, (_, at) => `01800000-0000-7000-8000-${String(at).padStart(12, '0')}`)
    await forge(id, forged.slice(0, 600))
    await rows('insert into audit_unsealed (tenant_id, entry_id) select $1, f.id from unnest($2::uuid[]) f (id)', [
      id,
      forged.slice(600),
    ])
    await rows(`update audit_entries set details = '{"n":1e999}', event_type = 'a"' where tenant_id = $1 and id = $2`, [
      id,
      forged[7],
    ])
    const sealer = startSealer(server.services, { everyMs: 1 })
    await expect
      .poll(async () => (await rows('select 1 from audit_seals where tenant_id = $1', [id])).length, {
        timeout: 60_000,
      })
      .toBe(1)
    await sealer.close()
    expect(await refusedOf(id)).toHaveLength(1100)
    expect(await rows('select 1 from audit_unsealed where tenant_id = $1', [id])).toEqual([])
  })

  it('is refused if a genuine entry was changed between writing and sealing', async () => {
    const id = await trail()
    await rows(`update audit_entries set actor_name = 'somebody else' where tenant_id = $1`, [id])
    expect(await seal(id)).toBe(0)
    expect(await refusedOf(id)).toMatchObject([{ reason: 'mac_wrong' }])
  })
})

describe('an entry that the server wrote', () => {
  it('is sealed for every kind of value, because the MAC covers what the database returns', async () => {
    const id = await trail()
    const upper = newId().toUpperCase()
    const odd = {
      a: undefined,
      b: [undefined, null, -0, 1e21, 0.1, 12345678901234567890n.toString()],
      c: new Date(0),
      'ü"\\\u2028': '🎉\n\t\u0001',
    }
    const key = { id: upper, prefix: 'mk_"', name: 'ключ' }
    const actors = [
      { kind: 'edge', tenantId: id, name: 'edge "one"' },
      { kind: 'operator', tenantId: id },
      { kind: 'api_key', tenantId: id, userId: upper, displayName: 'Añe "☃"', email: 'a@b.c', key },
    ]
    for (const actor of actors) {
      await addEntry(
        server,
        id,
        'agent.updated',
        {
          resource: { type: 'agent', id: upper, name: '\\u0041 "' },
          agentId: upper,
          environmentId: upper,
          details: odd,
        },
        { actor: actor as never, request: { id: 'r"\\', ip: '::1', userAgent: 'ü\u007f' } },
      )
    }
    await fillTrail(server, id, { entries: 20 })
    await sealAll(server, id)
    expect(await refusedOf(id)).toEqual([])
    expect(await verify(id)).toMatchObject({ valid: true, entries: 24 })
  })

  it('is sealed by an instance that has its key, if another instance does not have it', async () => {
    const id = await trail()
    const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const [former, both] = [entryKeysOf(oldKey, []), entryKeysOf(newKey, [oldKey])]
    await seal(id)
    await addEntry(server, id, 'tenant.updated', {}, { services: { entryKeys: both } })
    await addEntry(server, id, 'tenant.updated', {}, { services: { entryKeys: former } })
    const { db, signingKey } = server.services
    const withKeys = (entryKeys: typeof both) => sealPending(db, { signingKey, entryKeys }, now())
    expect(await withKeys(former)).toMatchObject({ entries: 1, refused: new Map([[id, 1]]) })
    expect(await refusedOf(id)).toMatchObject([{ reason: 'key_unknown' }])
    expect(await verify(id)).toMatchObject({ valid: false, first_bad: { reason: 'entry_unauthenticated' } })
    expect(await withKeys(both)).toMatchObject({ entries: 1, refused: new Map() })
    expect(await refusedOf(id)).toEqual([])
    expect(await verify(id)).toMatchObject({ valid: true, entries: 3 })
  })
})
