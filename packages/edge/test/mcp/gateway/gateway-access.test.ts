import { once } from 'node:events'
import { request } from 'node:http'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayWorld, newToken, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { answerJson, type Scripted, startScripted } from '../testing/scripted-upstream.ts'

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const otherToken = newToken()
let upstream: Scripted
let world: GatewayWorld

beforeAll(async () => {
  upstream = await startScripted()
  const servers = { files: { url: upstream.url }, mail: { url: upstream.url } }
  world = await startWorld(servers, {
    clients: [{ token: otherToken, guard: policyGuard(allowAll) }],
    allowedHosts: ['edge.internal'],
    allowedOrigins: ['https://console.example'],
    limits: { maxRequestBytes: 2000 },
  })
})
afterAll(async () => {
  await world.close()
  await upstream.stop()
})
afterEach(() => upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}')))

/** The status for a request that is sent exactly as given: no library corrects its path or host. */
async function statusOf(path: string, headers: Record<string, string>, method = 'POST', body = ping): Promise<number> {
  const outgoing = request(world.url, { path, method, headers: { 'content-type': 'application/json', ...headers } })
  outgoing.end(method === 'POST' ? body : undefined)
  const [answer] = await once(outgoing, 'response')
  answer.resume()
  return answer.statusCode
}

const post = (init: RequestInit & { headers?: Record<string, string> } = {}) =>
  world.send('files', { method: 'POST', body: ping, ...init })

describe('rejects every request without a client token', () => {
  it.each(['', 'Bearer', 'Bearer ', 'Basic eDp5', `Bearer ${newToken()}`, 'Bearer a b'])(
    '%j',
    async (authorization) => {
      for (const path of ['/mcp/files', '/mcp/none', '/']) expect(await statusOf(path, { authorization })).toBe(401)
      expect(upstream.received).toEqual([])
    },
  )
})

describe('a web page cannot reach a tool', () => {
  it.each([
    ['by a name of its own that leads here', { host: 'evil.example' }],
    ['by a name that begins like ours', { host: '127.0.0.1.evil.example:80' }],
    ['from its own origin', { origin: 'https://evil.example' }],
    ['from a page whose name begins like one of this machine', { origin: 'http://localhost.evil.example' }],
    ['from a file', { origin: 'null' }],
  ])('%s', async (_what, headers) => {
    expect(await statusOf('/mcp/files', { authorization: `Bearer ${world.token}`, ...headers })).toBe(403)
    expect(upstream.received).toEqual([])
  })

  it.each<Record<string, string>>([
    { host: 'localhost:1' },
    { host: '[::1]' },
    { host: 'EDGE.internal' },
    { origin: 'https://console.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://[::1]' },
  ])('except an allowed one: %j', async (headers) => {
    expect(await statusOf('/mcp/files', { authorization: `Bearer ${world.token}`, ...headers })).toBe(200)
  })
})

describe('a page of a configured origin', () => {
  const preflight = (headers: Record<string, string>) =>
    fetch(`${world.url}/mcp/files`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://console.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers':
          'authorization,mandate-edge-token,content-type,mcp-session-id,mcp-param-path,x-other',
        ...headers,
      },
    })

  it('gets an answer to its preflight request without a token', async () => {
    const answer = await preflight({})
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'authorization, mandate-edge-token, content-type, mcp-session-id, mcp-param-path',
      vary: 'origin',
    })
    expect(upstream.received).toEqual([])
  })

  it('may read answers, refusals and the session id', async () => {
    const origin = 'https://console.example'
    for (const [authorization, status] of [
      [`Bearer ${world.token}`, 200],
      ['Bearer x', 401],
    ] as const) {
      const answer = await post({ headers: { origin, authorization } })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-expose-headers')).toContain('mcp-session-id')
    }
  })

  it('pages of other origins, including this machine, may read nothing', async () => {
    for (const origin of ['https://evil.example', 'http://localhost:3000', 'null']) {
      const answer = await preflight({ origin })
      expect([401, 403]).toContain(answer.status)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect((await post()).headers.get('access-control-allow-origin')).toBeNull()
  })
})

it.each([
  '/',
  '/mcp',
  '/mcp/',
  '/mcp/none',
  '/MCP/files',
  '/mcp/files//',
  '/mcp/files/x',
  '/mcp/files/x?y=/',
  '/mcp/../mcp/files',
  '/mcp/%66iles',
  '//mcp/files',
])('404 for the path %s', async (path) => {
  expect(await statusOf(path, { authorization: `Bearer ${world.token}` })).toBe(404)
  expect(upstream.received).toEqual([])
})

it('property: a slash at the end and a query do not change which server a path names', async () => {
  const query = fc.string({ unit: fc.constantFrom('x', '=', '&', '/', '?', '%20', 'mail') })
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.option(query, { nil: undefined }), async (hasSlash, asked) => {
      const path = `/mcp/files${hasSlash ? '/' : ''}${asked === undefined ? '' : `?${asked}`}`
      expect(await statusOf(path, { authorization: `Bearer ${world.token}` }, 'PUT')).toBe(405)
      expect(await statusOf(path, {}, 'PUT')).toBe(401)
    }),
    { numRuns: 20 },
  )
})

it('there is nothing below /.well-known/, also of a server, with a token and without one, so clients do not begin to sign in', async () => {
  for (const path of [
    'oauth-protected-resource',
    'oauth-protected-resource/mcp/files',
    'oauth-authorization-server?a=1',
    '',
  ]) {
    for (const headers of [{}, { authorization: `Bearer ${world.token}` }, { authorization: 'Bearer x' }])
      for (const base of ['', '/mcp/files', '/mcp/unknown'])
        expect(await statusOf(`${base}/.well-known/${path}`, headers as Record<string, string>)).toBe(404)
  }
  for (const path of ['/mcp/files?/.well-known/x', '/mcp/files/x/.well-known/x', '/mcp/.well-known'])
    expect(await statusOf(path, {})).toBe(401)
  expect(await statusOf('/.well-known/x', { host: 'evil.example' })).toBe(403)
})

it.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('405 for %s', async (method) => {
  expect(await statusOf('/mcp/files', { authorization: `Bearer ${world.token}` }, method)).toBe(405)
})

it.each<Record<string, string>>([
  { 'content-type': 'text/plain' },
  { 'content-type': '' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset="utf-8' },
  { 'content-type': 'application/json; charset=utf-8; charset=utf-16' },
  { 'content-type': 'application/json; profile=x' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity, gzip' },
])('415 for a body that is %j', async (headers) => {
  expect((await post({ headers })).status).toBe(415)
  expect(upstream.received).toEqual([])
})

it.each<Record<string, string>>([
  { 'content-type': 'application/json;' },
  { 'content-type': 'Application/JSON ; charset=UTF8' },
  { 'content-type': 'application/json;charset="Utf-8"' },
  { 'content-encoding': 'identity' },
])('takes a body that is %j', async (headers) => {
  expect((await post({ headers })).status).toBe(200)
  expect(upstream.received).toHaveLength(1)
})

describe('a body longer than the limit is 413', () => {
  const long = `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(3000)}"}`

  it('with a Content-Length header', async () => expect((await post({ body: long })).status).toBe(413))

  it('without a Content-Length header', async () => {
    const body = new Blob([long]).stream()
    expect((await post({ body, duplex: 'half' } as object)).status).toBe(413)
    expect(upstream.received).toEqual([])
  })
})

it.each([
  ['', null, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', 1, -32600],
  [`\uFEFF${ping}`, 1, -32700],
  ['['.repeat(900) + ']'.repeat(900), null, -32600],
])('400 for the message %j, with its id %j', async (body, id, code) => {
  const answer = await post({ body })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
  expect(upstream.received).toEqual([])
})

it('400 for a header that names another tool than the body', async () => {
  const body = '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"delete"}}'
  const answer = await post({ body, headers: { 'mcp-method': 'tools/call', 'mcp-name': 'read' } })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ id: 4, error: { code: -32020 } })
  expect(upstream.received).toEqual([])
})

describe('a session', () => {
  const openSession = async () => {
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}', 200, { 'mcp-session-id': 'upstream-1' }))
    const answer = await post({ body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}' })
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    return answer.headers.get('mcp-session-id') as string
  }

  it('is sent to its server with the id of the server', async () => {
    const session = await openSession()
    expect(session).not.toBe('upstream-1')
    for (const method of ['POST', 'GET', 'DELETE']) {
      await world.send('files', {
        method,
        body: method === 'POST' ? ping : null,
        headers: { 'mcp-session-id': session },
      })
    }
    expect(upstream.received.map(({ headers }) => headers['mcp-session-id'])).toEqual(Array(3).fill('upstream-1'))
  })

  it('is 404 if it belongs to another client or server, or does not exist', async () => {
    const session = await openSession()
    const foreign = { 'mcp-session-id': session, authorization: `Bearer ${otherToken}` }
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? ping : null
      expect((await world.send('files', { method, body, headers: foreign })).status).toBe(404)
      expect((await world.send('mail', { method, body, headers: { 'mcp-session-id': session } })).status).toBe(404)
      expect((await world.send('files', { method, body, headers: { 'mcp-session-id': 'upstream-1' } })).status).toBe(
        404,
      )
    }
    expect(upstream.received).toEqual([])
  })
})

it('rejects a client with too many open requests until one ends', async () => {
  const own = await startWorld({ files: { url: upstream.url } }, { limits: { maxOpenPerClient: 1 } })
  const reached = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  upstream.script(async (response) => {
    reached.resolve()
    await release.promise
    answerJson('{"jsonrpc":"2.0","id":1,"result":{}}')(response)
  })
  const first = own.send('files', { method: 'POST', body: ping })
  await reached.promise
  expect((await own.send('files', { method: 'POST', body: ping })).status).toBe(429)
  release.resolve()
  await (await first).text()
  expect((await own.send('files', { method: 'POST', body: ping })).status).toBe(200)
  await own.close()
})

it('a gateway does not start with an invalid name, an invalid token or duplicate tokens', async () => {
  const guard = policyGuard(allowAll)
  await expect(startWorld({ 'a/b': { url: upstream.url } })).rejects.toThrow(TypeError)
  await expect(startWorld({}, { clients: [{ token: 'short', guard }] })).rejects.toThrow(TypeError)
  const token = newToken()
  await expect(
    startWorld(
      {},
      {
        clients: [
          { token, guard },
          { token, guard },
        ],
      },
    ),
  ).rejects.toThrow(TypeError)
})
