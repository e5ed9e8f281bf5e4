import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { MessageOutline } from '../../../src/json/message-outline.ts'
import { readEnvelopes } from '../../../src/json/read-envelopes.ts'
import { LostText } from '../../../src/mcp/messages/lost-text.ts'
import { readLines } from '../../../src/mcp/stdio/read-lines.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { startScripted } from '../testing/scripted-upstream.ts'
import { echo, largeAnswers, startStdio, tooLongAnswer } from '../testing/stdio-world.ts'

it('property: a line that is too long fails alone, in any chunks, and all other lines are read', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.array(fc.integer({ min: 1, max: 30 })), async (lines, sizes) => {
      let bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''))
      const chunks: Buffer[] = []
      for (const size of [...sizes, bytes.length]) {
        if (bytes.length > 0) chunks.push(bytes.subarray(0, size))
        bytes = bytes.subarray(size)
      }
      const seen: string[] = []
      for await (const one of readLines(Readable.from(chunks), 10))
        seen.push(one instanceof LostText ? one.why : String(one))
      expect(seen).toEqual(lines.map((one) => (one.length > 10 ? 'it is longer than 10 bytes' : one)))
    }),
  )
})

it('property: the ids of messages are read from their outline as from the whole text', () => {
  const field = fc.oneof(
    fc.constantFrom(
      '"id":7',
      '"id":"a\\"b"',
      '"id" : 12.5',
      '"method":"x"',
      '"error":null',
      '"i\\u0064":3',
      '"id":{"id":4}',
    ),
    fc.json().map((json) => `"result":${json}`),
    fc.json().map((json) => `"params":${JSON.stringify(json)}`),
  )
  const message = fc.array(field, { maxLength: 5 }).map((fields) => `{${fields.join(',')}}`)
  const text = fc.oneof(
    message,
    fc.array(message, { maxLength: 4 }).map((messages) => ` [${messages.join(',')}]`),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\ id0') }),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, size) => {
      const outline = new MessageOutline()
      const bytes = Buffer.from(whole)
      for (let at = 0; at < bytes.length; at += size) outline.add(bytes.subarray(at, at + size))
      expect(readEnvelopes(String(outline))).toEqual(readEnvelopes(whole))
    }),
  )
})

it('an id that does not fit into the outline is not read', () => {
  const outlineOf = (text: string) => {
    const outline = new MessageOutline()
    outline.add(Buffer.from(text))
    return readEnvelopes(String(outline)).found
  }
  expect(outlineOf(`{"id":"${'x'.repeat(9000)}","method":"a"}`)).toMatchObject([{ id: null, hasMethod: true }])
  const filled = `{${`"${'x'.repeat(8000)}":0,`.repeat(9)}`
  for (let n = 65_000; n < 65_600; n++) {
    const start = `${filled.slice(0, n)}"`
    const [found] = outlineOf(`${start},"id":1234567}`)
    expect([null, '1234567']).toContain(found?.id)
  }
})

const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
it('an answer of a started server over the limit fails alone, wherever its id is, and the server goes on', async () => {
  const edge = startStdio(largeAnswers, { maxResponseBytes: 1_000_000 })
  for (const [id, name] of ['first', 'last', 'lost', 'short', 'last'].entries()) {
    edge.send(call(id, name))
    const answer = ['first', 'last'].includes(name) ? tooLongAnswer : { result: { content: [] } }
    expect(await edge.receive()).toMatchObject({ id, ...answer })
  }
  expect(edge.warnings).toEqual(Array(4).fill('the edge dropped an MCP message'))
  edge.stdin.end()
  await edge.code
})

it.each(['first', 'last'])(
  'a message over the limit on standard input gets an error with its id, which is %s',
  async (place) => {
    const edge = startStdio(echo)
    const params = { text: 'x'.repeat(5_000_000) }
    const request = { jsonrpc: '2.0', method: 'ping' }
    edge.send(place === 'first' ? { id: 'a', ...request, params } : { ...request, params, id: 'a' })
    const message = expect.stringContaining('MANDATE_EDGE_MAX_REQUEST_MB')
    expect(await edge.receive()).toMatchObject({ id: 'a', error: { code: -32600, message } })
    edge.send({ ...request, id: 2 })
    expect(await edge.receive()).toMatchObject({ id: 2, result: {} })
    edge.stdin.end()
    await edge.code
  },
)

it('a message of a client that is many times over the limit fails alone too', async () => {
  const edge = startStdio(echo, { maxRequestBytes: 1000 })
  const params = { text: 'x'.repeat(200_000) }
  for (const id of [1, 2, 3]) edge.send({ jsonrpc: '2.0', id, method: 'ping', ...(id === 2 && { params }) })
  // The error for the long message may come before the first answer.
  const answers = [await edge.receive(), await edge.receive(), await edge.receive()]
  expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([
    { id: 1, result: {} },
    { id: 2, error: { code: -32600 } },
    { id: 3, result: {} },
  ])
  edge.stdin.end()
  await edge.code
})

it('a client that sends too much, or has no token, gets the answer and no broken connection', async () => {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  const world = await startWorld({ files: { url: upstream.url } })
  onTestFinished(world.close)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'x'.repeat(5_000_000) } })
  const post = async (headers: Record<string, string>) =>
    (await world.send('files', { method: 'POST', body, headers })).status
  for (let n = 0; n < 5; n++) {
    expect(await post({})).toBe(413)
    expect(await post({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await post({ 'content-type': 'text/plain' })).toBe(415)
  }
  expect(upstream.received).toEqual([])
})
