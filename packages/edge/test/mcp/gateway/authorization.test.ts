import { inspect } from 'node:util'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readChallenge } from '../../../src/mcp/gateway/read-challenge.ts'
import { answeredHeaders } from '../../../src/mcp/http/answered-headers.ts'
import { type GatewayWorld, newToken, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard } from '../testing/policy-guard.ts'
import { startScriptedSse } from '../testing/scripted-sse.ts'
import { answerJson, startScripted } from '../testing/scripted-upstream.ts'

const ping = '{"jsonrpc":"2.0","id":7,"method":"ping"}'
const call = '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"read","arguments":{}}}'

async function startUpstream() {
  const upstream = await startScripted()
  onTestFinished(upstream.stop)
  return upstream
}

/** A gateway that records its log. */
async function start(config: object, clients: { token: string; guard: ReturnType<typeof policyGuard> }[] = []) {
  const logged: { fields: Record<string, unknown>; message: string }[] = []
  const log = {
    info: (fields: object, message: string) => void logged.push({ fields: { ...fields }, message }),
    warn: (fields: object, message: string) => void logged.push({ fields: { ...fields }, message }),
  }
  const world = await startWorld({ tickets: config as never }, { log, clients })
  onTestFinished(world.close)
  return { ...world, logged }
}

const send = (world: GatewayWorld, headers: Record<string, string> = {}, body = ping) =>
  world.send('tickets', { method: 'POST', body, headers })

/** The headers of a client that sends the authorization for the server. */
const bringing = (world: GatewayWorld, authorization: string) => ({ authorization, 'mandate-edge-token': world.token })

describe('a challenge', () => {
  const metadata = 'https://a.example/.well-known/oauth-protected-resource'
  it.each<[string | undefined, object | null]>([
    [undefined, null],
    ['Basic realm="Bearer x"', null],
    ['Bearer', { error: null, scope: null, resourceMetadata: null }],
    [`bearer resource_metadata=${metadata}`, { resourceMetadata: new URL(metadata) }],
    [`Basic realm="a", Bearer realm="b, c", Resource_Metadata = "${metadata}", scope="a:b c"`, { scope: 'a:b c' }],
    ['Bearer error="invalid_token", error="other"', { error: 'invalid_token' }],
    ['Bearer scope="mine", Digest scope="other"', { scope: 'mine' }],
    ['Bearer error="call +1 555", scope="a\\"b"', { error: null, scope: null }],
    ['Bearer resource_metadata="javascript:alert(1)"', { resourceMetadata: null }],
    ['Bearer resource_metadata="https://user:secret@a.example/"', { resourceMetadata: null }],
    [`Bearer resource_metadata="https://a.example/${'a'.repeat(2048)}"`, { resourceMetadata: null }],
    [`Bearer scope="${'a'.repeat(1001)}"`, { scope: null }],
    ['Bearer scope="not ended', { scope: null }],
  ])('%s', (header, expected) => {
    if (expected === null) expect(readChallenge(header, () => true)).toBeNull()
    else expect(readChallenge(header, () => true)).toMatchObject(expected)
  })
})

describe('a server that asks for authorization that the edge does not have', () => {
  it.each([401, 403])('%d: tells the client the missing setting and logs the metadata address', async (status) => {
    const upstream = await startUpstream()
    const named = `${new URL(upstream.url).origin}/.well-known/oauth-protected-resource/secret-path`
    const challenge = `Bearer realm="click https://evil.example", error="invalid_token", resource_metadata="${named}", scope="read"`
    upstream.script(answerJson('{}', status, { 'www-authenticate': challenge }))
    const world = await start({ url: upstream.url })
    const answer = await send(world)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([502, null])
    expect(JSON.parse(text)).toMatchObject({ id: 7, error: { code: -32011 } })
    expect(text).toMatch(/tool server tickets asks for authorization.*oauth or an Authorization header in headers/)
    expect(text).not.toMatch(/secret-path|evil|https?:/)
    expect(world.logged).toHaveLength(1)
    expect(world.logged[0]?.fields).toEqual({
      server: 'tickets',
      status,
      error: 'invalid_token',
      scope: 'read',
      resource_metadata: named,
    })
    expect(world.logged[0]?.message).toMatch(/oauth.*headers.*forward_authorization/)
  })

  it('passes on a 403 without a challenge', async () => {
    const upstream = await startUpstream()
    upstream.script(answerJson('{"no":"entry"}', 403))
    const answer = await send(await start({ url: upstream.url }))
    expect([answer.status, await answer.text()]).toEqual([403, '{"no":"entry"}'])
  })
})

describe('texts of the server in an error about authorization or a redirect', () => {
  const failing = [
    ['a scope', 401, { 'www-authenticate': 'Bearer scope="read heron"' }],
    ['an address of metadata', 401, { 'www-authenticate': 'Bearer resource_metadata="https://a.example/%68eron"' }],
    ['a redirect', 302, { location: '/mcp/he%72on' }],
    ['a redirect in words', 302, { location: '/mcp/blue/kite' }],
  ] as const
  const masking = () => ({
    ...policyGuard(allowAll),
    maskLine: (line: string) => line.replace(/heron|blue kite/, '[redacted]'),
  })

  it.each(failing)(
    'are left out of the error and of the log if content rules match: %s',
    async (_, status, headers) => {
      const upstream = await startUpstream()
      upstream.script(answerJson('{}', status, headers))
      const logged: unknown[] = []
      const keep = (fields: object) => void logged.push(inspect(fields))
      const world = await startWorld(
        { tickets: { url: upstream.url } },
        { guard: masking(), log: { info: keep, warn: keep } },
      )
      onTestFinished(world.close)
      const text = await (await send(world)).text()
      expect(JSON.parse(text).error.code).toBe(-32011)
      expect(`${text} ${logged}`).not.toMatch(/heron|%68|%72|blue/)
    },
  )

  it('give the session its labels, and are left out if it cannot have them', async () => {
    const upstream = await startUpstream()
    let fault: string | null = null
    const noted: string[] = []
    const noteText = (server: string) => {
      noted.push(server)
      return fault
    }
    const guard = { ...policyGuard(allowAll), noteText }
    const world = await startWorld({ tickets: { url: upstream.url } }, { guard })
    onTestFinished(world.close)
    const texts = []
    for (fault of [null, 'no labels']) {
      upstream.script(answerJson('{}', 302, { location: '/elsewhere' }))
      texts.push(await (await send(world)).text())
      upstream.script(answerJson('{}', 401, { 'www-authenticate': 'Bearer scope="read"' }))
      texts.push(await (await send(world)).text())
    }
    expect(texts.map((text) => /elsewhere|"read"/.test(text))).toEqual([true, true, false, false])
    expect(noted).toEqual(Array(4).fill('tickets'))
  })
})

describe('headers of an answer', () => {
  const key = 'AKIAQYLPMN5HHHFPZAM2'
  const clean = () => true

  it('pass in their own forms only', () => {
    const right = {
      allow: 'GET, POST',
      'cache-control': 'no-store, max-age=0',
      'content-type': 'application/json; charset=utf-8',
      'mcp-protocol-version': '2025-11-25',
      'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT',
      'x-accel-buffering': 'no',
    }
    expect(Object.fromEntries(answeredHeaders({ ...right, 'set-cookie': ['a=b'] }, clean))).toEqual(right)
    expect([...answeredHeaders({ 'retry-after': '120', 'content-type': `text/plain; x=${key}` }, clean)]).toEqual([
      ['content-type', 'text/plain'],
      ['retry-after', '120'],
    ])
    const wrong = Object.fromEntries(Object.keys(right).map((name) => [name, key]))
    expect([...answeredHeaders({ ...wrong, 'retry-after': '4111111111111111' }, clean)]).toEqual([])
  })

  it('are left out if content rules match', () => {
    const headers = { 'content-type': `text/${key}`, allow: 'GET' }
    expect([...answeredHeaders(headers, (text) => !text.includes(key))]).toEqual([['allow', 'GET']])
  })

  it.each([
    ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
    ['application/vnd.x+json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ])('always name the type that clients read an answer by: %s', (given, named) => {
    expect([...answeredHeaders({ 'content-type': given }, () => false)]).toEqual([['content-type', named]])
  })
})

describe('the authorization of a client', () => {
  it('goes to a server with forward_authorization, in requests of the client and of the edge', async () => {
    const upstream = await startUpstream()
    upstream.script((response, { body }) => {
      const { id, method } = JSON.parse(body)
      const result = method === 'tools/list' ? { tools: [{ name: 'read', inputSchema: {} }] } : {}
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    const when = [{ path: 'args.path', op: 'eq', value: 'x' } as const]
    const match = { tools: ['*'], when }
    const rule = { id: 'r', name: 'r', priority: 1, enabled: true, effect: 'deny', match, reason: '' } as const
    const world = await startWorld(
      { tickets: { url: upstream.url, forwardAuthorization: true } },
      { guard: policyGuard({ default_effect: 'allow', rules: [rule] }) },
    )
    onTestFinished(world.close)
    await send(world, bringing(world, 'Bearer of-ada'), call.replace('{}', '{"path":"y"}'))
    expect(upstream.received.map(({ headers }) => headers.authorization)).toContain('Bearer of-ada')
    expect(upstream.received.every(({ headers }) => headers.authorization === 'Bearer of-ada')).toBe(true)
    expect(upstream.received.map(({ body }) => JSON.parse(body).method)).toContain('tools/list')
    expect(JSON.stringify(upstream.received)).not.toContain(world.token)
  })

  it('does not go to any other server', async () => {
    const upstream = await startUpstream()
    for (const headers of [{ authorization: 'Bearer configured' }, {}]) {
      const world = await start({ url: upstream.url, headers })
      expect((await send(world, bringing(world, 'Bearer of-ada'))).status).toBe(200)
    }
    expect(upstream.received.map((one) => one.headers.authorization)).toEqual(['Bearer configured', undefined])
    expect(upstream.received.map((one) => one.headers['mandate-edge-token'])).toEqual([undefined, undefined])
  })

  it('is not forwarded if it is an edge token of any client', async () => {
    const upstream = await startUpstream()
    const other = newToken()
    const guard = policyGuard(allowAll)
    const world = await start({ url: upstream.url, forwardAuthorization: true }, [{ token: other, guard }])
    const many = `Bearer ${'a '.repeat(200)}`
    for (const authorization of [world.token, other, ` ${other}`, `x,${other}`, `token="${other}"`])
      expect((await send(world, bringing(world, `Bearer ${authorization}`))).status).toBe(200)
    expect((await send(world, bringing(world, many))).status).toBe(200)
    expect((await send(world)).status).toBe(200)
    expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(Array(7).fill(undefined))
    expect(JSON.stringify(upstream.received)).not.toMatch(`${world.token}|${other}`)
  })

  it('does not replace a wrong or missing edge token', async () => {
    const upstream = await startUpstream()
    const world = await start({ url: upstream.url, forwardAuthorization: true })
    const right = `Bearer ${world.token}`
    const statuses = [
      await send(world, { authorization: 'Bearer of-ada' }),
      await send(world, { authorization: right, 'mandate-edge-token': 'wrong' }),
      await send(world, { authorization: right, 'mandate-edge-token': '' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 401])
    expect(upstream.received).toEqual([])
  })

  it('goes to a server of HTTP+SSE, in its newest value', async () => {
    const server = await startScriptedSse()
    onTestFinished(server.stop)
    const world = await start({ url: server.url, transport: 'sse', forwardAuthorization: true })
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    const answer = await send(world, bringing(world, 'Bearer one'), initialize)
    await answer.text()
    const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') as string }
    await (await send(world, { ...bringing(world, 'Bearer two'), ...session })).text()
    const brought = () => server.received.map(({ headers }) => headers.authorization)
    await expect.poll(brought).toEqual(['Bearer one', 'Bearer one', 'Bearer two'])
  })
})

describe('a server that asks for the authorization of clients', () => {
  it('tells the client the missing header, without texts and links of the server', async () => {
    const upstream = await startUpstream()
    const hostile =
      'Bearer realm="http://127.0.0.1/mcp", error="sign in at http://evil.example", error_description="see evil.example", ' +
      'error_uri="http://evil.example", resource_metadata="http://169.254.169.254/", scope="read"'
    upstream.script(answerJson('{"evil":true}', 401, { 'www-authenticate': hostile }))
    const world = await start({ url: upstream.url, forwardAuthorization: true })
    const answer = await send(world, bringing(world, 'Bearer wrong'))
    const text = await answer.text()
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([502, null])
    expect(JSON.parse(text).error).toEqual({
      code: -32011,
      message: expect.stringMatching(
        /tool server tickets asks for authorization.* Authorization, .*Mandate-Edge-Token/,
      ),
      data: { 'mandate/authorization': { server: 'tickets', status: 401, error: null, scope: 'read' } },
    })
    expect(text).not.toMatch(/evil|169|http/)
    expect(world.logged[0]?.fields).toMatchObject({ server: 'tickets', resource_metadata: 'http://169.254.169.254/' })
    expect(world.logged[0]?.message).toContain('Mandate-Edge-Token')
  })

  it('does so for a server of HTTP+SSE before a session is open', async () => {
    const server = await startScriptedSse({
      open: (response) => void response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end(),
    })
    onTestFinished(server.stop)
    const world = await start({ url: server.url, transport: 'sse', forwardAuthorization: true })
    const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    const answer = await send(world, bringing(world, 'Bearer wrong'), initialize)
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([502, null])
    const { error } = (await answer.json()) as { error: { data: object } }
    expect(error.data).toMatchObject({ 'mandate/authorization': { server: 'tickets', error: 'invalid_token' } })
  })

  it('does not make an OAuth client send its edge token elsewhere', async () => {
    const upstream = await startUpstream()
    const hostile = await startUpstream()
    const { origin } = new URL(hostile.url)
    const metadata = { resource: origin, authorization_servers: [origin], issuer: origin, token_endpoint: origin }
    hostile.script(answerJson(JSON.stringify(metadata)))
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`
    upstream.script(answerJson('{}', 401, { 'www-authenticate': challenge }))
    const world = await start({ url: upstream.url, forwardAuthorization: true })
    let asksPerson = false
    const provider: OAuthClientProvider = {
      redirectUrl: 'http://127.0.0.1:9/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'] },
      clientInformation: () => ({ client_id: 'client-1' }),
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: () => {
        asksPerson = true
      },
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    }
    const transport = new StreamableHTTPClientTransport(new URL('/mcp/tickets', world.url), {
      authProvider: provider,
      requestInit: { headers: { 'mandate-edge-token': world.token } },
    })
    await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow('Mandate-Edge-Token')
    expect([upstream.received.length, hostile.received, asksPerson]).toEqual([1, [], false])
  })
})
