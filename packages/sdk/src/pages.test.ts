import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { eachOf } from './pages.ts'
import { serve } from './testing/serve.ts'

const item = (id: number) => ({ id: String(id) })

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of items) found.push(one)
  return found
}

test('reads every page of an offset list, with the caller’s filters on every request', async () => {
  const server = await serve(({ url }) => {
    const { searchParams } = new URL(url, 'http://x')
    const offset = Number(searchParams.get('offset') ?? 0)
    const data = [1, 2, 3, 4, 5].slice(offset, offset + 2).map(item)
    return { status: 200, body: { data, total: 5, limit: 2, offset } }
  })
  const found = await all(eachOf(createClient({ url: server.url }), 'listReviews', { query: { status: 'pending' } }))
  expect(found.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5'])
  expect(server.received.map(({ url }) => url.split('?')[1])).toEqual([
    'status=pending',
    'status=pending&offset=2',
    'status=pending&offset=4',
  ])
})

test('returns an item once if it moves to the next page during the reading', async () => {
  const pages = [
    { data: [item(1), item(2)], total: 4, limit: 2, offset: 0 },
    { data: [item(2), item(3)], total: 5, limit: 2, offset: 2 },
    { data: [item(4)], total: 5, limit: 2, offset: 4 },
  ]
  const server = await serve((_, count) => ({ status: 200, body: pages[count - 1] }))
  expect(await all(eachOf(createClient({ url: server.url }), 'listReviews'))).toEqual([1, 2, 3, 4].map(item))
})

test('ends if the list shrinks during the reading', async () => {
  const pages = [
    { data: [item(1)], total: 3, limit: 1, offset: 0 },
    { data: [], total: 3, limit: 1, offset: 1 },
  ]
  const server = await serve((_, count) => ({ status: 200, body: pages[count - 1] }))
  expect(await all(eachOf(createClient({ url: server.url }), 'listReviews'))).toEqual([item(1)])
})

test.each([
  ['listAgents', 'next_page_token', 'page_token'],
  ['listAuditEntries', 'next_cursor', 'cursor'],
] as const)('reads the pages of %s with %j', async (operation, given, asked) => {
  const server = await serve((_, count) => ({
    status: 200,
    body: { data: [item(count)], ...(count < 3 && { [given]: `t${count}` }) },
  }))
  expect(await all(eachOf(createClient({ url: server.url }), operation))).toEqual([1, 2, 3].map(item))
  expect(server.received.map(({ url }) => url.split('?')[1])).toEqual([undefined, `${asked}=t1`, `${asked}=t2`])
})

test('requests no page that the caller does not read', async () => {
  const server = await serve((_, count) => ({ status: 200, body: { data: [item(count)], next_page_token: 't' } }))
  for await (const _ of eachOf(createClient({ url: server.url }), 'listAgents')) break
  expect(server.received).toHaveLength(1)
})
