import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Database } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { migrate } from '../db/schema/migrate.ts'
import { EventHub } from './event-hub.ts'
import { recordEvent } from './record-event.ts'

const tenantId = newId()
const log = pino({ level: 'silent' })
const waitFor = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })
let folder: string
let postgres: Embedded
let db: Database
let hub: EventHub

// The tests crash PostgreSQL, so they have one of their own. It writes its log late, so the crash loses all that no commit has written.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-crash-'))
  postgres = await startEmbedded({ dataDir: folder, settings: { wal_writer_delay: '10000' } })
  await migrate(postgres.ownerUrl)
  db = new Database({ url: postgres.ownerUrl })
  hub = new EventHub({ db, url: postgres.ownerUrl, log, lookEveryMs: 100 })
})
afterAll(async () => {
  await hub.close()
  await db.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

async function subscribe() {
  const names: string[] = []
  const subscription = await hub.subscribe(tenantId, {
    onRows: (rows) => void names.push(...rows.map(({ details }) => details.name)),
    onGap() {},
    onEnd() {},
  })
  return { names, subscription }
}

const commit = (name: string) =>
  db.transaction(tenantId, (tx) =>
    recordEvent(tx, {
      type: 'edge.silent',
      audience: 'edge',
      resource: { type: 'edge', id: newId() },
      details: { name },
      at: new Date().toISOString(),
    }),
  )

/** Rolls back transactions that have an id. Returns the id of the next transaction. */
async function rollBack(count: number): Promise<bigint> {
  const client = new pg.Client({ connectionString: postgres.ownerUrl })
  await client.connect()
  await client.query(`do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); rollback; end loop; end $$`)
  const next = await nextXactId(client)
  await client.end()
  return next
}

async function nextXactId(client: pg.Client): Promise<bigint> {
  const { rows } = await client.query('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
  return BigInt(rows[0].next)
}

async function crash(): Promise<bigint> {
  const { exited } = postgres
  process.kill(postgres.pid, 'SIGKILL')
  await exited
  await postgres.restart()
  const client = new pg.Client({ connectionString: postgres.ownerUrl })
  await client.connect()
  const next = await nextXactId(client)
  await client.end()
  return next
}

it('events after a crash arrive, also with transaction ids that PostgreSQL has used before', {
  tags: ['long'],
}, async () => {
  const { names, subscription } = await subscribe()
  await commit('before')
  await waitFor(() => expect(names).toEqual(['before']))
  // The first rollback wakes the process that writes the log. It then sleeps.
  await rollBack(1)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const next = await rollBack(200)
  const xmax = () => BigInt(subscription.position.snapshot.split(':')[1] as string)
  await waitFor(() => expect(xmax()).toBeGreaterThanOrEqual(next))
  const { position } = subscription
  expect(await crash()).toBeLessThan(next)
  const after = Array.from({ length: 20 }, (_, at) => `after ${at}`)
  for (const name of after) await waitFor(() => commit(name))
  await waitFor(() => expect([...new Set(names)]).toEqual(['before', ...after]))
  // A client that continues from a position of the time before the crash gets them too.
  const missed: string[] = []
  const { snapshot: until } = await subscription.settled()
  for await (const rows of hub.readSince(tenantId, position, until)) missed.push(...rows.map((row) => row.details.name))
  expect(missed).toEqual(after)
})
