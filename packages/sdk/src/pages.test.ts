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

test('a list by offset is walked to its end, with the caller’s filters on every page', async () => {
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

test('an item that slides over a page’s edge is given once', async () => {
  const pages = [
    { data: [item(1), item(2)], total: 4, limit: 2, offset: 0 },
    { data: [item(2), item(3)], total: 5, limit: 2, offset: 2 },
    { data: [item(4)], total: 5, limit: 2, offset: 4 },
  ]
  const server = await serve((_, count) => ({ status: 200, body: pages[count - 1] }))
  expect(await all(eachOf(createClient({ url: server.url }), 'listReviews'))).toEqual([1, 2, 3, 4].map(item))
})

test('a list that shrinks under the walk ends', async () => {
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
] as const)('%s is walked by %s', async (operation, given, asked) => {
  const server = await serve((_, count) => ({
    status: 200,
    body: { data: [item(count)], ...(count < 3 && { [given]: `t${count}` }) },
  }))
  expect(await all(eachOf(createClient({ url: server.url }), operation))).toEqual([1, 2, 3].map(item))
  expect(server.received.map(({ url }) => url.split('?')[1])).toEqual([undefined, `${asked}=t1`, `${asked}=t2`])
})

test('no page is asked for that nobody takes', async () => {
  const server = await serve((_, count) => ({ status: 200, body: { data: [item(count)], next_page_token: 't' } }))
  for await (const _ of eachOf(createClient({ url: server.url }), 'listAgents')) break
  expect(server.received).toHaveLength(1)
})
