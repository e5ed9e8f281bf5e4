import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { type FaultProxy, startFaultProxy, throughProxy } from '../testing/fault-proxy.ts'
import { startTestServer, type TestServer } from '../testing/start-test-server.ts'
import { Database, type Tx } from './database.ts'
import { DatabaseAway } from './database-away.ts'
import { raw } from './statement.ts'

const lateMs = 500
let server: TestServer
let tenant: TestTenant
let proxy: FaultProxy
let db: Database
let urlThrough: (proxyPort: number) => string

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())
beforeEach(async () => {
  tenant = await createTenant(server)
  const { target, urlVia } = throughProxy(server.owner.options.connectionString as string)
  urlThrough = urlVia
  proxy = await startFaultProxy(target)
  db = new Database({ url: urlVia(proxy.port), poolSize: 2, laneCount: 1, lateMs })
})
afterEach(async () => {
  await proxy.close()
  await db.close()
})

const one = raw<{ one: number }>('select 1 as one', [])
const read = () => db.reader(tenant.id).all(one)
const rename = (tx: Tx, name: string) => tx.query('update tenants set name = $2 where id = $1', [tenant.id, name])
const change = (name: string) => db.transaction(tenant.id, (tx) => rename(tx, name))
const storedName = async () =>
  (await server.owner.query('select name from tenants where id = $1', [tenant.id])).rows[0].name

describe('a connection that falls silent', () => {
  it('is dropped when it carries reads, which are repeated on another connection', async () => {
    await read()
    proxy.silence()
    expect(await Promise.all([read(), read(), read()])).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
  })

  it('is not used for a transaction: the transaction runs on another connection, once', async () => {
    await Promise.all([change('before'), change('before')])
    await sleep(1_100)
    proxy.silence()
    await change('after')
    expect(await storedName()).toBe('after')
  })

  it('in the middle of a transaction fails it as DatabaseAway, and frees what it had locked', async () => {
    const patient = new Database({ url: urlThrough(proxy.port), poolSize: 2, laneCount: 1, lateMs: 4_000 })
    const lost = patient.transaction(tenant.id, async (tx) => {
      await rename(tx, 'never stored')
      proxy.silence()
      await rename(tx, 'never stored either')
    })
    await expect(lost).rejects.toThrow(DatabaseAway)
    await change('after')
    expect(await storedName()).toBe('after')
    await patient.close()
  })

  it('is not assumed while a statement runs long: the transaction waits for it', async () => {
    const slow = await db.transaction(tenant.id, (tx) =>
      tx.query(`select 'done' as said from pg_sleep(${(lateMs * 5) / 1000})`),
    )
    expect(slow.rows).toEqual([{ said: 'done' }])
  })

  it('is not assumed while a change waits for a lock: the change succeeds', async () => {
    const locker = await server.owner.connect()
    await locker.query('begin')
    await locker.query('select id from tenants where id = $1 for update', [tenant.id])
    const waiting = change('after the lock')
    await sleep(lateMs * 4)
    await locker.query('commit')
    locker.release()
    await waiting
    expect(await storedName()).toBe('after the lock')
  })
})

describe('a database behind a broken network', () => {
  it('that resets connections fails what is under way as DatabaseAway, and the next statements run', async () => {
    await Promise.all([read(), change('before')])
    const reading = db.reader(tenant.id).all(raw('select pg_sleep(5)', []))
    const changing = db.transaction(tenant.id, (tx) => tx.query('select pg_sleep(5)'))
    const ended = Promise.allSettled([reading, changing])
    await sleep(300)
    proxy.reset()
    for (const end of await ended) expect(end).toMatchObject({ reason: expect.any(DatabaseAway) })
    expect(await read()).toEqual([{ one: 1 }])
    await change('after')
    expect(await storedName()).toBe('after')
  })

  it('that swallows new connections too fails reads and changes as DatabaseAway, and recovers by itself', async () => {
    await Promise.all([read(), change('before')])
    proxy.isBlackHole = true
    const [reading, changing] = await Promise.allSettled([read(), change('lost')])
    expect(reading).toMatchObject({ reason: expect.any(DatabaseAway) })
    expect(changing).toMatchObject({ reason: expect.any(DatabaseAway) })
    proxy.isBlackHole = false
    expect(await read()).toEqual([{ one: 1 }])
    await change('after')
    expect(await storedName()).toBe('after')
  })

  it('that is slow answers all the same', async () => {
    proxy.latencyMs = 100
    expect(await Promise.all([read(), read()])).toEqual([[{ one: 1 }], [{ one: 1 }]])
    await change('slowly')
    expect(await storedName()).toBe('slowly')
  })
})

describe('a read that meets a lock', () => {
  it('is repeated, and answers once the lock is free', async () => {
    const locker = await server.owner.connect()
    await locker.query('begin')
    await locker.query('select id from tenants where id = $1 for update', [tenant.id])
    const reading = db.reader(tenant.id).all(raw('select id from tenants where id = $1 for share', [tenant.id]))
    await sleep(800)
    await locker.query('commit')
    locker.release()
    expect(await reading).toEqual([{ id: tenant.id }])
  })
})
