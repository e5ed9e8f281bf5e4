import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { RetriedFetch } from './retried-fetch.ts'

/** A fetch whose outcomes the test decides. */
function start() {
  const waiting: PromiseWithResolvers<void>[] = []
  const failures: unknown[] = []
  const fetching = new RetriedFetch({
    fetch: () => {
      const one = Promise.withResolvers<void>()
      waiting.push(one)
      return one.promise
    },
    onFailure: (error) => void failures.push((error as Error).message),
  })
  onTestFinished(async () => {
    for (const one of waiting) one.resolve()
    await fetching.close()
  })
  return { fetching, waiting, failures }
}

it('is pending from a request until the fetch has succeeded', async () => {
  const { fetching, waiting } = start()
  expect(fetching.isPending).toBe(false)
  fetching.request()
  expect(fetching.isPending).toBe(true)
  waiting[0]?.resolve()
  await fetching.settled()
  expect(fetching.isPending).toBe(false)
  expect(waiting).toHaveLength(1)
})

it('fetches again for a request that came during a fetch, and is pending until then', async () => {
  const { fetching, waiting } = start()
  fetching.request()
  fetching.request()
  const both = fetching.settled()
  waiting[0]?.resolve()
  await pause(1)
  expect([waiting.length, fetching.isPending]).toEqual([2, true])
  waiting[1]?.resolve()
  await both
  expect(fetching.isPending).toBe(false)
})

it('loses no request that comes right after a fetch has ended', async () => {
  const { fetching, waiting } = start()
  for (let round = 0; round < 20; round++) {
    fetching.request()
    await pause(0)
    waiting[round]?.resolve()
    await fetching.settled()
    for (let turns = 0; turns < round % 5; turns++) await Promise.resolve()
  }
  expect(waiting).toHaveLength(20)
  expect(fetching.isPending).toBe(false)
})

it('tries again after a failure: at once for a request, and not for every call that needs the data', async () => {
  const { fetching, waiting, failures } = start()
  fetching.request()
  waiting[0]?.reject(new Error('gone'))
  await fetching.settled()
  expect(failures).toEqual(['gone'])
  expect(fetching.isPending).toBe(true)
  for (let calls = 0; calls < 100; calls++) fetching.requestSoon()
  await fetching.settled()
  expect(waiting).toHaveLength(1)
  await pause(1)
  fetching.request()
  await pause(1)
  expect(waiting).toHaveLength(2)
})

it('does nothing after it was closed, and lets nobody wait', async () => {
  const { fetching, waiting } = start()
  fetching.request()
  waiting[0]?.reject(new Error('gone'))
  await fetching.settled()
  await fetching.close()
  fetching.request()
  await fetching.settled()
  expect(waiting).toHaveLength(1)
})
