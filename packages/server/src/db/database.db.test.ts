import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerFor } from '../http/answers/errors.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { DatabaseAway, DatabaseFull } from './connections/database-away.ts'
import { Database, type DatabaseOptions, type Tx } from './database.ts'
import { newId } from './ids/new-id.ts'
import { raw } from './statements/statement.ts'

let server: TestServer
let tenant: TestTenant
/** One connection, so that a later transaction sees the state that an earlier one left on it. */
let db: Database
let options: DatabaseOptions

beforeAll(async () => {
  server = await startTestServer()
  options = { url: server.owner.options.connectionString as string, poolSize: 1, readConnections: 1 }
  db = new Database(options)
})
afterAll(async () => {
  await db.close()
  await server.stop()
})
beforeEach(async () => {
  tenant = await createTenant(server)
})

const rename = (tx: Tx, name: string) => tx.query('update tenants set name = $2 where id = $1', [tenant.id, name])
const fail = (tx: Tx) => tx.query('select 1 / 0')
const storedName = async () =>
  (await server.owner.query('select name from tenants where id = $1', [tenant.id])).rows[0].name
const divisionByZero = { code: '22012' }

describe('a full disk', () => {
  const meetFullDisk = (tx: Tx) => tx.query(`do $$ begin raise 'no space left' using errcode = '53100'; end $$`)

  it('is remembered until a write succeeds; transactions that only read do not reset it', async () => {
    await expect(db.transaction(tenant.id, meetFullDisk)).rejects.toThrow(DatabaseFull)
    const read = raw<{ id: string }>('select id from tenants', [])
    await db.transaction(tenant.id, (tx) => Promise.all([tx.all(read), tx.commit()]))
    await db.transaction(tenant.id, (tx) => tx.query('select id from tenants'))
    await db.transaction(tenant.id, (tx) => tx.query(`update tenants set name = name where id = $1`, [newId()]))
    expect(db.isFull).toBe(true)
    await db.transaction(tenant.id, (tx) => rename(tx, 'there is room'))
    expect(db.isFull).toBe(false)
    await expect(db.transaction(tenant.id, meetFullDisk)).rejects.toThrow(DatabaseFull)
    const prepared = raw('update tenants set name = $2 where id = $1', [tenant.id, 'there is room again'])
    await db.transaction(tenant.id, (tx) => Promise.all([tx.all(prepared), tx.commit()]))
    expect(db.isFull).toBe(false)
  })
})

describe('a transaction', () => {
  it('with a failed branch writes nothing from a branch that is still running', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const failed = db.transaction(tenant.id, async (tx) => {
      late = sleep(100).then(() => rename(tx, 'written after the rollback'))
      await Promise.all([fail(tx), late])
    })
    await expect(failed).rejects.toMatchObject(divisionByZero)
    await expect(late).rejects.toThrow('the transaction has already ended')
    expect(await storedName()).toBe(tenant.name)
  })

  it('that ignores a failed statement is not reported as committed', async () => {
    const swallowed = db.transaction(tenant.id, async (tx) => {
      await rename(tx, 'rolled back')
      await fail(tx).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow('rolled back')
    expect(await storedName()).toBe(tenant.name)
  })

  it('that failed leaves no state on its connection for the next tenant', async () => {
    const other = await createTenant(server)
    const ids = raw<{ id: string }>('select id from tenants', [])
    for (const { id } of [tenant, other, tenant]) {
      await expect(db.transaction(id, fail)).rejects.toMatchObject(divisionByZero)
      const [inTransaction, read] = await Promise.all([
        db.transaction(id, (tx) => tx.all(ids)),
        db.reader(id).all(ids),
        db
          .reader(id)
          .all(raw('select 1 / 0', []))
          .catch(() => []),
      ])
      expect([inTransaction, read]).toEqual([[{ id }], [{ id }]])
    }
  })
})

describe('a connection that the database ends', () => {
  const endAllOf = (applicationName: string) =>
    server.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      applicationName,
    ])

  it('during a transaction fails it as DatabaseAway and stores nothing, and the next transaction runs', async () => {
    const cut = new Database({ ...options, applicationName: 'to be cut' })
    const lost = cut.transaction(tenant.id, async (tx) => {
      await rename(tx, 'never committed')
      await endAllOf('to be cut')
    })
    await expect(lost).rejects.toThrow(DatabaseAway)
    expect(await storedName()).toBe(tenant.name)
    await cut.transaction(tenant.id, (tx) => rename(tx, 'after'))
    expect(await storedName()).toBe('after')
    await cut.close()
  })

  it('during a read fails it as DatabaseAway, and the next read runs', async () => {
    const cut = new Database({ ...options, applicationName: 'to be cut' })
    const sleeping = cut.reader(tenant.id).all(raw('select pg_sleep(60)', []))
    const isAsleep = `select from pg_stat_activity where application_name = 'to be cut' and query like '%sleep%'`
    await vi.waitFor(async () => expect((await server.owner.query(isAsleep)).rowCount).toBe(1))
    await Promise.all([expect(sleeping).rejects.toThrow(DatabaseAway), endAllOf('to be cut')])
    expect(await cut.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    await cut.close()
  })

  it('during reads that were sent together fails each one without a response', async () => {
    const cut = new Database({ ...options, applicationName: 'to be cut' })
    const reads = ['select 1 as one', 'select pg_sleep(60)', 'select 2 as two'].map((text) =>
      cut.reader(tenant.id).all(raw(text, [])),
    )
    const answers = Promise.allSettled(reads)
    const isAsleep = `select from pg_stat_activity where application_name = 'to be cut' and query like '%sleep%'`
    await vi.waitFor(async () => expect((await server.owner.query(isAsleep)).rowCount).toBe(1))
    await endAllOf('to be cut')
    const [first, ...others] = await answers
    expect(first).toEqual({ status: 'fulfilled', value: [{ one: 1 }] })
    for (const other of others) expect(other).toMatchObject({ reason: expect.any(DatabaseAway) })
    await cut.close()
  })

  it('is 503 over HTTP, with Retry-After', () => {
    const answer = answerFor(new DatabaseAway(new Error('ECONNREFUSED')))
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })
})

describe('statements of one turn of the event loop', () => {
  const ids = raw<{ id: string }>('select id from tenants', [])
  const read = (id: string, text: string, values: unknown[] = []) => db.reader(id).all(raw(text, values))

  it('each run as their own tenant, also when they are sent together', async () => {
    const tenants = await Promise.all(Array.from({ length: 12 }, () => createTenant(server)))
    const found = await Promise.all(tenants.flatMap(({ id }) => [db.reader(id).all(ids), db.reader(id).all(ids)]))
    expect(found).toEqual(tenants.flatMap(({ id }) => [[{ id }], [{ id }]]))
    expect(await db.global.all(ids)).toEqual([])
  })

  it('fail alone when they are reads: on execution, on parsing, and for values that cannot be sent', async () => {
    const unsendable = { toPostgres: () => JSON.parse('no JSON') }
    for (const bad of ['select 1 / 0', 'select nothing from nowhere', `select '${'x'}' ~ '('`]) {
      const together = [read(tenant.id, 'select 1 as n'), read(tenant.id, bad), db.reader(tenant.id).all(ids)]
      const [before, failed, behind] = await Promise.allSettled(together)
      expect(before).toEqual({ status: 'fulfilled', value: [{ n: 1 }] })
      expect(failed).toMatchObject({ status: 'rejected', reason: { severity: 'ERROR' } })
      expect(behind).toEqual({ status: 'fulfilled', value: [{ id: tenant.id }] })
    }
    const [failed, behind] = await Promise.allSettled([
      read(tenant.id, 'select $1::text as n', [unsendable]),
      read(tenant.id, 'select 2 as n'),
    ])
    expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(SyntaxError) })
    expect(behind).toEqual({ status: 'fulfilled', value: [{ n: 2 }] })
  })

  it('leave their prepared statements to later batches, also when one before them failed', async () => {
    const [first, late] = ['select 10 as ten', 'select 11 as eleven']
    const failed = read(tenant.id, 'select 1 / 0').catch(() => 'failed')
    const prepared = [read(tenant.id, first), read(tenant.id, late)]
    const again = new Promise((resolve) => setImmediate(resolve)).then(() => read(tenant.id, late))
    expect(await Promise.all([failed, ...prepared, again])).toEqual([
      'failed',
      [{ ten: 10 }],
      [{ eleven: 11 }],
      [{ eleven: 11 }],
    ])
  })

  it('of a transaction are all undone if one of them fails, even with a commit among them', async () => {
    const undone = db.transaction(tenant.id, async (tx) => {
      const statements = [rename(tx, 'undone'), tx.all(raw('select 1 / $1::int', [0])), tx.commit()]
      await Promise.all(statements)
    })
    await expect(undone).rejects.toMatchObject(divisionByZero)
    expect(await storedName()).toBe(tenant.name)
  })

  it('of a transaction are committed with the last of them, and no statement may follow', async () => {
    const update = 'update tenants set name = $2 where id = $1'
    const follows = db.transaction(tenant.id, async (tx) => {
      await Promise.all([tx.all(raw(update, [tenant.id, 'committed'])), tx.commit()])
      await tx.all(raw(update, [tenant.id, 'too late']))
    })
    await expect(follows).rejects.toThrow('the transaction has already ended')
    expect(await storedName()).toBe('committed')
  })
})

describe('a change', () => {
  it('waits ten seconds for a lock and is then refused with 409 as a concurrent change', async () => {
    const { rows } = await db.transaction(tenant.id, (tx) => tx.query('show lock_timeout'))
    expect(rows).toEqual([{ lock_timeout: '10s' }])
    const refused = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    expect(answerFor(refused)?.status).toBe(409)
  })
})

describe('text that PostgreSQL cannot store', () => {
  it.each([
    ['half of a surrogate pair in JSON', `select '"\\ud83d"'::jsonb`],
    ['U+0000 in JSON', `select '"\\u0000"'::jsonb`],
    ['a text that is not JSON', 'select $1::text::json', ['{']],
    ['U+0000 in text', 'select $1::text', ['a\0b']],
  ])('is refused with 400, so that an edge does not repeat the request: %s', async (_, text, values: string[] = []) => {
    const error = await db.transaction(tenant.id, (tx) => tx.all(raw(text, values))).catch((thrown) => thrown)
    // The language of messages is a setting of the database.
    error.message = 'eine Meldung in einer anderen Sprache'
    expect(answerFor(error)).toMatchObject({ status: 400 })
  })

  it('a malformed value of another type stays an error of the server', async () => {
    const read = db.transaction(tenant.id, (tx) => tx.all(raw('select $1::text::uuid', ['x'])))
    expect(answerFor(await read.catch((thrown) => thrown))).toBeNull()
  })
})

describe('a shared connection', () => {
  const openOnes = `select from pg_stat_activity where application_name = 'to be dropped' and datname = current_database()`
  const countOpen = async () => (await server.owner.query(openOnes)).rowCount

  it('that a read has abandoned is closed, so only the next read’s connection stays open', async () => {
    const dropping = new Database({ ...options, applicationName: 'to be dropped' })
    const sayingGoodbye = raw(`do $$ begin raise exception 'goodbye' using errcode = '57P01'; end $$`, [])
    await expect(dropping.reader(tenant.id).all(sayingGoodbye)).rejects.toThrow(DatabaseAway)
    expect(await dropping.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    await vi.waitFor(async () => expect(await countOpen()).toBe(1))
    await dropping.close()
  })
})

describe('a read on a shared connection', () => {
  it.each([
    'update tenants set name = name where id = $1',
    'update "tenants" as t set "name" = name where id = $1',
    'merge into tenants t using agents a on a.id = $1 when matched then do nothing',
    'with x as (delete from agents where tenant_id = $1 returning id) select id from x',
    'insert into audit_unsealed select $1, id from agents',
  ])('refuses a write: %s', async (text) => {
    await expect(db.reader(tenant.id).all(raw(text, [tenant.id]))).rejects.toThrow('cannot write outside a transaction')
  })

  it('never waits long for a lock, because it would delay the reads behind it, which may hold that lock', async () => {
    const select = 'select id from tenants where id = $1 for update'
    await db.transaction(tenant.id, async (tx) => {
      await tx.query(select, [tenant.id])
      const waiting = db.reader(tenant.id).all(raw(select, [tenant.id]))
      await expect(waiting).rejects.toMatchObject({ code: '55P03' })
      expect(await db.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    })
  })
})
