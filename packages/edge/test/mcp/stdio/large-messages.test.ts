import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { readLines } from '../../../src/mcp/stdio/read-lines.ts'
import { startWorld } from '../testing/gateway-world.ts'
import { startScripted } from '../testing/scripted-upstream.ts'
import { echo, startStdio } from '../testing/stdio-world.ts'

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
      const onTooLong = async (one: Buffer) => void seen.push(`long ${one}`)
      for await (const one of readLines(Readable.from(chunks), 10, undefined, onTooLong)) seen.push(String(one))
      expect(seen).toEqual(lines.map((one) => (one.length > 10 ? `long ${one}` : one)))
    }),
  )
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
