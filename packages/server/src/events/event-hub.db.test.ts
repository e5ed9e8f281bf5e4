import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Database, type Tx } from '../db/database.ts'
import { newId } from '../db/ids/new-id.ts'
import { createTenant, type TestTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { EventHub } from './event-hub.ts'
import type { EventRow } from './event-row.ts'
import { findPositionAfter } from './queries.ts'
import { recordEvent } from './record-event.ts'

const server = useOwnServer()
/** Waits longer than the default, because the machine may be busy. */
const waitFor = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000 })
const log = pino({ level: 'silent' })
let tenant: TestTenant
let instances: Instance[]

/** One process: its database connections and its hub. */
interface Instance {
  db: Database
  hub: EventHub
}

beforeEach(async () => {
  tenant = await createTenant(server)
  instances = []
})
afterEach(async () => {
  for (const { db, hub } of instances) {
    await hub.close()
    await db.close()
  }
  // PostgreSQL notices the end of a connection a moment later. The next test must not see it.
  await waitFor(async () => expect(await listeners()).toEqual([]))
})

function startInstance(options: { lookEveryMs?: number; gapMs?: number } = {}): Instance {
  const url = server.owner.options.connectionString as string
  const db = new Database({ url })
  const instance = { db, hub: new EventHub({ db, url, log, lookEveryMs: 3_600_000, ...options }) }
  instances.push(instance)
  return instance
}

async function subscribe({ hub }: Instance, tenantId = tenant.id) {
  const rows: EventRow[] = []
  const gaps: true[] = []
  const ends: true[] = []
  const subscription = await hub.subscribe(tenantId, {
    onRows: (some) => void rows.push(...some),
    onGap: () => void gaps.push(true),
    onEnd: () => void ends.push(true),
  })
  const names = () => rows.map(({ details }) => details.name as string)
  return {
    rows,
    gaps,
    ends,
    names,
    subscription,
    receives: (expected: string[]) => waitFor(() => expect(names()).toEqual(expected)),
  }
}

const write = (tx: Tx, name: string) =>
  recordEvent(tx, {
    type: 'edge.silent',
    audience: 'edge',
    resource: { type: 'edge', id: newId() },
    details: { name },
    at: new Date().toISOString(),
  })

const commit = ({ db }: Instance, ...names: string[]) =>
  db.transaction(tenant.id, async (tx) => {
    for (const name of names) await write(tx, name)
  })

/** Begins a transaction that has written an event, and ends when `end` is called. */
async function begin({ db }: Instance, name: string) {
  const { promise: written, resolve: onWritten } = Promise.withResolvers<void>()
  const { promise: ending, resolve: end, reject: fail } = Promise.withResolvers<void>()
  const done = db.transaction(tenant.id, async (tx) => {
    await write(tx, name)
    onWritten()
    await ending
  })
  await written
  return {
    commit: async () => {
      end()
      await done
    },
    rollBack: async () => {
      fail(new Error('rolled back'))
      await done.catch(() => {})
    },
  }
}

const listeners = async () => {
  const { rows } = await server.owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'mandate events' and query <> '' and datname = current_database()
      and (query ilike 'listen%' or query = 'select 1')`,
  )
  return rows.map(({ pid }) => pid)
}

describe('new events of a tenant', () => {
  it('arrive at this instance and at others, each once and in their order', async () => {
    const [one, other] = [startInstance(), startInstance()]
    const [near, far] = [await subscribe(one), await subscribe(other)]
    await commit(one, 'a', 'b')
    await commit(other, 'c')
    await near.receives(['a', 'b', 'c'])
    await far.receives(['a', 'b', 'c'])
  })

  it('arrive when their transaction commits, and a transaction that stays open delays no other', async () => {
    const instance = startInstance()
    const reader = await subscribe(instance)
    const slow = await begin(instance, 'slow')
    await commit(instance, 'fast')
    await reader.receives(['fast'])
    await commit(instance, 'faster')
    await reader.receives(['fast', 'faster'])
    await slow.commit()
    await reader.receives(['fast', 'faster', 'slow'])
  })

  it('arrive if their transaction began before the reader', async () => {
    const instance = startInstance()
    const slow = await begin(instance, 'slow')
    const reader = await subscribe(instance)
    await slow.commit()
    await reader.receives(['slow'])
  })

  it('never arrive if their transaction is rolled back', async () => {
    const instance = startInstance()
    const reader = await subscribe(instance)
    const failed = await begin(instance, 'failed')
    await failed.rollBack()
    await commit(instance, 'stored')
    await reader.receives(['stored'])
  })

  it('never arrive at readers of another tenant', async () => {
    const instance = startInstance()
    const other = await createTenant(server)
    const [mine, theirs] = [await subscribe(instance), await subscribe(instance, other.id)]
    await commit(instance, 'mine')
    await mine.receives(['mine'])
    await instance.db.transaction(other.id, (tx) => write(tx, 'theirs'))
    await theirs.receives(['theirs'])
    expect(mine.names()).toEqual(['mine'])
  })

  it('arrive whole if there are more than a page', async () => {
    const instance = startInstance()
    const reader = await subscribe(instance)
    const names = Array.from({ length: 1_200 }, (_, at) => String(at))
    await commit(instance, ...names)
    await reader.receives(names)
  })

  it('of many transactions at once arrive exactly once, also at readers that start meanwhile', async () => {
    const [one, other] = [startInstance(), startInstance()]
    const early = await subscribe(one)
    const later: Awaited<ReturnType<typeof subscribe>>[] = []
    const written = new Set<string>()
    const writer = async (number: number) => {
      for (let at = 0; at < 40; at++) {
        const name = `${number}-${at}`
        const open = await begin(number % 2 ? one : other, name)
        if (at % 3 === 0) await pause(Math.random() * 10)
        if (at % 7 === 0) await open.rollBack()
        else {
          await open.commit()
          written.add(name)
        }
      }
    }
    const writing = Promise.all(Array.from({ length: 12 }, (_, number) => writer(number)))
    for (let at = 0; at < 5; at++) {
      await pause(20)
      later.push(await subscribe(other))
    }
    await writing
    await waitFor(() => expect(early.names().toSorted()).toEqual([...written].toSorted()))
    for (const reader of later) {
      const missed: EventRow[] = []
      const since = early.subscription.startedAt
      for await (const rows of other.hub.readSince(tenant.id, since, reader.subscription.startedAt.snapshot))
        missed.push(...rows)
      const all = () => [...missed, ...reader.rows].map(({ details }) => details.name).toSorted()
      await waitFor(() => expect(all()).toEqual([...written].toSorted()))
    }
  })
})

describe('a reader that lost its notifications', () => {
  it('receives what was committed while its connection was closed, and later events', async () => {
    const instance = startInstance()
    const reader = await subscribe(instance)
    await commit(instance, 'before')
    await reader.receives(['before'])
    const pids = await waitFor(async () => {
      const found = await listeners()
      expect(found).toHaveLength(1)
      return found
    })
    await server.owner.query('select pg_terminate_backend($1)', [pids[0]])
    await commit(instance, 'meanwhile')
    await reader.receives(['before', 'meanwhile'])
    await waitFor(async () => expect(await listeners()).not.toEqual(pids))
    await commit(instance, 'after')
    await reader.receives(['before', 'meanwhile', 'after'])
  })

  it('looks for new events by itself', async () => {
    const instance = startInstance({ lookEveryMs: 50 })
    const reader = await subscribe(instance)
    const silent = startInstance()
    silent.db.onAnnounced = () => {}
    await commit(silent, 'without a notification')
    await reader.receives(['without a notification'])
  })

  it('is told if rows may have expired meanwhile', async () => {
    const instance = startInstance({ gapMs: -1_000_000 })
    const reader = await subscribe(instance)
    await commit(instance, 'after the gap')
    await reader.receives(['after the gap'])
    expect(reader.gaps.length).toBeGreaterThan(0)
  })
})

describe('a position', () => {
  /** Expects what a reader receives that continues after a row: what was committed before it subscribes, and what comes then. */
  const expectAfter = async (instance: Instance, { id }: EventRow, expected: string[]) => {
    const position = await findPositionAfter(instance.db.reader(tenant.id), id)
    if (!position) throw new Error('the row is unknown')
    const { subscription, names } = await subscribe(instance)
    const missed: string[] = []
    for await (const rows of instance.hub.readSince(tenant.id, position, subscription.startedAt.snapshot))
      missed.push(...rows.map((row) => row.details.name))
    await waitFor(() => expect([...missed, ...names()]).toEqual(expected))
  }
  const rowOf = async (instance: Instance, read: () => Promise<unknown>, name: string) => {
    const reader = await subscribe(instance)
    await read()
    return await waitFor(() => {
      const row = reader.rows.find(({ details }) => details.name === name)
      if (!row) throw new Error('the row has not arrived')
      return row
    })
  }

  it('continues after a row on another instance: with the rest of its transaction and what was committed later', async () => {
    const [one, other] = [startInstance(), startInstance()]
    await commit(one, 'earlier')
    const row = await rowOf(one, () => commit(one, 'a', 'b', 'c'), 'b')
    await commit(one, 'later')
    await expectAfter(other, row, ['c', 'later'])
  })

  it('continues with the rest of its transaction, also if others committed between its statements', async () => {
    const [one, other] = [startInstance(), startInstance()]
    const row = await rowOf(
      one,
      () =>
        one.db.transaction(tenant.id, async (tx) => {
          await write(tx, 'a')
          await commit(one, 'other')
          await write(tx, 'b')
          await write(tx, 'c')
        }),
      'b',
    )
    await expectAfter(other, row, ['c'])
  })

  it('continues with a transaction that began before the row and committed after it', async () => {
    const instance = startInstance()
    const slow = await begin(instance, 'slow')
    const row = await rowOf(instance, () => commit(instance, 'row'), 'row')
    await slow.commit()
    await commit(instance, 'later')
    await expectAfter(instance, row, ['slow', 'later'])
  })

  it('is unknown for a row of another tenant and for an old row', async () => {
    const instance = startInstance()
    const other = await createTenant(server)
    const row = await rowOf(instance, () => commit(instance, 'row'), 'row')
    expect(await findPositionAfter(instance.db.reader(other.id), row.id)).toBeUndefined()
    expect(await findPositionAfter(instance.db.reader(tenant.id), row.id)).toBeDefined()
    await server.owner.query(`update events set stored_at = now() - interval '14 minutes' where id = $1`, [row.id])
    expect(await findPositionAfter(instance.db.reader(tenant.id), row.id)).toBeUndefined()
  })
})

it('without consumers no connection listens, and nothing is read', async () => {
  const instance = startInstance()
  await commit(instance, 'unread')
  expect(await listeners()).toEqual([])
})

it('a closed hub refuses consumers and ends its connection', async () => {
  const instance = startInstance()
  const reader = await subscribe(instance)
  await waitFor(async () => expect(await listeners()).toHaveLength(1))
  await instance.hub.close()
  expect(reader.ends).toEqual([true])
  await waitFor(async () => expect(await listeners()).toEqual([]))
  await expect(subscribe(instance)).rejects.toThrow('the server stops; try again')
})

it('reports a database that is away to the consumer that wants to start', async () => {
  const db = new Database({ url: 'postgres://nobody@127.0.0.1:1/none' })
  const hub = new EventHub({ db, url: 'postgres://nobody@127.0.0.1:1/none', log })
  instances.push({ db, hub })
  await expect(subscribe({ db, hub })).rejects.toThrow()
})
