import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { MemoryBudget } from '../mcp/messages/memory-budget.ts'
import { readJson } from './read-json.ts'

function read(text: string, room = 1 << 21) {
  const headers = { 'content-type': 'application/json' }
  const request = Object.assign(Readable.from([Buffer.from(text)]), { headers }) as unknown as IncomingMessage
  return readJson(request, new MemoryBudget(room).newReservation())
}

test.each([
  ['an integer no double holds', '{"args":{"id":1234567890123456789}}', /a number cannot be represented exactly/i],
  ['a key twice', '{"args":{"path":"/ok","path":"/etc"}}', /the same key twice/],
  ['a key twice, once escaped', '{"tool":"a","t\\u006fol":"b"}', /the same key twice/],
  ['nesting too deep', '['.repeat(20_000) + ']'.repeat(20_000), /deeper than 128 levels/],
  ['no JSON', '{', /not JSON/],
])('400 that names the fault: %s', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) })
})

test('reads JSON that every parser reads alike', async () => {
  const body = {
    args: { id: '1234567890123456789', most: Number.MAX_SAFE_INTEGER, rate: 0.1, list: [{ a: 1 }, { a: 2 }] },
  }
  expect(await read(JSON.stringify(body))).toEqual(body)
})

test('429 for a body that has no room beside those of the other open requests', async () => {
  await expect(read('{"args":{}}', 5)).rejects.toMatchObject({ status: 429 })
})
