import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Sql, Tx } from '../db/database.ts'
import { raw } from '../db/statement.ts'
import { createTenant } from '../testing/arrange.ts'
import { addEntry, fillTrail, sealAll } from '../testing/arrange-audit.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { batchSize } from './seal-pending.ts'
import { findPending } from './seal-queries.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const visited = raw<{ rows: number }>(
  `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as rows from pg_stat_xact_user_tables
   where relname in ('audit_entries', 'audit_seals', 'audit_unsealed')`,
  [],
)

/** Rows of tables that the look-up of one batch visits. */
async function costOfBatch(tenantId: string, look: (sql: Sql) => Promise<{ length: number }>): Promise<number> {
  return await server.services.db.transaction(tenantId, async (tx: Tx) => {
    const before = await tx.one(visited)
    expect((await look(tx)).length).toBe(batchSize)
    return (await tx.one(visited)).rows - before.rows
  })
}

async function trail(sealed: number, waiting: number): Promise<string> {
  const { id } = await createTenant(server)
  await addEntry(server, id, 'tenant.created')
  await fillTrail(server, id, { entries: sealed })
  await sealAll(server, id)
  await fillTrail(server, id, { entries: waiting })
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
}, 240_000)
