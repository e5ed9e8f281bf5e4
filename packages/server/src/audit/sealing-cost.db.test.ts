import { expect, it } from 'vitest'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statements/statement.ts'
import { createTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { batchSize } from './seal-pending.ts'
import { findPending } from './seal-queries.ts'

const server = useOwnServer()

const visited = raw<{ rows: number }>(
  `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as rows from pg_stat_xact_user_tables
   where relname in ('audit_entries', 'audit_seals', 'audit_unsealed')`,
  [],
)

/** Counts the table rows that PostgreSQL visits to find the entries of one batch. */
async function costOfBatch(tenantId: string, look: (sql: Sql) => Promise<{ length: number }>): Promise<number> {
  return await server.services.db.transaction(tenantId, async (tx: Tx) => {
    const before = await tx.one(visited)
    expect((await look(tx)).length).toBe(batchSize)
    return (await tx.one(visited)).rows - before.rows
  })
}

/**
 * Creates a trail with `sealed` sealed entries and `waiting` waiting entries. The hashes are invented, because these tests do
 * not verify them.
 */
async function trail(sealed: number, waiting: number): Promise<string> {
  const { id } = await createTenant(server)
  await server.owner.query(
    `insert into audit_entries (tenant_id, id, source, event_type, category, actor_type, actor_name, actor_email,
       resource_type, resource_name, details, request_id, ip, user_agent, created_at)
     select $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'edge', 'agent.updated', 'agent', 'system', '',
       '', 'agent', '', '{}', '', '', '', now() from generate_series(1, $2) n`,
    [id, sealed + waiting],
  )
  const hash = `decode(repeat('ab', 32), 'hex')`
  await server.owner.query(
    `insert into audit_seals (tenant_id, seq, entry_id, entry_hash, chain_hash, sealed_at)
     select $1, row_number() over (order by id), id, ${hash}, ${hash}, now()
     from (select id from audit_entries where tenant_id = $1 order by id limit $2) e`,
    [id, sealed],
  )
  await server.owner.query(
    `insert into audit_unsealed (tenant_id, entry_id)
     select $1, id from audit_entries where tenant_id = $1 order by id offset $2`,
    [id, sealed],
  )
  return id
}

it('a batch visits as many rows behind 20,000 sealed and 20,000 waiting entries as in a new trail', async () => {
  const long = await trail(20_000, 20_000)
  const fresh = await trail(0, batchSize)
  await server.owner.query('analyze audit_entries, audit_seals, audit_unsealed')
  const look = (sql: Sql) => findPending(sql, batchSize)
  const [ofFresh, ofLong] = [await costOfBatch(fresh, look), await costOfBatch(long, look)]
  expect(ofFresh).toBeGreaterThanOrEqual(2 * batchSize)
  expect(ofLong).toBeLessThanOrEqual(1.5 * ofFresh)
  expect(ofLong).toBeLessThanOrEqual(4 * batchSize)
}, 120_000)
