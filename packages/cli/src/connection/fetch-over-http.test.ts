import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { promisify } from 'node:util'
import { readProxies, setProxies } from '@mandate/edge/outgoing/proxies'
import { type ClientOptions, createClient } from '@mandate/sdk/client'
import type { PlainRequest } from '@mandate/sdk/plain-fetch'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fetchOverHttp } from './fetch-over-http.ts'

const get: PlainRequest = { method: 'GET', headers: {}, redirect: 'error' }

/** Starts a server that stops at the end of the test. `connections` are all that it has accepted. */
async function serve(answer: RequestListener, host = '127.0.0.1') {
  const connections: Socket[] = []
  const server = createServer(answer).on('connection', (socket) => connections.push(socket))
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, connections }
}

/** Starts a server that answers with what it received, as JSON. */
const echo = (host?: string) =>
  serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method, url, headers } = request
    response.end(JSON.stringify({ method, url, headers, body }))
  }, host)

/** Answers with the start of a body, and then calls `next`. */
const begin =
  (next: (socket: Socket) => void = () => {}): RequestListener =>
  (request, response) => {
    response.setHeader('content-type', 'application/json')
    response.write('{"data":', () => next(request.socket))
  }

const clientOf = (url: string, options: Partial<ClientOptions> = {}) =>
  createClient({ url, callFetch: fetchOverHttp, retry: { backoffMs: 0 }, ...options })

describe('the request', () => {
  test('has the method, the headers, and the body with its length in bytes', async () => {
    const { url } = await echo()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const request = { ...get, method, headers: { authorization: 'Bearer a' }, body: '"ü"' }
      const { ok, status, text } = await fetchOverHttp(`${url}/a?b=c`, request)
      expect({ ok, status }).toEqual({ ok: true, status: 200 })
      expect(JSON.parse(await text())).toMatchObject({
        method,
        url: '/a?b=c',
        headers: { authorization: 'Bearer a', 'content-length': '4' },
        body: '"ü"',
      })
    }
  })

  test('without a body has length 0 if its method usually has a body', async () => {
    const { url } = await echo()
    const { text } = await fetchOverHttp(url, { ...get, method: 'POST' })
    expect(JSON.parse(await text())).toMatchObject({ headers: { 'content-length': '0' }, body: '' })
  })

  test('goes to an IPv6 address', async () => {
    const { url } = await echo('::1')
    expect((await fetchOverHttp(url, get)).status).toBe(200)
  })

  test('reuses the connection of an earlier request', async () => {
    const { url, connections } = await echo()
    for (let count = 0; count < 3; count++) await (await fetchOverHttp(url, get)).text()
    expect(connections).toHaveLength(1)
  })

  test('reuses the connection of an earlier request that bypassed a proxy', async () => {
    setProxies(readProxies({ HTTP_PROXY: 'http://proxy.example:3128' }))
    onTestFinished(() => setProxies(undefined))
    const { url, connections } = await echo()
    for (let count = 0; count < 3; count++) await (await fetchOverHttp(url, get)).text()
    expect(connections).toHaveLength(1)
  })

  test('reuses the connection although the signal of the earlier request is aborted now', async () => {
    const { url, connections } = await echo()
    const aborting = new AbortController()
    await (await fetchOverHttp(url, { ...get, signal: aborting.signal })).text()
    aborting.abort()
    await (await fetchOverHttp(url, get)).text()
    expect(connections).toHaveLength(1)
  })

  test('is not sent if the signal is already aborted', async () => {
    const { url, connections } = await echo()
    await expect(fetchOverHttp(url, { ...get, signal: AbortSignal.abort('why') })).rejects.toBe('why')
    expect(connections).toHaveLength(0)
  })
})

describe('the response', () => {
  test('is read as UTF-8 also if it is large and its characters are split', async () => {
    const body = 'ü€😀'.repeat(500_000)
    const { url } = await serve((_request, response) => {
      const bytes = Buffer.from(body)
      for (let at = 0; at < bytes.length; at += 10_007) response.write(bytes.subarray(at, at + 10_007))
      response.end()
    })
    expect((await (await fetchOverHttp(url, get)).text()) === body).toBe(true)
  })

  test('has headers, and null for an absent header', async () => {
    const { url } = await serve((_request, response) => response.writeHead(429, { 'Retry-After': '7' }).end())
    const { ok, headers } = await fetchOverHttp(url, get)
    expect([ok, headers.get('retry-after'), headers.get('x-request-id')]).toEqual([false, '7', null])
  })

  test('closes its connection if its body is canceled', async () => {
    const { url, connections } = await serve(begin())
    await (await fetchOverHttp(url, get)).body?.cancel()
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
  })
})

describe('a call fails', () => {
  test('for a redirect, which is not followed', async () => {
    const target = await echo()
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${target.url}/sign-in?token=hidden`
      const { url } = await serve((_request, response) => response.writeHead(status, { location }).end())
      const message = `${url} cannot be reached (it redirects to ${target.url}/sign-in)`
      await expect(clientOf(url).call('listAgents')).rejects.toMatchObject({ status: 0, code: 'unreachable', message })
    }
    expect(target.connections).toHaveLength(0)
  })

  test('if nothing listens', async () => {
    const message = 'http://127.0.0.1:9 cannot be reached (ECONNREFUSED)'
    await expect(clientOf('http://127.0.0.1:9').call('listAgents')).rejects.toMatchObject({ message })
  })

  test('if the connection closes in the middle of the body', async () => {
    const { url } = await serve(begin((socket) => socket.destroy()))
    const message = `${url} cannot be reached (ECONNRESET)`
    await expect(clientOf(url).call('listAgents')).rejects.toMatchObject({ code: 'unreachable', message })
  })

  test.each([['the response', () => {}] as const, ['the rest of the body', begin()] as const])(
    'with a timeout if %s does not arrive',
    async (_what, answer) => {
      const { url, connections } = await serve(answer)
      const call = clientOf(url, { retry: { retries: 0 }, timeoutMs: 100 }).call('listAgents')
      await expect(call).rejects.toMatchObject({ code: 'timeout', message: `${url} did not answer within 100 ms` })
      await expect.poll(() => connections[0]?.destroyed).toBe(true)
    },
  )

  test.each(['before the response', 'in the middle of the body'])('with the reason of an abort %s', async (when) => {
    const aborting = new AbortController()
    const abort = () => aborting.abort('why')
    const { url, connections } = await serve(
      when === 'before the response' ? abort : begin(() => setTimeout(abort, 50)),
    )
    await expect(clientOf(url).call('listAgents', { signal: aborting.signal })).rejects.toBe('why')
    await expect.poll(() => connections[0]?.destroyed).toBe(true)
  })
})

test('a client sends a request again after a 503', async () => {
  let count = 0
  const { url } = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.writeHead(count++ === 0 ? 503 : 200).end('{"data":[]}')
  })
  expect(await clientOf(url).call('listAgents')).toEqual({ data: [] })
})

test('a program ends at once although its connection is still open', async () => {
  const { url } = await echo()
  const script = `
    const { fetchOverHttp } = await import(${JSON.stringify(new URL('fetch-over-http.ts', import.meta.url))})
    await (await fetchOverHttp('${url}', ${JSON.stringify(get)})).text()
    setImmediate(() => console.log(process.getActiveResourcesInfo().join()))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  // The names of all that keeps the process alive.
  expect(stdout).not.toContain('TCP')
})
