// May take over 10 s: PostgreSQL and the server give up a silent connection by their own clocks, which a test cannot advance.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serialize } from 'pg-protocol'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { queryOnce } from '../testing/database-urls.ts'
import { type FaultProxy, startFaultProxy, throughProxy } from '../testing/fault-proxy.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { DatabaseAway } from './connections/database-away.ts'
import type { WatchedClient } from './connections/watched-client.ts'
import { Database, type Tx } from './database.ts'
import { raw } from './statements/statement.ts'

const lateMs = 500
const server = useOwnServer()
let tenant: TestTenant
let proxy: FaultProxy
let db: Database
let urlThrough: (proxyPort: number) => string

beforeEach(async () => {
  tenant = await createTenant(server)
  const { target, urlVia } = throughProxy(server.owner.options.connectionString as string)
  urlThrough = urlVia
  proxy = await startFaultProxy(target)
  db = new Database({ url: urlVia(proxy.port), poolSize: 2, readConnections: 1, lateMs })
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

describe('a connection that stops answering', () => {
  it('is closed when it carries reads, and the reads are repeated on another connection', async () => {
    await read()
    proxy.silence()
    expect(await Promise.all([read(), read(), read()])).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
  })

  it('is not used for a transaction, which runs once on another connection', async () => {
    await Promise.all([change('before'), change('before')])
    await sleep(1_100)
    proxy.silence()
    await change('after')
    expect(await storedName()).toBe('after')
  })

  it('during a transaction fails it as DatabaseAway and frees its locks', async () => {
    const patient = new Database({ url: urlThrough(proxy.port), poolSize: 2, readConnections: 1, lateMs: 4_000 })
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

  it('delays other transactions by at most one lock timeout, however many dead transactions wait for one lock', async () => {
    const normal = new Database({ url: urlThrough(proxy.port), poolSize: 8, readConnections: 1 })
    const direct = new Database({
      url: server.owner.options.connectionString as string,
      poolSize: 1,
      readConnections: 1,
    })
    const isWaiting = async (count: number) => {
      const { rows } = await server.owner.query(`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`)
      expect(rows[0].count).toBe(count)
    }
    const silenced = Promise.withResolvers<void>()
    const holding = normal.transaction(tenant.id, async (tx) => {
      await rename(tx, 'never stored')
      const waiting = Array.from({ length: 7 }, () =>
        normal.transaction(tenant.id, (other) => rename(other, 'nor this')),
      )
      await vi.waitFor(() => isWaiting(7), { timeout: 60_000 })
      proxy.silence()
      silenced.resolve()
      await Promise.all([...waiting, rename(tx, 'never stored either')])
    })
    const lost = expect(holding).rejects.toThrow(DatabaseAway)
    await silenced.promise
    // Waits for locks of the dead transactions, at most for its lock timeout.
    await direct.transaction(tenant.id, (tx) => rename(tx, 'after'))
    expect(await storedName()).toBe('after')
    await lost
    await Promise.all([normal.close(), direct.close()])
  })

  it('does not block closing the database: its transaction fails', async () => {
    const begun = Promise.withResolvers<void>()
    const own = new Database({ url: urlThrough(proxy.port), lateMs })
    const lost = own.transaction(tenant.id, async (tx) => {
      await rename(tx, 'never stored')
      begun.resolve()
      await sleep(100)
      await rename(tx, 'never stored either')
    })
    const failed = expect(lost).rejects.toThrow(DatabaseAway)
    await begun.promise
    proxy.silence()
    await own.close()
    await failed
  })

  it('during a commit leaves the outcome unknown, and the change is not repeated', async () => {
    const own = new Database({ url: urlThrough(proxy.port), lateMs })
    const runs = { count: 0 }
    const lost = own.transaction(tenant.id, async (tx) => {
      runs.count++
      await tx.query(`update tenants set name = name || '+' where id = $1`, [tenant.id])
      const committed = tx.commit()
      // The statement is sent, but its response is lost.
      setImmediate(() => setImmediate(() => proxy.silence()))
      await committed
    })
    await expect(lost).rejects.toThrow(DatabaseAway)
    await own.close()
    expect(runs.count).toBe(1)
    expect((await storedName()).match(/\++$/)?.[0] ?? '').toMatch(/^\+?$/)
  })

  it('after half a batch also frees its locks, although its backend counts as active', async () => {
    const own = new Database({ url: urlThrough(proxy.port), poolSize: 1, lateMs })
    const lost = own.transaction(tenant.id, async (tx) => {
      await rename(tx, 'never stored')
      const { _clients } = (own as unknown as { pool: { _clients: { connection: { stream: Socket } }[] } }).pool
      _clients[0]?.connection.stream.write(serialize.parse({ text: 'select 1' }))
      await sleep(200)
      proxy.silence()
      await rename(tx, 'never stored either')
    })
    await expect(lost).rejects.toThrow(DatabaseAway)
    await change('after')
    expect(await storedName()).toBe('after')
    await own.close()
  })

  it('is not assumed for a long statement when the database refuses new connections', async () => {
    await read()
    const slow = db.transaction(tenant.id, (tx) =>
      tx.query(`select 'done' as said from pg_sleep(${(lateMs * 5) / 1000})`),
    )
    const { rows } = await server.owner.query('select current_database() as name')
    const allow = (isAllowed: boolean) =>
      queryOnce(inject('ownerUrl'), `alter database ${rows[0].name} with allow_connections ${isAllowed}`)
    await sleep(100)
    await allow(false)
    try {
      expect((await slow).rows).toEqual([{ said: 'done' }])
    } finally {
      await allow(true)
    }
  })

  it('leaves no backend behind', async () => {
    const lively = new Database({ url: urlThrough(proxy.port), applicationName: 'counted', lateMs })
    const busy = () => Promise.all(Array.from({ length: 5 }, () => lively.transaction(tenant.id, (tx) => tx.all(one))))
    const count = async () => {
      const { rows } = await server.owner.query(`select pid from pg_stat_activity where application_name = 'counted'`)
      return rows.map(({ pid }) => pid as number)
    }
    await Promise.all([busy(), lively.global.all(one)])
    const before = await count()
    expect(before.length).toBeGreaterThan(5)
    proxy.silence()
    await Promise.allSettled([busy(), lively.global.all(one), lively.global.all(one)])
    await busy()
    await vi.waitFor(async () => expect((await count()).filter((pid) => before.includes(pid))).toEqual([]))
    await lively.close()
  })

  it('is not assumed while a statement runs long, and the transaction waits for it', async () => {
    const slow = await db.transaction(tenant.id, (tx) =>
      tx.query(`select 'done' as said from pg_sleep(${(lateMs * 5) / 1000})`),
    )
    expect(slow.rows).toEqual([{ said: 'done' }])
  })

  it('is not assumed while a change waits for a lock, and the change succeeds', async () => {
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

describe('a connection that is in use', () => {
  it('is not pinged: consecutive and simultaneous transactions send only their own statements', async () => {
    const busy = () => db.transaction(tenant.id, (tx) => Promise.all([tx.all(one), tx.commit()]))
    await Promise.all([busy(), busy()])
    const sent: string[] = []
    const pool = (db as unknown as { pool: { _clients: WatchedClient[] } }).pool
    // Only the connections of the pool are observed here. The connection that checks the others is abandoned after each check,
    // which is not an error.
    const abandoned = pool._clients.map((client) => vi.spyOn(client, 'abandon'))
    for (const client of pool._clients) {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown
      client.query = ((...args: unknown[]) => {
        sent.push(typeof args[0] === 'string' ? args[0] : 'batch')
        return query(...args)
      }) as typeof client.query
    }
    for (let turn = 0; turn < 20; turn++) {
      await busy()
      await Promise.all([busy(), busy()])
    }
    expect(sent).toEqual(Array.from({ length: 60 }, () => 'batch'))
    for (const spy of abandoned) expect(spy).not.toHaveBeenCalled()
  })
})

describe('a database behind a broken network', () => {
  it('that resets connections fails running statements as DatabaseAway, and the next statements run', async () => {
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

  it('that drops new connections too fails reads and changes as DatabaseAway, and recovers by itself', async () => {
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

  it('that is slow still answers', async () => {
    proxy.latencyMs = 100
    expect(await Promise.all([read(), read()])).toEqual([[{ one: 1 }], [{ one: 1 }]])
    await change('slowly')
    expect(await storedName()).toBe('slowly')
  })
})

describe('a read that meets a lock', () => {
  it('is repeated, and succeeds when the lock is free', async () => {
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
