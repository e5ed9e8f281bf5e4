import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

/** Sends bytes over a new connection. Resolves with the whole response when the server closes the connection. */
async function exchange(...packets: string[]) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = once(socket, 'close')
  for (const packet of packets) {
    const before = socket.bytesRead
    socket.write(packet)
    // An answer shows that the server has read the packet.
    if (packet !== packets.at(-1)) await expect.poll(() => socket.bytesRead, { interval: 5 }).toBeGreaterThan(before)
  }
  await closed
  const answer = received.slice(received.lastIndexOf('HTTP/1.1 '))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]))
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) }
}

const start = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'

describe('a request that the HTTP parser refuses gets the error shape and a request id', () => {
  it.each([
    ['431 for headers over 16 KB', `${start}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['400 for text that is not HTTP', 'nonsense\r\n\r\n', 400],
    ['400 for two lengths of one body', `${start}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
    ['400 for a version of HTTP that is not supported', 'GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['400 for a header without a name', `${start}: x\r\n\r\n`, 400],
    ['400 for a chunk without a length', `${start}Transfer-Encoding: chunked\r\n\r\nx\r\n`, 400],
    ['400 without Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['400 without Host, for a path that does not exist', 'PUT /nowhere HTTP/1.1\r\nContent-Length: 0\r\n\r\n', 400],
    ['400 without Host, with a body', 'POST /api/v1/auth/sign-in HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}', 400],
    ['400 for two Host headers', `${start}host: y\r\n\r\n`, 400],
    ['400 for two equal Host headers of HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: x\r\nHOST: x\r\n\r\n', 400],
    ['405 for a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 405],
    ['417 for an unknown expectation', `${start}Expect: a-miracle\r\n\r\n`, 417],
  ])('%s', async (_title, text, status) => {
    const answer = await exchange(text)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error: expect.any(String) })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('a refused tunnel is closed, although the client keeps its side open and goes on sending', async () => {
    const { hostname, port } = new URL(server.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const sending = setInterval(() => socket.write('more'), 20)
    onTestFinished(() => clearInterval(sending))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {}).resume()
    socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n')
    await closed
  })

  const post = 'POST /healthz HTTP/1.1\r\nHost: x\r\n'
  const id = 'X-Request-Id: mine\r\n'
  const get = `GET /healthz HTTP/1.1\r\nHost: x\r\n`
  const twoLengths = 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'
  const long = `X-Long: ${'a'.repeat(20_000)}\r\n`

  it.each([
    ['without Host', [`GET /healthz HTTP/1.1\r\n${id}\r\n`]],
    ['with an expectation', [`${get}${id}Expect: a-miracle\r\n\r\n`]],
    ['with a bad chunk', [`${post}${id}Transfer-Encoding: chunked\r\n\r\nzz\r\n`]],
    ['with two lengths', [`${post}${id}${twoLengths}\r\n`]],
    ['with two lengths before the id', [`${post}${twoLengths}x-request-ID:\tmine \r\n\r\n`]],
    ['with long headers', [`${get}${id}${long}\r\n`]],
    ['with a header without a name', [`${get}${id}: x\r\n\r\n`]],
    ['with an unknown version of HTTP', [`GET /healthz HTTP/9.9\r\n${id}\r\n`]],
    ['after another request', [`${get}X-Request-Id: first\r\n\r\n`, `${post}${id}${twoLengths}\r\n`]],
  ])('the id is the one that the client sent: %s', async (_title, packets) => {
    expect((await exchange(...packets)).headers.get('x-request-id')).toBe('mine')
  })

  it.each([
    ['with an id that is not sane', [`${post}X-Request-Id: mi ne\r\n${twoLengths}\r\n`]],
    ['with two ids', [`${post}${id}${id}${twoLengths}\r\n`]],
    ['with thousands of spaces', [`${get}X-Request-Id:${' '.repeat(15_000)}\r\n more\r\n: x\r\n\r\n`]],
    ['with an id of two lines', [`${post}X-Request-Id: mine\r\n more\r\n${twoLengths}\r\n`]],
    ['with the id after 16 KiB', [`${get}${long}${id}\r\n`]],
    ['with the id in another header', [`${post}X-Other: ${id}${twoLengths}\r\n`]],
    ['with the id in the body', [`${post}${twoLengths}\r\n${id}\r\n`]],
    ['with the id in a chunk', [`${post}Transfer-Encoding: chunked\r\n\r\n14\r\n${id}\r\nzz\r\n${id}\r\n`]],
    ['after another request in the same bytes', [`${get}${id}\r\n${post}${twoLengths}\r\n`]],
    [
      'after a body that looks like a request',
      [`${post}Content-Length: 44\r\n\r\n`, `GET / HTTP/1.1\r\n${id}X: 1\r\n: x\r\n\r\n`],
    ],
  ])('the id is a new one: %s', async (_title, packets) => {
    expect((await exchange(...packets)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
