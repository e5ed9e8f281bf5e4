import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerFor } from '../http/errors.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { Database, type DatabaseOptions, type Tx } from './database.ts'
import { DatabaseAway } from './database-away.ts'
import { raw } from './statement.ts'

let server: TestServer
let tenant: TestTenant
/** One connection, so that what one transaction leaves behind is the next one's. */
let db: Database
let options: DatabaseOptions

beforeAll(async () => {
  server = await startTestServer()
  options = { url: server.owner.options.connectionString as string, poolSize: 1, laneCount: 1 }
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

describe('a transaction', () => {
  it('that fails in one branch writes nothing from another that is still running', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const failed = db.transaction(tenant.id, async (tx) => {
      late = sleep(100).then(() => rename(tx, 'written after the rollback'))
      await Promise.all([fail(tx), late])
    })
    await expect(failed).rejects.toMatchObject(divisionByZero)
    await expect(late).rejects.toThrow('the transaction is over')
    expect(await storedName()).toBe(tenant.name)
  })

  it('that swallows the failure of a statement is not taken for committed', async () => {
    const swallowed = db.transaction(tenant.id, async (tx) => {
      await rename(tx, 'rolled back')
      await fail(tx).catch(() => {})
    })
    await expect(swallowed).rejects.toThrow('rolled back')
    expect(await storedName()).toBe(tenant.name)
  })

  it('that failed leaves its connection to the next tenant without a trace', async () => {
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

  it('in the middle of a transaction fails it as DatabaseAway, stores nothing of it, and the next one runs', async () => {
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

  it('under a read fails that as DatabaseAway, and the next read runs', async () => {
    const cut = new Database({ ...options, applicationName: 'to be cut' })
    const sleeping = cut.reader(tenant.id).all(raw('select pg_sleep(60)', []))
    const isAsleep = `select from pg_stat_activity where application_name = 'to be cut' and query like '%sleep%'`
    await vi.waitFor(async () => expect((await server.owner.query(isAsleep)).rowCount).toBe(1))
    await Promise.all([expect(sleeping).rejects.toThrow(DatabaseAway), endAllOf('to be cut')])
    expect(await cut.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    await cut.close()
  })

  it('is 503 over HTTP, with when to try again', () => {
    const answer = answerFor(new DatabaseAway(new Error('ECONNREFUSED')))
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })
})

describe('a change', () => {
  it('waits ten seconds for a lock and then is refused as met by a concurrent change, not for good', async () => {
    const { rows } = await db.transaction(tenant.id, (tx) => tx.query('show lock_timeout'))
    expect(rows).toEqual([{ lock_timeout: '10s' }])
    const refused = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    expect(answerFor(refused)?.status).toBe(409)
  })
})

describe('a shared connection', () => {
  const openOnes = `select from pg_stat_activity where application_name = 'to be dropped' and datname = current_database()`
  const countOpen = async () => (await server.owner.query(openOnes)).rowCount

  it('that a read gave up is ended: the next read’s is the only one open', async () => {
    const dropping = new Database({ ...options, applicationName: 'to be dropped' })
    const sayingGoodbye = raw(`do $$ begin raise exception 'goodbye' using errcode = '57P01'; end $$`, [])
    await expect(dropping.reader(tenant.id).all(sayingGoodbye)).rejects.toThrow(DatabaseAway)
    expect(await dropping.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    await vi.waitFor(async () => expect(await countOpen()).toBe(1))
    await dropping.close()
  })

  it('that cannot be made ready is ended', async () => {
    const dropping = new Database({ ...options, applicationName: 'to be dropped' })
    const setConfig = 'execute on function pg_catalog.set_config(text, text, boolean)'
    await server.owner.query(`revoke ${setConfig} from public`)
    await expect(dropping.reader(tenant.id).all(raw('select 1 as one', []))).rejects.toMatchObject({ code: '42501' })
    await server.owner.query(`grant ${setConfig} to public`)
    await vi.waitFor(async () => expect(await countOpen()).toBe(0))
    await dropping.close()
  })
})

describe('a read on a shared connection', () => {
  it('never waits on a lock for long: those behind it would wait too, perhaps the very one it waits for', async () => {
    const select = 'select id from tenants where id = $1 for update'
    await db.transaction(tenant.id, async (tx) => {
      await tx.query(select, [tenant.id])
      const waiting = db.reader(tenant.id).all(raw(select, [tenant.id]))
      await expect(waiting).rejects.toMatchObject({ code: '55P03' })
      expect(await db.reader(tenant.id).all(raw('select 1 as one', []))).toEqual([{ one: 1 }])
    })
  })
})
