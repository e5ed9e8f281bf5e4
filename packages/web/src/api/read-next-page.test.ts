import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it, onTestFinished } from 'vitest'
import { readNextPage } from './read-next-page.ts'

/** A list of three pages whose reads end when the test says so. */
async function shownList() {
  const client = new QueryClient()
  const open: (() => void)[] = []
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ['list'],
    queryFn: ({ pageParam }) => new Promise<number>((resolve) => open.push(() => resolve(pageParam))),
    initialPageParam: 1,
    getNextPageParam: (last: number) => (last < 3 ? last + 1 : undefined),
  })
  onTestFinished(observer.subscribe(() => {}))
  onTestFinished(() => client.clear())
  const readOne = async () => {
    await expect.poll(() => open.length).toBeGreaterThan(0)
    open.shift()?.()
  }
  await readOne()
  await expect.poll(() => observer.getCurrentResult().data?.pages).toEqual([1])
  return { client, observer, readOne, pages: () => observer.getCurrentResult().data?.pages }
}

it('a page that a reader asks for is read, although an event reads the list again meanwhile', async () => {
  const { client, observer, readOne, pages } = await shownList()
  const reading = readNextPage(observer.getCurrentResult())
  await expect.poll(() => observer.getCurrentResult().isFetchingNextPage).toBe(true)
  const again = client.invalidateQueries({ queryKey: ['list'] })
  // The read of the page that was ended, the first page, and the next page again.
  for (let n = 0; n < 3; n++) await readOne()
  await Promise.all([reading, again])
  expect(pages()).toEqual([1, 2])
})

it('a list that is read again is read to its end before the next page', async () => {
  const { client, observer, readOne, pages } = await shownList()
  const again = client.invalidateQueries({ queryKey: ['list'] })
  const reading = readNextPage(observer.getCurrentResult())
  await readOne()
  await again
  expect(pages()).toEqual([1])
  await readOne()
  await reading
  expect(pages()).toEqual([1, 2])
})
