import { expect, it } from 'vitest'
import { DatabaseAway } from '../db/connections/database-away.ts'
import type { Database } from '../db/database.ts'
import { type GroupedOperation, TenantGroups } from './tenant-groups.ts'

/** An operation that records its groups. The result of an input is its upper case. A group with `bad` fails. */
function recording({ atOnce = 100, failure = new Error('bad input') as Error } = {}) {
  const groups: string[][] = []
  const ends: (() => void)[] = []
  const operation: GroupedOperation<{ text: string }, string> = {
    choose: (waiting) => waiting.slice(0, atOnce),
    async run(_db, tenantId, inputs) {
      const texts = inputs.map(({ text }) => text)
      groups.push([tenantId, ...texts])
      await new Promise<void>((end) => ends.push(end))
      if (texts.includes('bad')) throw failure
      return texts.map((text) => text.toUpperCase())
    },
  }
  /** Ends the groups in flight, until `done` is settled. */
  const endAll = async <T>(done: Promise<T>): Promise<T> => {
    let isDone = false
    const settled = done.finally(() => {
      isDone = true
    })
    settled.catch(() => {})
    while (!isDone) {
      for (const end of ends.splice(0)) end()
      await new Promise(setImmediate)
    }
    return await settled
  }
  return { operation, groups, ends, endAll }
}

// The operations of these tests do not use the database.
const tenantGroups = () => new TenantGroups(undefined as unknown as Database)
const untilStarted = async (groups: unknown[], count: number) => {
  while (groups.length < count) await new Promise(setImmediate)
}

it('inputs that arrive while a group is in flight run together, and each caller gets its own result', async () => {
  const { operation, groups, endAll } = recording()
  const queue = tenantGroups()
  const first = queue.run(operation, 'one', { text: 'a' })
  await untilStarted(groups, 1)
  const others = ['b', 'c', 'd'].map((text) => queue.run(operation, 'one', { text }))
  expect(await endAll(Promise.all([first, ...others]))).toEqual(['A', 'B', 'C', 'D'])
  expect(groups).toEqual([
    ['one', 'a'],
    ['one', 'b', 'c', 'd'],
  ])
})

it('inputs that arrive just after a group of several run together, also if no group is in flight', async () => {
  const { operation, groups, endAll } = recording()
  const queue = tenantGroups()
  await endAll(Promise.all(['a', 'b'].map((text) => queue.run(operation, 'one', { text }))))
  const first = queue.run(operation, 'one', { text: 'c' })
  await new Promise(setImmediate)
  const second = queue.run(operation, 'one', { text: 'd' })
  await endAll(Promise.all([first, second]))
  expect(groups).toEqual([
    ['one', 'a', 'b'],
    ['one', 'c', 'd'],
  ])
})

it('`choose` limits a group, and the other inputs keep their order', async () => {
  const { operation, groups, endAll } = recording({ atOnce: 2 })
  const queue = tenantGroups()
  await endAll(Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => queue.run(operation, 'one', { text }))))
  expect(groups).toEqual([
    ['one', 'a', 'b'],
    ['one', 'c', 'd'],
    ['one', 'e'],
  ])
})

it('tenants do not wait for each other, and are never in one group', async () => {
  const { operation, groups, endAll } = recording()
  const queue = tenantGroups()
  const both = Promise.all([queue.run(operation, 'one', { text: 'a' }), queue.run(operation, 'two', { text: 'b' })])
  await untilStarted(groups, 2)
  expect(groups).toEqual([
    ['one', 'a'],
    ['two', 'b'],
  ])
  expect(await endAll(both)).toEqual(['A', 'B'])
})

it('if a group fails, its inputs run alone, and only the bad one fails', async () => {
  const { operation, groups, endAll } = recording()
  const queue = tenantGroups()
  const calls = ['a', 'bad', 'c'].map((text) => queue.run(operation, 'one', { text }))
  expect(await endAll(Promise.allSettled(calls))).toEqual([
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: new Error('bad input') },
    { status: 'fulfilled', value: 'C' },
  ])
  expect(groups).toEqual([
    ['one', 'a', 'bad', 'c'],
    ['one', 'a'],
    ['one', 'bad'],
    ['one', 'c'],
  ])
})

it('other inputs do not wait for one that runs alone after a failure', async () => {
  const { operation, groups, ends, endAll } = recording()
  const queue = tenantGroups()
  const calls = ['a', 'bad'].map((text) => queue.run(operation, 'one', { text }))
  await untilStarted(groups, 1)
  ends.shift()?.()
  await untilStarted(groups, 3)
  const later = queue.run(operation, 'one', { text: 'later' })
  await untilStarted(groups, 4)
  ends.pop()?.()
  expect(await later).toBe('LATER')
  await endAll(Promise.allSettled(calls))
})

it('if the database is away, a group fails as a whole and does not run again', async () => {
  const { operation, groups, endAll } = recording({ failure: new DatabaseAway(new Error('gone')) })
  const queue = tenantGroups()
  const answers = await endAll(Promise.allSettled(['a', 'bad'].map((text) => queue.run(operation, 'one', { text }))))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(groups).toEqual([['one', 'a', 'bad']])
})

it('503 with Retry-After if 2,000 inputs of the tenant wait; another tenant is served', async () => {
  const { operation, groups, endAll } = recording()
  const queue = tenantGroups()
  const first = queue.run(operation, 'one', { text: 'first' })
  await untilStarted(groups, 1)
  const waiting = Array.from({ length: 2_000 }, (_, n) => queue.run(operation, 'one', { text: `${n}` }))
  await expect(queue.run(operation, 'one', { text: 'more' })).rejects.toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  })
  const other = queue.run(operation, 'two', { text: 'other' })
  await endAll(Promise.all([first, ...waiting, other]))
  expect(await endAll(queue.run(operation, 'one', { text: 'again' }))).toBe('AGAIN')
})
