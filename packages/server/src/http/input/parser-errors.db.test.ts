import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

/** Sends bytes over a new connection. Resolves with the whole response when the server closes the connection. */
async function exchange(text: string) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(text)
  let received = ''
  for await (const chunk of socket) received += chunk
  const [head = '', body = ''] = received.split('\r\n\r\n')
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

  it('the id is the one that the client sent, if the headers were read', async () => {
    const withId = (rest: string) => `GET /healthz HTTP/1.1\r\nX-Request-Id: mine\r\n${rest}\r\n`
    expect((await exchange(withId(''))).headers.get('x-request-id')).toBe('mine')
    expect((await exchange(withId('Host: x\r\nExpect: a-miracle\r\n'))).headers.get('x-request-id')).toBe('mine')
  })
})
