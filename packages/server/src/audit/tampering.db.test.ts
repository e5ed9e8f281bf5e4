import { entryHash, nextChainHash } from '@mandate/proofs/audit-chain'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { newId } from '../db/ids/new-id.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { addEntry, fillTrail, sealAll } from '../testing/arrange-audit.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { sealTenant } from './seal-pending.ts'
import { findSealed } from './verify-queries.ts'

const server = useTestServer()

const entryAt = `(select entry_id from audit_seals where tenant_id = $1 and seq = $2)`

/**
 * Creates a tenant with four entries, sealed in two batches of two. Then `harm` changes the database as a superuser.
 */
async function tampered(harm: (db: pg.Pool, tenantId: string) => Promise<unknown>): Promise<TestTenant> {
  const tenant = await createTenant(server)
  for (let n = 1; n <= 4; n++) {
    await addEntry(server, tenant.id, n === 1 ? 'tenant.created' : 'user.role_changed', {
      details: { n, new_role: 'viewer' },
    })
    if (n % 2 === 0) {
      await sealTenant(server.services.db, server.services, tenant.id, new Date().toISOString())
    }
  }
  await harm(server.owner, tenant.id)
  return tenant
}

async function verify(tenant: TestTenant) {
  const { status, body } = await tenant.owner.api.get('/audit/verify')
  expect(status).toBe(200)
  return body
}

describe('GET /audit/verify', () => {
  it('200 an untouched trail is valid; a change made just before is covered', async () => {
    const tenant = await tampered(async () => {})
    const head = { seq: 4, chain_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(await verify(tenant)).toEqual({ valid: true, entries: 4, head, pending: 0 })
    await tenant.owner.api.put('/governance-gate', { gate: 'enforce' })
    expect(await verify(tenant)).toEqual({ valid: true, entries: 5, head: { ...head, seq: 5 }, pending: 0 })
  })

  it('200 reports a trail that is empty or does not start with the creation of its organization', async () => {
    const first_bad = { reason: 'beginning_missing', seq: 1 }
    const empty = await createTenant(server)
    expect(await verify(empty)).toEqual({ valid: false, entries: 0, head: null, pending: 0, first_bad })
    await empty.owner.api.put('/governance-gate', { gate: 'enforce' })
    expect(await verify(empty)).toMatchObject({ valid: false, entries: 0, first_bad })
  })

  const changes = [
    `details = details || '{"new_role":"owner"}'`,
    `actor_name = 'someone else'`,
    `actor_email = 'other@example.com'`,
    `actor_user_id = gen_random_uuid()`,
    `event_type = 'user.removed'`,
    `category = 'agent'`,
    `outcome = 'failure'`,
    `resource_name = 'other'`,
    `resource_id = gen_random_uuid()`,
    `agent_id = gen_random_uuid()`,
    `environment_id = gen_random_uuid()`,
    `api_key_id = gen_random_uuid(), api_key_prefix = 'mk_aaaaa', api_key_name = 'k'`,
    `ip = '10.0.0.1'`,
    `user_agent = 'other'`,
    `request_id = 'other'`,
    `source = 'edge'`,
    `created_at = created_at + interval '1 ms'`,
  ]
  it.each(changes)('finds an entry whose %s was changed in the database', async (change) => {
    const tenant = await tampered((db, id) =>
      db.query(`update audit_entries set ${change} where tenant_id = $1 and id = ${entryAt}`, [id, 3]),
    )
    expect(await verify(tenant)).toMatchObject({
      valid: false,
      entries: 2,
      first_bad: { reason: 'entry_changed', seq: 3, entry_id: expect.any(String) },
    })
  })

  it('finds an entry that was deleted', async () => {
    const tenant = await tampered((db, id) =>
      db.query(`delete from audit_entries where tenant_id = $1 and id = ${entryAt}`, [id, 2]),
    )
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad: { reason: 'entry_missing', seq: 2 } })
  })

  it('finds an entry that was deleted together with its seal', async () => {
    const tenant = await tampered(async (db, id) => {
      await db.query(`delete from audit_entries where tenant_id = $1 and id = ${entryAt}`, [id, 2])
      await db.query('delete from audit_seals where tenant_id = $1 and seq = 2', [id])
    })
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad: { reason: 'seal_missing', seq: 2 } })
  })

  it('finds an entry that was inserted without a queue row', async () => {
    const strange = newId()
    const tenant = await tampered((db, id) =>
      db.query(
        `insert into audit_entries select (e).* from (select jsonb_populate_record(e, jsonb_build_object('id', $2::uuid)) as e
           from audit_entries e where tenant_id = $1 limit 1) x`,
        [id, strange],
      ),
    )
    expect(await verify(tenant)).toMatchObject({
      valid: false,
      entries: 4,
      first_bad: { reason: 'entry_unsealed', entry_id: strange },
    })
  })

  it('finds two entries whose seals were swapped', async () => {
    const tenant = await tampered(async (db, id) => {
      const { rows } = await db.query('select entry_id from audit_seals where tenant_id = $1 order by seq', [id])
      const swap = 'update audit_seals set entry_id = $3 where tenant_id = $1 and seq = $2'
      await db.query(swap, [id, 1, newId()])
      await db.query(swap, [id, 2, rows[0].entry_id])
      await db.query(swap, [id, 1, rows[1].entry_id])
    })
    expect(await verify(tenant)).toMatchObject({
      valid: false,
      entries: 0,
      first_bad: { reason: 'entry_changed', seq: 1 },
    })
  })

  const cuts: [string, string[], object][] = [
    ['its last seals and entries', ['audit_entries', 'audit_seals'], { reason: 'seal_missing', seq: 3 }],
    [
      'its last seals, entries and checkpoint, the head left',
      ['audit_entries', 'audit_seals', 'audit_checkpoints'],
      { reason: 'seal_missing', seq: 3 },
    ],
    ['its last checkpoint', ['audit_checkpoints'], { reason: 'checkpoint_missing', seq: 4 }],
  ]
  it.each(cuts)('finds a trail cut by %s', async (_, tables, first_bad) => {
    const tenant = await tampered(async (db, id) => {
      const tail = '(select entry_id from audit_seals where tenant_id = $1 and seq > 2)'
      if (tables.includes('audit_entries')) {
        await db.query(`delete from audit_entries where tenant_id = $1 and id in ${tail}`, [id])
      }
      for (const table of tables.filter((name) => name !== 'audit_entries')) {
        await db.query(`delete from ${table} where tenant_id = $1 and seq > 2`, [id])
      }
    })
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad })
  })

  it('finds a cut trail whose head was set back, by the checkpoint that remains', async () => {
    const tenant = await tampered(async (db, id) => {
      await db.query(
        `update audit_heads h set seq = 2, chain_hash = (select chain_hash from audit_seals
         where tenant_id = $1 and seq = 2) where tenant_id = $1`,
        [id],
      )
      await db.query(
        `delete from audit_entries where tenant_id = $1 and id in
        (select entry_id from audit_seals where tenant_id = $1 and seq > 2)`,
        [id],
      )
      await db.query('delete from audit_seals where tenant_id = $1 and seq > 2', [id])
    })
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad: { reason: 'seal_missing', seq: 3 } })
  })

  it('finds a rewritten chain with matching hashes, because its signatures do not match', async () => {
    const tenant = await tampered(async (db, id) => {
      await db.query(`update audit_entries set actor_name = 'forged' where tenant_id = $1`, [id])
      let chain = '0'.repeat(64)
      for (const { seq, entry } of await findSealed(server.services.db.reader(id), 0, 10)) {
        const hash = entryHash(entry!)
        chain = nextChainHash(chain, seq, hash)
        await db.query(
          `update audit_seals set entry_hash = decode($3, 'hex'), chain_hash = decode($4, 'hex')
           where tenant_id = $1 and seq = $2`,
          [id, seq, hash, chain],
        )
        await db.query(
          `update audit_checkpoints set chain_hash = decode($3, 'hex') where tenant_id = $1 and seq = $2`,
          [id, seq, chain],
        )
      }
      await db.query(`update audit_heads set chain_hash = decode($2, 'hex') where tenant_id = $1`, [id, chain])
    })
    const first_bad = { reason: 'checkpoint_unverified', seq: 2 }
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad })
    // The sealer must not sign the next entry. A new signature would cover the rewritten entries too, and make them look valid.
    await tenant.owner.api.put('/governance-gate', { gate: 'enforce' })
    expect(await verify(tenant)).toMatchObject({ valid: false, first_bad })
    await server.owner.query('delete from audit_unsealed where tenant_id = $1', [tenant.id])
  })

  it('finds a deleted head, and a queue row whose entry is gone', async () => {
    const headless = await tampered((db, id) => db.query('delete from audit_heads where tenant_id = $1', [id]))
    expect(await verify(headless)).toMatchObject({ valid: false, first_bad: { reason: 'head_missing' } })
    const gone = newId()
    const waiting = await tampered((db, id) => db.query('insert into audit_unsealed values ($1, $2)', [id, gone]))
    expect(await verify(waiting)).toMatchObject({
      valid: false,
      first_bad: { reason: 'entry_missing', entry_id: gone },
    })
  })

  it('verifies a trail of several pages', async () => {
    const tenant = await tampered((_, id) => fillTrail(server, id, { entries: 1500 }))
    await sealAll(server, tenant.id)
    expect(await verify(tenant)).toMatchObject({ valid: true, entries: 1504 })
    await server.owner.query(`update audit_entries set ip = 'x' where tenant_id = $1 and id = ${entryAt}`, [
      tenant.id,
      1234,
    ])
    expect(await verify(tenant)).toMatchObject({ valid: false, entries: 1233, first_bad: { seq: 1234 } })
  })
})
