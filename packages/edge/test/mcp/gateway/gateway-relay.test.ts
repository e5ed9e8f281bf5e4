import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/guard/guard.ts'
import { type GatewayWorld, startWorld } from '../testing/gateway-world.ts'
import { allowAll, policyGuard, rulesFor } from '../testing/policy-guard.ts'
import { answerJson, answerStream, type Scripted, startScripted } from '../testing/scripted-upstream.ts'

const rules = rulesFor({ 'mcp:files/delete': 'deny' })
const guard = policyGuard(rules)
let upstream: Scripted
let world: GatewayWorld

beforeAll(async () => {
  upstream = await startScripted()
  world = await startWorld(
    {
      files: { url: upstream.url, headers: { authorization: 'Bearer upstream-secret' } },
      gone: { url: 'http://127.0.0.1:1/' },
    },
    { guard, limits: { maxResponseBytes: 10_000 } },
  )
})
afterAll(async () => {
  await world.close()
  await upstream.stop()
})

const post = (body: object | string, headers: Record<string, string> = {}) =>
  world.send('files', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
const request = (method: string, params?: object, id = 1) => ({ jsonrpc: '2.0', id, method, ...(params && { params }) })
const call = (name: string, id = 1) => request('tools/call', { name, arguments: {} }, id)

describe('messages that the edge does not change', () => {
  const message = '{ "jsonrpc":"2.0" ,"id":1,"result":{"big":12345678901234567890,"é":"\\u00e9"}}'
  it.each([
    ['application/json', message],
    ['application/json; charset=utf-8', message],
    ['application/json;charset=UTF8', message],
    ['text/event-stream', `data: ${message}\r\n\r\n: x\n\n`],
    ['Text/Event-Stream;charset="UTF-8"', `data: ${message}\r\n\r\n: x\n\n`],
  ])('passes on an answer in %s unchanged', async (type, text) => {
    upstream.script((response) => response.writeHead(207, { 'content-type': type }).end(text))
    const answer = await post(call('read'))
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([207, type, text])
  })

  it.each([
    ['text/html; charset=utf-16le', 'text/html; charset=utf-8'],
    ['text/plain;Charset="UTF-7"; format=flowed', 'text/plain; format=flowed; charset=utf-8'],
  ])('says that %s is in UTF-8, because the edge reads and writes it as UTF-8', async (type, onward) => {
    upstream.script((response) => response.writeHead(500, { 'content-type': type }).end('no'))
    const answer = await post(call('read'))
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([onward, 'no'])
  })

  it('a request keeps its id, its fields and its headers', async () => {
    upstream.script(answerJson('{}'))
    const message = { ...request('logging/setLevel', { deep: [{ a: null }] }), id: 'é-1' }
    await post(message, {
      'mcp-protocol-version': '2025-11-25',
      'mcp-param-region': 'eu',
      traceparent: '00-ab',
      'last-event-id': '7',
    })
    const [taken] = upstream.received
    expect(JSON.parse(taken?.body ?? '')).toEqual(message)
    expect(taken?.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      'mcp-param-region': 'eu',
      traceparent: '00-ab',
      'last-event-id': '7',
      accept: 'application/json, text/event-stream',
    })
  })

  it.each([
    ['application/json', '{"error":"no session","result":null}'],
    ['application/problem+json', '{"title":"no"}'],
    ['text/html', '<p>no</p>'],
  ])('passes on a refusal of the server with its body in %s', async (type, text) => {
    upstream.script((response) => response.writeHead(404, { 'content-type': type }).end(text))
    const answer = await post(call('read'))
    expect([answer.status, await answer.text()]).toEqual([404, text])
  })
})

describe('a body without a message', () => {
  const json = /JSON without a JSON-RPC message|it is not a JSON-RPC message/
  const page = /other content than JSON, such as a web page|it is not a JSON-RPC message/
  const result = '"result":{"tools":[{"name":"delete"},{"name":"read"}]}'
  const list = request('tools/list')
  it.each<[string, string, RegExp]>([
    ['application/json', `{"id":1,${result}}`, json],
    [
      'application/json',
      `{"id":1,${result.replace('result', 'RESULT')}}`,
      /no valid answer|it is not a JSON-RPC message/,
    ],
    ['application/json', `[{"id":1,${result}}]`, json],
    ['application/json', `{"json_rpc":"2.0","id":1,${result}}`, /no valid answer|it is not a JSON-RPC message/],
    ['application/json', '"x"', json],
    ['application/json', 'null', json],
    ['application/problem+json', '{"title":"delete"}', json],
    ['text/plain', `{"id":1,${result}}`, page],
    ['text/html', '<p>Sign in to delete</p>', page],
  ])('in %s is no answer to a request: %s', async (type, text, what) => {
    for (const batch of [false, true]) {
      upstream.script((response) => response.writeHead(200, { 'content-type': type }).end(text))
      const answer = await post(batch ? [list, request('ping', undefined, 2)] : list)
      const got = await answer.text()
      expect(got).not.toContain('delete')
      const lost = { id: 1, error: { code: -32011, message: expect.stringMatching(what) } }
      expect(JSON.parse(got)).toMatchObject(batch ? [lost, { id: 2 }] : lost)
    }
  })

  it('shows no tools that the agent may not see if it has an error status', async () => {
    upstream.script(answerJson(`{"id":1,${result}}`, 400))
    const answer = await post(list)
    expect([answer.status, (await answer.text()).includes('delete')]).toEqual([502, false])
  })
})

describe('does not pass on an answer that clients could read differently', () => {
  const list = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"delete"}]}}'
  const stream = `data: ${list}\n\n`
  const utf16 = Buffer.from(list, 'utf16le')
  it.each<[string, string, string | Buffer]>([
    ['a stream among other types', 'application/json, text/event-stream', stream],
    ['a stream in a parameter', 'text/plain; as=text/event-stream', stream],
    ['a stream that may be JSON', 'text/event-stream; as=application/json', list],
    ['JSON after a byte order mark', 'application/json', `\uFEFF${list}`],
    ['JSON after a byte order mark in a page', 'text/plain', `\uFEFF${list}`],
    ['JSON in UTF-16', 'application/json', utf16],
    ['JSON in UTF-16, as it says', 'application/json; charset=utf-16', utf16],
    ['JSON with bytes that are no UTF-8', 'application/json', Buffer.from(list.replace('1', '"\xff"'), 'latin1')],
    ['a stream called JSON', 'application/json', stream],
    ['keys in another case', 'application/json', list.replace('jsonrpc', 'JsonRpc')],
  ])('%s', async (_what, type, body) => {
    upstream.script((response) => void response.writeHead(200, { 'content-type': type }).end(body))
    const answer = await post(request('tools/list'))
    expect(answer.status).toBe(502)
    expect(await answer.text()).not.toContain('delete')
  })

  it('filters an event stream whose content type has any case', async () => {
    upstream.script((response) => void response.writeHead(200, { 'content-type': 'TEXT/Event-Stream' }).end(stream))
    const text = await (await post(request('tools/list'))).text()
    expect(text).toContain('"tools":[]')
  })

  it('removes a list under a key in another case, and a tool without a name', async () => {
    const hidden = { Tools: [{ name: 'delete' }], '\uff52esources': [], tools: [{ Name: 'delete' }, { name: 'read' }] }
    upstream.script(answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result: hidden })))
    expect((await (await post(request('tools/list'))).json()).result).toEqual({ tools: [{ name: 'read' }] })
  })
})

describe('credentials are not forwarded', () => {
  it('the server gets the configured credential, and not the token and cookies of the client', async () => {
    upstream.script(answerJson('{}', 200, { 'set-cookie': 'a=1', location: 'http://elsewhere', 'x-other': '1' }))
    const answer = await post(call('read'), { cookie: 'c=1', 'proxy-authorization': 'x', 'x-api-key': 'k' })
    const headers = upstream.received[0]?.headers ?? {}
    expect(headers.authorization).toBe('Bearer upstream-secret')
    for (const name of ['cookie', 'proxy-authorization', 'x-api-key']) expect(headers[name]).toBeUndefined()
    for (const name of ['set-cookie', 'location', 'x-other']) expect(answer.headers.get(name)).toBeNull()
  })

  it.each<[string, number, Record<string, string>]>([
    ['a redirect', 307, { location: 'http://elsewhere/mcp' }],
    ['a challenge', 401, { 'www-authenticate': 'Bearer resource_metadata="http://elsewhere"' }],
    ['an encoding', 200, { 'content-encoding': 'gzip' }],
    ['an invalid session id', 200, { 'mcp-session-id': 'a b' }],
  ])('does not pass on %s of the server', async (_what, status, headers) => {
    upstream.script(answerJson('{}', status, headers))
    const answer = await post(call('read', 5))
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({ id: 5, error: { code: -32011 } })
    for (const name of Object.keys(headers)) expect(answer.headers.get(name)).toBeNull()
  })

  it.each([
    ['http://elsewhere/mcp/?token=hidden#hidden', 'to http://elsewhere/mcp/,'],
    ['/mcp/', 'to /mcp/,'],
    ['mcp/', 'to /mcp/,'],
    ['https://user:hidden@elsewhere/mcp', 'to https://elsewhere/mcp,'],
    [`https://elsewhere/${'h'.repeat(16)}/mcp`, 'to https://elsewhere/…/mcp,'],
    ['javascript:hidden', 'without naming a valid address'],
    ['http://[', 'without naming a valid address'],
    [`/${'x/'.repeat(200)}`, 'without naming a valid address'],
    [`https://elsewhere/sign-in?state=${'hidden'.repeat(200)}#hidden`, 'to https://elsewhere/sign-in,'],
  ])('names where the server redirects, without what may be secret: %s', async (location, shown) => {
    upstream.script(answerJson('{}', 308, { location }))
    const { error } = await (await post(call('read', 5))).json()
    expect(error.message).toContain(shown)
    expect(error.message).toContain('set the url of the server')
    expect(error.message).not.toMatch(/hidden|user/)
  })

  it('a server that switches protocols is 502', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
    upstream.script((response) => void response.socket?.write(switching))
    const answer = await post(call('read', 5))
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({ id: 5, error: { code: -32011 } })
  })

  it('an unreachable server is 502 with the id of the request', async () => {
    const answer = await world.send('gone', { method: 'POST', body: JSON.stringify(call('read', 6)) })
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({
      id: 6,
      error: { code: -32011, message: 'The tool server cannot be reached (ECONNREFUSED)' },
    })
  })
})

describe('a batch is decided message by message', () => {
  it('forwards the allowed messages as a batch and returns the answers together', async () => {
    upstream.script(answerJson('[{"jsonrpc":"2.0","id":1,"result":{"ok":1}}]'))
    const answer = await post([
      call('read', 1),
      call('delete', 2),
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    ])
    expect(JSON.parse(upstream.received[0]?.body ?? '')).toEqual([
      call('read', 1),
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    ])
    expect(await answer.json()).toMatchObject([
      { id: 1, result: { ok: 1 } },
      { id: 2, result: { isError: true } },
    ])
  })

  it('returns the answers on a stream if the server opens one', async () => {
    upstream.script(answerStream('data: {"jsonrpc":"2.0","id":1,"result":{"ok":1}}\n\n'))
    const text = await (await post([call('read', 1), call('delete', 2)])).text()
    expect(text).toMatch(/"id":2,"result":\{.*"isError":true/)
    expect(text).toContain('data: {"jsonrpc":"2.0","id":1,"result":{"ok":1}}\n\n')
  })

  it('does not forward a message that was allowed before the rules changed', async () => {
    const changing = policyGuard(allowAll, {
      before: async ({ tool }) => tool === 'mcp:files/slow' && changing.change(rulesFor({ 'mcp:files/read': 'deny' })),
    })
    const late = await startWorld({ files: { url: upstream.url } }, { guard: changing })
    upstream.script(answerJson('[{"jsonrpc":"2.0","id":2,"result":{}}]'))
    const body = JSON.stringify([call('read', 1), call('slow', 2)])
    const answer = await late.send('files', { method: 'POST', body })
    expect(upstream.received.map((one) => JSON.parse(one.body))).toEqual([[call('slow', 2)]])
    expect(await answer.json()).toMatchObject([{ id: 2 }, { id: 1, result: { isError: true } }])
    await late.close()
  })

  it('does not forward a message if the rules change while the connection opens', async () => {
    const inner = policyGuard(allowAll)
    const asked = { times: 0 }
    // Called once after the decisions, and again when the connection is open. The rules change in between.
    const changing = {
      ...inner,
      holds: (decision: Decision) => {
        if (++asked.times === 2) inner.change(rulesFor({ 'mcp:files/read': 'deny' }))
        return inner.holds(decision)
      },
    }
    const late = await startWorld({ files: { url: upstream.url } }, { guard: changing })
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
    const send = async (body: object) =>
      (await late.send('files', { method: 'POST', body: JSON.stringify(body) })).json()
    expect(await send(call('read'))).toMatchObject({ id: 1, result: { isError: true } })
    expect([inner.decided.length, upstream.received]).toEqual([2, []])
    expect(await send(call('write'))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await late.close()
  })

  it('forwards nothing if nothing passes, and answers nothing without a request', async () => {
    upstream.script(answerJson('[]'))
    expect(await (await post([call('delete', 1)])).json()).toMatchObject([{ id: 1, result: { isError: true } }])
    const silent = await post({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'delete' } })
    expect([silent.status, await silent.text()]).toEqual([202, ''])
    expect(upstream.received).toEqual([])
  })
})

describe('a list of tools is filtered', () => {
  const list = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read"},{"name":"delete"}],"nextCursor":"c"}}'
  const shown = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read"}],"nextCursor":"c"}}'

  it('in an answer and on a stream, and the offered tools are attested', async () => {
    upstream.script(answerJson(list))
    expect(await (await post(request('tools/list'))).text()).toBe(shown)
    upstream.script(answerStream(`id: 3\ndata: ${list}\n\n`))
    expect(await (await post(request('tools/list'))).text()).toBe(`id: 3\ndata: ${shown}\n\n`)
    expect(guard.attested.at(-1)).toEqual({
      mode: 'full',
      tools: ['mcp:files/delete', 'mcp:files/read'],
      mediationPoints: ['mcp:files', 'mcp:gone'],
    })
  })

  it('on the stream that a client listens on', async () => {
    upstream.script(answerStream(`id: 3\ndata: ${list}\n\n`))
    expect(await (await world.send('files', { method: 'GET', headers: { 'last-event-id': '2' } })).text()).toContain(
      shown,
    )
  })

  it('and becomes an error above the size limit', async () => {
    upstream.script(
      answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'x'.repeat(20_000) }] } })),
    )
    const answer = await post(request('tools/list'))
    expect([answer.status, await answer.json()]).toMatchObject([
      502,
      { id: 1, error: { code: -32011, message: expect.stringContaining('more than 10000 bytes') } },
    ])
  })
})

describe('an event of a stream over the size limit', () => {
  it('is an error for its request, and the other events pass', async () => {
    const long = JSON.stringify({ result: { text: 'x'.repeat(20_000) }, jsonrpc: '2.0', id: 1 })
    const log = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'heard' } })
    upstream.script(answerStream(`id: 3\ndata: ${long}\n\ndata: ${log}\n\n`))
    const text = await (await post(request('ping'))).text()
    expect(text).toContain('it is longer than 10000 bytes')
    expect(text).toContain('heard')
    expect(text).not.toContain('xxx')
  })
})

describe('the stream that a client listens on', () => {
  it('ends if the server names another address', async () => {
    upstream.script(answerStream('event: endpoint\ndata: http://elsewhere/messages\n\n'))
    await expect(world.send('files', { method: 'GET' }).then((answer) => answer.text())).rejects.toThrow()
  })

  it('tells the client of a list that changed by policy', async () => {
    upstream.script((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
    })
    const answer = await world.send('files', { method: 'GET' })
    const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader()
    expect((await reader.read()).value).toBe(': open\n\n')
    guard.change(rules)
    const text = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'
    expect((await reader.read()).value).toBe(text)
    await reader.cancel()
  })
})

describe('answers the client if the server breaks off its answer, and goes on', () => {
  it.each(['application/json', 'text/event-stream'])('in %s', async (type) => {
    upstream.script((response) => {
      response.writeHead(200, { 'content-type': type }).write('data: {"jsonrpc"', () => response.destroy())
    })
    for (const method of ['tools/call', 'tools/list']) {
      const asked = method === 'tools/call' ? call('read') : request(method)
      expect(await (await post(asked)).text()).toMatch(/"id":1,"error":.*The request may have taken effect/)
    }
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{"still":"here"}}'))
    expect(await (await post(call('read'))).json()).toMatchObject({ result: { still: 'here' } })
  })
})

describe('a call that waits for its decision', () => {
  const waitingWorld = async () => {
    const asked = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const before = ({ signal }: { signal?: AbortSignal }) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          aborted.resolve()
          reject(new Error('aborted'))
        })
        asked.resolve()
      })
    const own = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(rules, { before }) })
    upstream.script(answerJson('[{"jsonrpc":"2.0","id":6,"result":{}}]'))
    return { own, asked: asked.promise, aborted: aborted.promise }
  }

  it('can be cancelled, and the server gets neither the call nor the cancellation', async () => {
    const { own, asked } = await waitingWorld()
    const answer = own.send('files', { method: 'POST', body: JSON.stringify(call('read', 8)) })
    await asked
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } })
    expect((await own.send('files', { method: 'POST', body })).status).toBe(202)
    expect(await (await answer).json()).toMatchObject({ id: 8, error: { message: 'Cancelled' } })
    expect(upstream.received).toEqual([])
    await own.close()
  })

  const cancelled = (params: object) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
  const received = () => upstream.received.map(({ body }) => JSON.parse(body))

  it.each([
    ['first', [cancelled({ requestId: 8 }), request('ping', {}, 6)]],
    ['last', [request('ping', {}, 6), cancelled({ requestId: 8 })]],
  ])('can be cancelled in a batch, %s, and the others continue', async (_place, batch) => {
    const { own, asked } = await waitingWorld()
    const answer = own.send('files', { method: 'POST', body: JSON.stringify(call('read', 8)) })
    await asked
    expect((await own.send('files', { method: 'POST', body: JSON.stringify(batch) })).status).toBe(200)
    expect(await (await answer).json()).toMatchObject({ id: 8, error: { message: 'Cancelled' } })
    expect(received()).toEqual([[request('ping', {}, 6)]])
    await own.close()
  })

  it.each([
    ['of a request of the same id as an answer', { jsonrpc: '2.0', id: 1, result: {} }, { requestId: 1 }],
    ['that names no request', { jsonrpc: '2.0', method: 'tools/call', params: { name: 'write' } }, {}],
  ])('is not cancelled by a cancellation %s', async (_what, beside, params) => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const before = () => {
      asked.resolve()
      return release.promise
    }
    const own = await startWorld({ files: { url: upstream.url } }, { guard: policyGuard(rules, { before }) })
    const answered = { jsonrpc: '2.0', id: 8, result: {} }
    upstream.script(answerJson(JSON.stringify(answered)))
    const batch = [beside, call('read', 8)]
    const answer = own.send('files', { method: 'POST', body: JSON.stringify(batch) })
    await asked.promise
    expect((await own.send('files', { method: 'POST', body: JSON.stringify(cancelled(params)) })).status).toBe(200)
    release.resolve()
    expect(await (await answer).json()).toEqual(answered)
    expect(received()).toEqual([cancelled(params), batch])
    await own.close()
  })

  it('is cancelled when the client disconnects', async () => {
    const { own, asked, aborted } = await waitingWorld()
    const gone = new AbortController()
    const answer = own.send('files', { method: 'POST', body: JSON.stringify(call('read')), signal: gone.signal })
    await asked
    gone.abort()
    await expect(answer).rejects.toThrow()
    await aborted
    expect(upstream.received).toEqual([])
    await own.close()
  })
})

it('the decisions on a batch that is not sent are withdrawn', async () => {
  const gone = new AbortController()
  const aborted = Promise.withResolvers<void>()
  const before = async ({ tool, signal }: { tool: string; signal?: AbortSignal }) => {
    if (tool !== 'mcp:files/second') return
    signal?.addEventListener('abort', () => aborted.resolve())
    gone.abort()
    await aborted.promise
  }
  const guard = policyGuard(rules, { before })
  const own = await startWorld({ files: { url: upstream.url } }, { guard })
  const body = JSON.stringify([call('read', 1), call('second', 2)])
  await expect(own.send('files', { method: 'POST', body, signal: gone.signal })).rejects.toThrow()
  await expect.poll(() => guard.withdrawn, { timeout: 60_000 }).toEqual(['decision-1'])
  expect(upstream.received).toEqual([])
  await own.close()
})

describe('a header that mirrors an argument', () => {
  const definition = { name: 'query', inputSchema: { properties: { region: { 'x-mcp-header': 'Region' } } } }
  const query = (region: string, id = 1) => request('tools/call', { name: 'query', arguments: { region } }, id)
  const sendFrom = (region: string, body: object) => post(body, { 'Mcp-Param-Region': region })
  const offer = async (tool: object) => {
    upstream.script(answerJson(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [tool] } })))
    await (await post(request('tools/list'))).text()
    upstream.script(answerJson('{"jsonrpc":"2.0","id":1,"result":{}}'))
  }

  it('is compared from the time that the server declares it', async () => {
    await offer({ name: 'query' })
    expect((await sendFrom('us', query('eu'))).status).toBe(200)
    await offer(definition)
    expect((await sendFrom('eu', query('eu'))).status).toBe(200)
    expect(upstream.received[0]?.headers['mcp-param-region']).toBe('eu')
    const decided = guard.decided.length
    for (const body of [query('eu'), [query('us'), query('eu', 2)]]) {
      const answer = await sendFrom('us', body)
      expect(answer.status).toBe(400)
      const error = { code: -32020, message: 'Mcp-Param-Region is not the argument region of the message' }
      const errors = [body].flat().map(({ id }) => ({ id, error }))
      expect(await answer.json()).toMatchObject(Array.isArray(body) ? errors : (errors[0] as object))
    }
    expect([upstream.received.length, guard.decided.length]).toEqual([1, decided])
  })
})
