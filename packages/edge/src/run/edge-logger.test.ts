import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { edgeLogger } from './edge-logger.ts'

function logOf(error: unknown) {
  const lines: string[] = []
  edgeLogger('warn', { write: (line) => void lines.push(line) }).warn({ err: error }, 'failed')
  return JSON.parse(lines.join('')).err
}

it('logs no byte of an HTTP answer that cannot be parsed', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nBad Header\r\n\r\nsecret')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const [error] = await once(get({ port: (server.address() as AddressInfo).port }), 'error')
  expect(error).toHaveProperty('rawPacket')
  expect(Object.keys(logOf(error)).sort()).toEqual(['code', 'message', 'stack', 'type'])
})

it('logs the code, the address and the causes of an error', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  const error = Object.assign(new TypeError('fetch failed', { cause }), {
    code: 'X',
    address: '127.0.0.1',
    port: 1,
    body: 'b',
  })
  expect(logOf(error)).toEqual({
    type: 'TypeError',
    message: 'fetch failed: refused',
    stack: expect.stringContaining('caused by: Error: refused'),
    code: 'X',
    address: '127.0.0.1',
    port: 1,
  })
  expect(logOf('text')).toBe('text')
})
