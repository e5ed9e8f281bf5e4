import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answerFor } from '../http/errors.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { Database, type Tx } from './database.ts'
import { raw } from './statement.ts'

let server: TestServer
let tenant: TestTenant
/** One connection, so that what one transaction leaves behind is the next one's. */
let db: Database

beforeAll(async () => {
  server = await startTestServer()
  db = new Database({ url: server.owner.options.connectionString as string, poolSize: 1, laneCount: 1 })
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

describe('a change', () => {
  it('waits ten seconds for a lock and then is refused as met by a concurrent change, not for good', async () => {
    const { rows } = await db.transaction(tenant.id, (tx) => tx.query('show lock_timeout'))
    expect(rows).toEqual([{ lock_timeout: '10s' }])
    const refused = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    expect(answerFor(refused)?.status).toBe(409)
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
