import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { newId } from '../db/ids/new-id.ts'
import { raw } from '../db/statements/statement.ts'
import { addKey, addPerson, auditEntries, createTenant } from '../testing/arrange.ts'
import { addEntry, sealAll } from '../testing/arrange-audit.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { recordAudit } from './record-audit.ts'

const server = useOwnServer()

/** Runs one statement with the database role of the application. The tenant is set as on the server's connections. */
async function asApplication(tenantId: string, text: string): Promise<pg.QueryResult> {
  const { connectionString } = server.owner.options as { connectionString?: string }
  const client = new pg.Client({ connectionString, options: '-c role=mandate_app' })
  await client.connect()
  try {
    await client.query("select set_config('app.tenant_id', $1, false)", [tenantId])
    return await client.query(text)
  } finally {
    await client.end()
  }
}

async function sealedTenant(): Promise<string> {
  const { id, owner } = await createTenant(server)
  await addEntry(server, id, 'tenant.created')
  expect((await owner.api.get('/audit/verify')).body).toMatchObject({ valid: true, entries: 1 })
  return id
}

describe('recorded entries cannot be changed or deleted', () => {
  const tables = ['audit_entries', 'audit_seals', 'audit_checkpoints']
  const statements = tables.flatMap((table) => [
    `update ${table} set tenant_id = tenant_id`,
    `delete from ${table}`,
    `truncate ${table}`,
    `drop table ${table}`,
    `alter table ${table} disable row level security`,
    `create rule quiet as on insert to ${table} do instead nothing`,
    `insert into ${table} select * from ${table} on conflict (tenant_id, ${table === 'audit_entries' ? 'id' : 'seq'})
       do update set tenant_id = excluded.tenant_id`,
  ])
  it.each(statements)('the application’s own role is refused: %s', async (statement) => {
    const id = await sealedTenant()
    await expect(asApplication(id, statement)).rejects.toMatchObject({ code: '42501' })
  })

  it.each(tables)('the application’s role can neither read nor insert rows of %s of another tenant', async (table) => {
    const [one, two] = [await sealedTenant(), await sealedTenant()]
    const { rows } = await asApplication(one, `select distinct tenant_id from ${table}`)
    expect(rows).toEqual([{ tenant_id: one }])
    const columns = { audit_entries: 'id', audit_seals: 'entry_id', audit_checkpoints: 'seq' }[table] as string
    const fresh = table === 'audit_checkpoints' ? 99 : newId()
    const insert = `insert into ${table} select (r).* from (select jsonb_populate_record(t, jsonb_build_object(
      'tenant_id', '${two}', '${columns}', to_jsonb('${fresh}'::text))) as r from ${table} t) x`
    await expect(asApplication(one, insert)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('heads move forward only', () => {
  const head = async (tenantId: string) =>
    (await server.owner.query('select seq::int, chain_hash from audit_heads where tenant_id = $1', [tenantId])).rows[0]

  it.each([
    'update audit_heads set seq = seq - 1',
    'update audit_heads set seq = seq + 1',
    'delete from audit_heads',
    'truncate audit_heads',
    `insert into audit_heads select tenant_id, 0, chain_hash from audit_heads
     on conflict (tenant_id) do update set seq = excluded.seq`,
    'alter function advance_audit_head security invoker',
  ])('the application’s own role is refused: %s', async (statement) => {
    const id = await sealedTenant()
    await expect(asApplication(id, statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('advance_audit_head refuses a lower seq, a seq after the last seal, a different hash, and another tenant', async () => {
    const [id, other] = [await sealedTenant(), await sealedTenant()]
    await addEntry(server, id, 'tenant.updated')
    await sealAll(server, id)
    const before = await head(id)
    expect(before.seq).toBe(2)
    const hashAt = (tenantId: string, seq: number) =>
      `(select chain_hash from audit_seals where tenant_id = '${tenantId}' and seq = ${seq})`
    for (const to of [`1, ${hashAt(id, 1)}`, `2, ${hashAt(id, 2)}`, `3, ${hashAt(id, 2)}`, `2, ${hashAt(id, 1)}`]) {
      await expect(asApplication(id, `select advance_audit_head(${to})`)).rejects.toMatchObject({ code: '23514' })
      await expect(asApplication(other, `select advance_audit_head(${to})`)).rejects.toMatchObject({ code: '23514' })
    }
    expect(await head(id)).toEqual(before)
    expect((await head(other)).seq).toBe(1)
  })
})

describe('an entry and its change are committed together', () => {
  it('a rollback removes the entry and its row of the queue', async () => {
    const { id } = await createTenant(server)
    const by = {
      actor: null,
      request: { id: 'r', ip: '', userAgent: '' },
      now: new Date().toISOString(),
      services: server.services,
    }
    const failing = server.services.db.transaction(id, async (tx) => {
      await recordAudit(tx, by, 'tenant.updated', { resource: { type: 'tenant', id, name: 'n' } })
      throw new Error('later in the same change')
    })
    await expect(failing).rejects.toThrow('later in the same change')
    expect(await auditEntries(server, id)).toEqual([])
    const { rowCount } = await server.owner.query('select from audit_unsealed where tenant_id = $1', [id])
    expect(rowCount).toBe(0)
  })

  it('the change is rolled back if its entry cannot be written', async () => {
    const { id, owner } = await createTenant(server)
    await server.owner.query(`alter table audit_entries add constraint none_for_now check (tenant_id <> '${id}')`)
    try {
      expect((await owner.api.put('/governance-gate', { gate: 'enforce' })).status).toBe(500)
      expect((await owner.api.get('/governance-gate')).body).toEqual({ gate: 'alert' })
    } finally {
      await server.owner.query('alter table audit_entries drop constraint none_for_now')
    }
  })

  it('each entry is queued in the transaction that writes it', async () => {
    const { id } = await createTenant(server)
    const seen = await server.services.db.transaction(id, async (tx) => {
      const by = {
        actor: null,
        request: { id: 'r', ip: '', userAgent: '' },
        now: new Date().toISOString(),
        services: server.services,
      }
      await recordAudit(tx, by, 'tenant.updated', { resource: { type: 'tenant', id, name: 'n' } })
      const text = `select e.id from audit_entries e join audit_unsealed q on q.tenant_id = e.tenant_id and q.entry_id = e.id
        where e.tenant_id = $1`
      return await tx.all(raw(text, [id]))
    })
    expect(seen).toHaveLength(1)
  })
})

describe('a refused request writes nothing', () => {
  it('401, 403, 404, 400 and 409 leave no entry', async () => {
    const { id, owner } = await createTenant(server)
    const viewer = await addPerson(server, id, { role: 'viewer' })
    const readOnly = await addKey(server, id, owner, { scopes: ['*:read'] })
    const refusals = [
      await owner.api.post('/api-keys', { name: 'x' }, { authorization: 'Bearer nonsense' }),
      await viewer.api.post('/api-keys', { name: 'x' }),
      await readOnly.api.post('/api-keys', { name: 'x' }),
      await owner.api.delete(`/users/${newId()}`),
      await owner.api.delete(`/users/${owner.id}`),
      await owner.api.post('/api-keys', { name: '' }),
      await owner.api.put(`/users/${owner.id}`, { role: 'viewer' }),
      await owner.api.post('/environments', { name: 'Again', slug: 'production' }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([401, 403, 403, 404, 400, 400, 409, 409])
    expect(await auditEntries(server, id)).toEqual([])
  })

  it('neither the use of a key nor its expiry writes an entry', async () => {
    const { id, owner } = await createTenant(server)
    const key = await addKey(server, id, owner)
    const expired = await addKey(server, id, owner, { expiresAt: '2020-01-01T00:00:00.000Z' })
    expect((await key.api.get('/users')).status).toBe(200)
    expect((await expired.api.get('/users')).status).toBe(401)
    expect(await auditEntries(server, id)).toEqual([])
  })
})
