import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { fetchOverHttp } from '../connection/fetch-over-http.ts'
import { useProxy } from './use-proxy.ts'

const seen: string[] = []
const proxy = createServer((request, response) => {
  seen.push(`${request.method} ${request.url}`)
  response.end('from the proxy')
})
proxy.on('connect', (request, socket) => {
  seen.push(`CONNECT ${request.url}`)
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
    // The proxy leads each tunnel to the target.
    expect(await get('http://mandate.example/api')).toMatch(/from the (proxy|target)/)
    expect(seen).toEqual([expect.stringMatching(/^(GET http:\/\/mandate.example\/api|CONNECT mandate.example:80)$/)])
  })

  it.each(['HTTPS_PROXY', 'https_proxy'])('over TLS open a tunnel through %s', async (name) => {
    withProxy({ [name]: proxyUrl() })
    await expect(get('https://mandate.example/api')).rejects.toThrow()
    expect(seen).toEqual(['CONNECT mandate.example:443'])
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

it.each<NodeJS.ProcessEnv>([{}, { NO_PROXY: '*' }, { HTTP_PROXY: '' }, { HTTP_PROXY: 'http://p', NO_PROXY: '*' }])(
  'changes nothing for %j',
  (environment) => {
    const { globalAgent } = process.getBuiltinModule('node:http')
    useProxy(environment)
    expect(process.getBuiltinModule('node:http').globalAgent).toBe(globalAgent)
  },
)
