import { randomBytes } from 'node:crypto'
import { checkpointText } from '@mandate/proofs/audit-chain'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { Database } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { migrate } from '../db/schema/migrate.ts'
import { entryKeysOf } from '../security/entry-keys.ts'
import { loadSigningKey, newSigningKeyPem } from '../security/signing-key.ts'
import { queryOnce, withDatabase } from '../testing/database-urls.ts'
import { authenticateAtUpgrade, macMigration } from './authenticate-waiting.ts'
import { sealTenant } from './seal-pending.ts'
import { verifyTrail } from './verify-trail.ts'

const administratorUrl = inject('ownerUrl')
let name: string
/** Connects as a role that owns the database but is not a superuser, as on a managed PostgreSQL service. */
let ownerUrl: string
let administrator: pg.Client

beforeEach(async () => {
  name = `test_${randomBytes(8).toString('hex')}`
  await queryOnce(administratorUrl, `create role ${name} login password '${name}'`)
  await queryOnce(administratorUrl, `grant mandate_app, mandate_search to ${name}`)
  await queryOnce(administratorUrl, `create database ${name} owner ${name}`)
  const url = new URL(withDatabase(administratorUrl, name))
  administrator = new pg.Client({ connectionString: url.href })
  await administrator.connect()
  url.username = name
  url.password = name
  ownerUrl = url.href
})
afterEach(async () => {
  await administrator.end()
  await queryOnce(administratorUrl, `drop database ${name} with (force)`)
  await queryOnce(administratorUrl, `drop role ${name}`)
})

const entryKeys = entryKeysOf(randomBytes(32).toString('hex'), [])
const steps = { [macMigration]: (owner: pg.Client) => authenticateAtUpgrade(owner, entryKeys) }
const lastBefore = '0023-z.sql'

/** Inserts an entry and its row of the queue in the way of the previous version. */
async function write(tenantId: string, event: string): Promise<void> {
  await administrator.query(
    `with e as (insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email,
         resource_type, resource_name, details, request_id, ip, user_agent, created_at)
       values ($1, $2, 'control_plane', $3, 'organization', 'system', 'system', '', 'tenant', '', '{}', '', '', '', now())
       returning id)
     insert into audit_unsealed (tenant_id, entry_id) select $1, id from e`,
    [tenantId, newId(), event],
  )
}

it('waiting entries are sealed after the upgrade, and entries inserted later without a MAC are not', async () => {
  await migrate(ownerUrl, { upTo: lastBefore })
  const tenants = [newId(), newId()]
  for (const id of tenants) {
    await write(id, 'tenant.created')
    await write(id, 'tenant.updated')
  }
  expect(await migrate(ownerUrl, { steps })).toContain(macMigration)
  const { rows } = await administrator.query(
    `select relforcerowsecurity as forced from pg_class where relname = 'audit_entries'`,
  )
  expect(rows).toEqual([{ forced: true }])
  await write(tenants[0] as string, 'tenant.updated')
  const db = new Database({ url: ownerUrl })
  const signingKey = loadSigningKey({ signingKey: newSigningKeyPem(), previousSigningKeys: [] })
  const services = { db, signingKey, entryKeys }
  try {
    for (const id of tenants) expect(await sealTenant(db, services, id, new Date().toISOString())).toBe(2)
    const [forged, clean] = await Promise.all(tenants.map((id) => verifyTrail(services, id, new Date().toISOString())))
    expect(clean).toMatchObject({ valid: true, entries: 2 })
    expect(forged).toMatchObject({ valid: false, entries: 2, first_bad: { reason: 'entry_unauthenticated' } })
  } finally {
    await db.close()
  }
})

it('a trail with the head and checkpoints of the previous version is sealed further', async () => {
  await migrate(ownerUrl, { steps })
  const id = newId()
  const db = new Database({ url: ownerUrl })
  const signingKey = loadSigningKey({ signingKey: newSigningKeyPem(), previousSigningKeys: [] })
  const services = { db, signingKey, entryKeys }
  const sealNext = async (event: string) => {
    await write(id, event)
    await authenticateWaitingAs(administrator)
    return await sealTenant(db, services, id, new Date().toISOString())
  }
  const authenticateWaitingAs = async (client: pg.Client) => {
    await client.query('begin')
    await authenticateAtUpgrade(client, entryKeys)
    await client.query('commit')
  }
  try {
    // The previous version inserted a head with seq 0 before the first seal.
    await administrator.query(`insert into audit_heads values ($1, 0, decode(repeat('00', 32), 'hex'))`, [id])
    expect(await sealNext('tenant.created')).toBe(1)
    const { sign, kid } = signingKey
    const { rows } = await administrator.query(
      `select tenant_id, seq::int, encode(chain_hash, 'hex') as chain_hash from audit_checkpoints where tenant_id = $1`,
      [id],
    )
    const form = { ...rows[0], signed_at: '2026-01-02T03:04:06.000Z' }
    await administrator.query(
      'update audit_checkpoints set previous_seq = null, signed_at = $2, kid = $3, signature = $4 where tenant_id = $1',
      [id, form.signed_at, kid, sign(checkpointText(form))],
    )
    expect(await sealNext('tenant.updated')).toBe(1)
    expect(await verifyTrail(services, id, new Date().toISOString())).toMatchObject({ valid: true, entries: 2 })
  } finally {
    await db.close()
  }
})
