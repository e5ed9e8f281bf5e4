// May take over 10 s: calls every endpoint twice, and each change needs rows of its own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { callEndpoint, strongestCredential } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld } from './world.ts'

let server: TestServer
beforeAll(async () => {
  // There is only one connection for transactions. Each statement therefore runs a second time on the connection that has
  // prepared it.
  server = await startTestServer({ databasePool: 1 })
})
afterAll(() => server.stop())

async function callAll(): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  // Reads change nothing, so they share their data.
  const forReads = await createWorld(server)
  for (const [id, endpoint] of sweptEndpoints) {
    const world = endpoint.method === 'GET' ? forReads : await createWorld(server)
    const body = endpoint.body && exampleBodies[id]?.(world)
    const headers = { 'content-type': endpoint.consumes ?? 'application/json' }
    const options = body === undefined ? {} : { body, headers }
    statuses[id] = (await callEndpoint(world, endpoint, strongestCredential(endpoint), options)).status
  }
  return statuses
}

/** A change that migrations of a newer version may make while this version still runs. A partition gets the columns of its table. */
async function addColumnToEveryTable(): Promise<void> {
  const { rows } = await server.owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'identity') and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  expect(rows.length).toBeGreaterThan(30)
  for (const { name } of rows) await server.owner.query(`alter table ${name} add column of_a_newer_version text`)
}

describe('a server whose database was migrated by a newer version', () => {
  it('answers every endpoint as before, because no prepared statement selects all columns', async () => {
    const before = await callAll()
    await addColumnToEveryTable()
    expect(await callAll()).toEqual(before)
  }, 300_000)
})
