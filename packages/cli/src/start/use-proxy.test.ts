import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { controlPlaneAt } from '@mandate/edge/control-plane/control-plane'
import { planeStreamsAt } from '@mandate/edge/control-plane/plane-stream'
import { protocolHint } from '@mandate/edge/http-address'
import { createClient } from '@mandate/sdk'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fetchOverHttp } from '../connection/fetch-over-http.ts'
import { useProxy } from './use-proxy.ts'

const seen: string[] = []
/** The status with which the proxy refuses tunnels. Null if it opens them. */
let refusal: number | null = null
const proxy = createServer((request, response) => {
  const { host, 'proxy-authorization': user } = request.headers
  seen.push(`${request.method} ${request.url} to ${host}${user ? ` by ${user}` : ''}`)
  response.end('from the proxy')
})
proxy.on('connect', (request, socket) => {
  seen.push(`CONNECT ${request.url}`)
  if (refusal !== null) return socket.end(`HTTP/1.1 ${refusal} No\r\nConnection: close\r\n\r\n`)
  const onward = connect(portOf(target), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  socket.pipe(onward).pipe(socket)
  for (const end of [socket, onward]) end.on('error', () => {})
})
const target = createServer((_request, response) => void response.end('from the target'))
const portOf = (server: Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  for (const server of [proxy, target])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
})
afterAll(() => {
  for (const server of [proxy, target]) server.close().closeAllConnections()
})

function withProxy(environment: NodeJS.ProcessEnv): void {
  seen.length = 0
  onTestFinished(useProxy(environment))
}
const proxyUrl = () => `http://127.0.0.1:${portOf(proxy)}`
const ways: [string, (url: string) => Promise<string>][] = [
  ['fetch', async (url) => await (await fetch(url)).text()],
  [
    'node:http',
    async (url) => await (await fetchOverHttp(url, { method: 'GET', headers: {}, redirect: 'error' })).text(),
  ],
]

describe.each(ways)('requests of %s', (_name, get) => {
  it.each(['HTTP_PROXY', 'http_proxy'])('go through %s', async (name) => {
    withProxy({ [name]: proxyUrl() })
    // Many proxies open no tunnel to the port of HTTP.
    expect(await get('http://mandate.example:8080/api?a=%20b')).toBe('from the proxy')
    expect(seen).toEqual(['GET http://mandate.example:8080/api?a=%20b to mandate.example:8080'])
  })

  it('over HTTP go directly if only HTTPS has a proxy', async () => {
    withProxy({ HTTPS_PROXY: proxyUrl() })
    const cause = expect.objectContaining({ syscall: 'getaddrinfo' })
    await expect(get('http://mandate.invalid/')).rejects.toMatchObject({ message: 'fetch failed', cause })
    expect(seen).toEqual([])
  })

  it('give the proxy its user and password', async () => {
    withProxy({ HTTP_PROXY: proxyUrl().replace('//', '//us%20er:p%40ss@') })
    expect(await get('http://mandate.example/')).toBe('from the proxy')
    expect(seen).toEqual([
      `GET http://mandate.example/ to mandate.example by Basic ${Buffer.from('us er:p@ss').toString('base64')}`,
    ])
  })

  it.each(['HTTPS_PROXY', 'https_proxy'])('over TLS open a tunnel through %s', async (name) => {
    withProxy({ [name]: proxyUrl() })
    await expect(get('https://mandate.example/api')).rejects.toThrow()
    expect(seen).toEqual(['CONNECT mandate.example:443'])
  })

  it.each(['http', 'https'])('over %s fail if the proxy is a SOCKS proxy, except to this machine', async (protocol) => {
    withProxy({ ALL_PROXY: 'socks5://127.0.0.1:9' })
    const cause = expect.objectContaining({
      message: expect.stringMatching(/^ALL_PROXY is a SOCKS proxy, .* set HTTPS_PROXY and HTTP_PROXY$/),
    })
    await expect(get(`${protocol}://mandate.example/api`)).rejects.toMatchObject({ message: 'fetch failed', cause })
    expect(await get(`http://127.0.0.1:${portOf(target)}/`)).toBe('from the target')
    expect(seen).toEqual([])
  })

  it('to an address in NO_PROXY or on this machine go there directly', async () => {
    const port = portOf(target)
    withProxy({ HTTP_PROXY: proxyUrl(), NO_PROXY: '.internal.example' })
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::ffff:127.0.0.1]', '0.0.0.0'])
      await get(`http://${host}:${port}/`).catch(() => {})
    for (const host of ['mandate.internal.example', 'internal.example'])
      await expect(get(`http://${host}:9999/`)).rejects.toThrow()
    expect(seen).toEqual([])
  })
})

describe('a proxy that refuses the connection', () => {
  const url = 'https://mandate.example'
  const call = async (fetch: typeof fetchOverHttp | undefined) =>
    await createClient({ url, retry: { backoffMs: 0 }, ...(fetch && { callFetch: fetch }) }).call('listAgents')
  it.each<[string, () => Promise<unknown>]>([
    ['the command line', () => call(fetchOverHttp)],
    ['the SDK', () => call(undefined)],
    ['the edge', () => controlPlaneAt(url, 'ek_1').ask({ path: '/' })],
    ['the stream of an edge', () => planeStreamsAt(url, 'ek_1').open('/', new AbortController().signal)],
  ])('is named in the error of %s, with the status and what to do', async (_, request) => {
    withProxy({ HTTPS_PROXY: proxyUrl() })
    onTestFinished(() => {
      refusal = null
    })
    for (const [status, hint] of [
      [401, /a user and a password/],
      [407, /a user and a password/],
      [403, /add the host to NO_PROXY/],
      [502, /add the host to NO_PROXY/],
    ] as const) {
      refusal = status
      const error = (await request().catch((thrown: unknown) => thrown)) as Error
      expect(error.message).toContain(`the proxy answered ${status}`)
      expect(protocolHint(error.message)).toMatch(hint)
    }
  })
})

it.each<NodeJS.ProcessEnv>([{}, { NO_PROXY: '*' }, { HTTP_PROXY: '' }, { HTTP_PROXY: 'http://p', NO_PROXY: '*' }])(
  'changes nothing for %j',
  (environment) => {
    const { globalAgent } = process.getBuiltinModule('node:http')
    useProxy(environment)
    expect(process.getBuiltinModule('node:http').globalAgent).toBe(globalAgent)
  },
)
