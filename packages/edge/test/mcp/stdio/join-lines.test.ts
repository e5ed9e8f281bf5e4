import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LostText } from '../../../src/mcp/messages/lost-text.ts'
import { MemoryBudget } from '../../../src/mcp/messages/memory-budget.ts'
import { readTexts } from '../../../src/mcp/stdio/join-lines.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { startStdio } from '../testing/stdio-world.ts'

async function textsOf(written: string, maxBytes = 10_000, budget = new MemoryBudget(100_000)) {
  const texts: string[] = []
  for await (const text of readTexts(Readable.from([Buffer.from(written)]), maxBytes, budget.newReservation()))
    texts.push(text instanceof LostText ? text.why : text)
  return texts
}
const pretty = (message: object) => JSON.stringify(message, null, 2)
const ping = { jsonrpc: '2.0', id: 9, result: {} }
const onOneLine = JSON.stringify(ping)

it('property: an answer over several lines is joined to one line with the same JSON, and the next line stays alone', async () => {
  const outcome = fc.oneof(
    fc.json().map((json) => ({ result: JSON.parse(json) })),
    fc.string().map((message) => ({ error: { code: -32603, message } })),
  )
  const indent = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom('\t', ' \t'))
  await fc.assert(
    fc.asyncProperty(outcome, fc.nat(), indent, fc.constantFrom('\n', '\r\n'), async (given, id, space, lineEnd) => {
      const answer = { jsonrpc: '2.0', id, ...given }
      const text = JSON.stringify(answer, null, space).replaceAll('\n', lineEnd)
      const [joined = '', ...others] = await textsOf(`${text}${lineEnd}${onOneLine}\n`)
      expect(joined).not.toContain('\n')
      expect([JSON.parse(joined), ...others]).toEqual([answer, onOneLine])
    }),
  )
})

it.each([
  ['a request', pretty({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } }), ['{']],
  ['a notification', pretty({ jsonrpc: '2.0', method: 'notifications/message', params: {} }), ['{']],
  ['a message with the keys of a request and of an answer', pretty({ id: 1, method: 'a', result: {} }), ['{']],
  ['an answer without an id', pretty({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'a' } }), ['{']],
  ['an object of the language', "{\n  id: 1,\n  result: 'a'\n}", ['{', '  id: 1,', "  result: 'a'", '}']],
  ['a text over several lines', '{\n"id": 1, "result": "a\nb"}', ['{', '"id": 1, "result": "a', 'b"}']],
  ['a bracket', '{', ['{']],
  [
    'an answer that ends on its last line with another one',
    '{\n"id": 1, "result": 2 } {}',
    ['{', '"id": 1, "result": 2 } {}'],
  ],
  ['a beginning with an id', '{"jsonrpc":"2.0","id":1,\n"result":2}', ['{"jsonrpc":"2.0","id":1,', '"result":2}']],
])('%s over several lines is not joined, and the next line is read', async (_what, written, expected) => {
  expect(await textsOf(`${written}\n${onOneLine}\n`)).toEqual([...expected, onOneLine])
})

it('a complete message, a line of a log or an oversized line between the lines ends the joining', async () => {
  const answer = pretty({ jsonrpc: '2.0', id: 1, result: { list: [{ a: 1 }] } })
  const [first = '', ...rest] = answer.split('\n')
  const others = await textsOf([first, ...rest.slice(0, 3), onOneLine, answer].join('\n'))
  expect([others.slice(0, 2), JSON.parse(others[2] ?? '')]).toEqual([[first, onOneLine], JSON.parse(answer)])
  expect(await textsOf(`{\n"result": [\n${onOneLine}\n`)).toEqual(['{', onOneLine])
  expect((await textsOf([first, rest[0], '12:00 working', ...rest.slice(1)].join('\n'))).slice(0, 2)).toEqual([
    '{',
    '12:00 working',
  ])
  const long = `"${'x'.repeat(200)}"`
  expect(await textsOf(`{\n"result":\n${long}\n${onOneLine}\n`, 100)).toEqual([
    '{',
    'it is longer than 100 bytes',
    onOneLine,
  ])
  // A bracket of a log before the answer does not take the answer.
  expect(JSON.parse((await textsOf(`{\n${answer}`))[1] ?? '')).toEqual(JSON.parse(answer))
})

it('the joined lines have a limit, count as memory of the client, and give it back', async () => {
  const answer = pretty({ jsonrpc: '2.0', id: 1, result: Array.from({ length: 50 }, (_, n) => `line ${n}`) })
  const [first, second] = await textsOf(`${answer}\n${onOneLine}\n`, 300)
  expect([first, second]).toEqual(['{', expect.stringMatching(/^\s*"line \d+",$/)])
  const small = new MemoryBudget(300)
  expect((await textsOf(`${answer}\n${onOneLine}\n`, 10_000, small))[0]).toBe('{')
  expect(small.change(300)).toBe(true)
  const enough = new MemoryBudget(2000)
  expect(await textsOf(`${answer}\n`, 10_000, enough)).toHaveLength(1)
  expect(enough.change(2000)).toBe(true)
})

/** Source of a tool server that prints each request for people, and then its answer, over several lines. */
const prettyServer = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line)
    console.log(JSON.stringify(message, null, 2))
    const result = message.method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: {} } : { tools: [{ name: 'read' }] }
    if (message.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }, null, 2))
  })`
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const listed = { jsonrpc: '2.0', id: 7, result: { tools: [{ name: 'read' }] } }

it('a client of the stdio edge gets the answer as one line', async () => {
  const edge = startStdio(prettyServer)
  edge.send(list)
  expect(JSON.parse((await edge.receiveText()) ?? '')).toEqual(listed)
  edge.stdin.end()
  expect(await edge.receive()).toBeNull()
  await edge.code
})

it('a client of the gateway gets the answer', async () => {
  const world = await startWorld({ files: { command: process.execPath, args: ['-e', prettyServer], env: {} } })
  try {
    const post = (message: object, headers = {}) =>
      world.send('files', { method: 'POST', body: JSON.stringify(message), headers })
    const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} })
    await opened.text()
    const answer = await post(list, { 'mcp-session-id': opened.headers.get('mcp-session-id') })
    const [, data = ''] = /^data: (\{.+\})$/m.exec(await answer.text()) ?? []
    expect(JSON.parse(data)).toEqual(listed)
  } finally {
    await world.close()
  }
})
