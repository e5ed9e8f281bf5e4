import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ServerRequests } from '../mcp/http/server-requests.ts'
import { postForm } from './post-form.ts'
import { readProxies, setProxies } from './proxies.ts'

const proxy = 'http://proxy.example:3128'
const isDirect = (noProxy: string, url: string) =>
  readProxies({ HTTPS_PROXY: proxy, NO_PROXY: noProxy })?.isDirect(new URL(url))

test.each([
  ['example.com', 'https://example.com'],
  ['example.com', 'https://a.b.example.com'],
  ['.example.com', 'https://example.com'],
  ['*.example.com', 'https://a.example.com'],
  ['EXAMPLE.com.', 'https://a.Example.com'],
  ['münchen.example', 'https://a.MÜNCHEN.example'],
  ['xn--mnchen-3ya.example', 'https://münchen.example'],
  ['.मेल.भारत:443', 'https://a.मेल.भारत'],
  [' x.example , example.com', 'https://example.com'],
  ['x.example example.com', 'https://example.com'],
  ['example.com:443', 'https://example.com'],
  ['example.com:80', 'http://example.com'],
  ['10.0.0.0/8', 'https://10.9.8.7'],
  ['10.0.0.1-10.0.0.9', 'https://10.0.0.5'],
  ['10.0.0.1', 'https://[::ffff:10.0.0.1]'],
  ['fd00::/8', 'https://[fd12::1]'],
  ['fd00::1', 'https://[fd00:0::1]'],
  ['[fd00::1]:8443', 'https://[fd00::1]:8443'],
  ['', 'http://localhost:7070'],
  ['', 'http://localhost.:7070'],
  ['', 'http://edge.localhost'],
  ['', 'http://127.5.0.1'],
  ['', 'http://[::1]:7070'],
  ['', 'http://[::ffff:127.0.0.1]'],
  ['', 'http://0.0.0.0:7070'],
])('NO_PROXY=%s sends a request for %s directly', (noProxy, url) => expect(isDirect(noProxy, url)).toBe(true))

test.each([
  ['ample.com', 'https://example.com'],
  ['.example.com', 'https://badexample.com'],
  ['example.com:8443', 'https://example.com'],
  ['10.0.0.0/8', 'https://11.0.0.1'],
  ['10.0.0.0/99', 'https://10.0.0.1'],
  ['[fd00::1]:8443', 'https://[fd00::1]'],
  ['', 'https://localhost.example.com'],
  ['', 'https://127.0.0.1.example.com'],
])('NO_PROXY=%s sends a request for %s through the proxy', (noProxy, url) => expect(isDirect(noProxy, url)).toBe(false))

test('reads the variables of curl, in capitals or not, and an address without a protocol', () => {
  expect(readProxies({ http_proxy: 'a:1', HTTP_PROXY: 'b:1' })?.addresses).toEqual({ http_proxy: 'http://a:1' })
  const both = { http_proxy: proxy, https_proxy: 'http://u:p@b' }
  expect(readProxies({ ALL_PROXY: proxy, HTTPS_PROXY: 'http://u:p@b' })?.addresses).toEqual(both)
  for (const environment of [{}, { HTTP_PROXY: '' }, { NO_PROXY: 'a' }, { HTTP_PROXY: proxy, no_proxy: 'a, *' }])
    expect(readProxies(environment)).toBeUndefined()
})

test('writes the protocol of a proxy in small letters, because Node finds no other', () => {
  expect(readProxies({ HTTPS_PROXY: 'HTTP://u:P@Proxy:3128' })?.addresses).toEqual({
    https_proxy: 'http://u:P@Proxy:3128',
  })
  expect(readProxies({ HTTP_PROXY: 'Https://proxy' })?.addresses).toEqual({ http_proxy: 'https://proxy' })
})

test('takes another kind of proxy if it is not used', () => {
  const other = 'socks5://p:1080'
  expect(readProxies({ ALL_PROXY: other, NO_PROXY: '*' })).toBeUndefined()
  const both = { http_proxy: proxy, https_proxy: proxy }
  expect(readProxies({ ALL_PROXY: other, HTTP_PROXY: proxy, HTTPS_PROXY: proxy })?.addresses).toEqual(both)
})

const socksRefusal = 'is a SOCKS proxy, which Mandate does not support; set HTTPS_PROXY and HTTP_PROXY'

test('refuses a SOCKS proxy only for requests that would use it', () => {
  const refusal = (environment: Record<string, string>, url: string) =>
    readProxies(environment)?.refusalOf(new URL(url))?.message
  for (const value of ['socks5://p:1080', 'SOCKS5H://u:hush@p:1080', 'socks4a://p', 'socks://p'])
    for (const url of ['http://example.com', 'https://example.com'])
      expect(refusal({ ALL_PROXY: value }, url)).toBe(`ALL_PROXY ${socksRefusal}`)
  const some = { all_proxy: 'socks5://p:1080', HTTPS_PROXY: proxy, NO_PROXY: 'internal.example' }
  expect(refusal(some, 'http://example.com')).toBe(`ALL_PROXY ${socksRefusal}`)
  for (const url of ['https://example.com', 'http://internal.example', 'http://127.0.0.1:8080', 'http://localhost'])
    expect(refusal(some, url)).toBeUndefined()
  expect(refusal({ HTTPS_PROXY: 'socks5://p:1080' }, 'https://example.com')).toBe(`HTTPS_PROXY ${socksRefusal}`)
})

test('a request to a tool server fails if its proxy is a SOCKS proxy', async () => {
  setProxies(readProxies({ ALL_PROXY: 'socks5://127.0.0.1:9' }))
  onTestFinished(() => setProxies(undefined))
  for (const url of ['http://tools.invalid/mcp', 'https://tools.invalid/mcp']) {
    const requests = new ServerRequests({ url })
    const sent = requests.send({ method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000) })
    await expect(sent).rejects.toThrow(`ALL_PROXY ${socksRefusal}`)
    requests.close()
  }
})

test.each(['no proxy', 'http://', 'u:hush@p:port', 'http://u:hush%@p:1'])(
  'names the variable with %s, without a password',
  (value) => {
    const reading = () => readProxies({ HTTPS_PROXY: value })
    expect(reading).toThrow('HTTPS_PROXY is not the address of a proxy, such as http://proxy.example.com:3128')
    expect(reading).not.toThrow('hush')
  },
)

/** Starts a proxy that answers each request. The process uses it until the end of the test. Returns the requests that it got. */
async function startProxy() {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    seen.push([request.url, request.headers['proxy-authorization']])
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  setProxies(readProxies({ HTTP_PROXY: `u:p%40@127.0.0.1:${(server.address() as AddressInfo).port}` }))
  onTestFinished(() => {
    setProxies(undefined)
    server.close().closeAllConnections()
  })
  return seen
}

test('requests to a tool server go through the proxy', async () => {
  const seen = await startProxy()
  const requests = new ServerRequests({ url: 'http://tools.example/mcp' })
  const answer = await requests.send({ method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000) })
  answer.destroy()
  requests.close()
  expect(seen).toEqual([['http://tools.example/mcp', `Basic ${btoa('u:p@')}`]])
})

test('forms go through the proxy, except to an address that must be checked', async () => {
  const seen = await startProxy()
  const post = (isPrivateAllowed?: boolean) =>
    postForm({
      url: 'http://authorization.invalid/token',
      headers: {},
      form: new URLSearchParams(),
      maxBytes: 100,
      signal: AbortSignal.timeout(10_000),
      isPrivateAllowed,
    })
  for (const isPrivateAllowed of [false, true]) await expect(post(isPrivateAllowed)).rejects.toThrow()
  expect(seen).toEqual([])
  expect(await post()).toEqual({ status: 200, text: '' })
  expect(seen).toEqual([['http://authorization.invalid/token', expect.any(String)]])
})
