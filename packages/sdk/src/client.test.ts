import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { apiKey } from './credential.ts'
import { isUnauthorized, MandateError } from './mandate-error.ts'
import { type Reply, serve } from './testing/serve.ts'

const retry = { backoffMs: 0 }
const policy_id = '01900000-0000-7000-8000-000000000001'

async function against(...replies: Reply[]) {
  const server = await serve((_, count) => replies[Math.min(count, replies.length) - 1]!)
  return { ...server, client: createClient({ url: server.url, credential: apiKey('mk_secret'), retry }) }
}

describe('the request', () => {
  test('has path, query and body as the API defines them, and the key as a bearer token', async () => {
    const { client, received } = await against({ status: 200, body: {} })
    await client.call('updatePolicy', { path: { policy_id }, body: { name: 'a' }, ifMatch: 4 })
    await client.call('listAgents', { query: { search: 'a b&c', status: undefined } })
    expect(received[0]).toMatchObject({
      method: 'PUT',
      url: `/api/v1/policies/${policy_id}`,
      body: '{"name":"a"}',
      headers: { authorization: 'Bearer mk_secret', 'content-type': 'application/json', 'if-match': '"4"' },
    })
    expect(received[1]).toMatchObject({ method: 'GET', url: '/api/v1/agents?search=a+b%26c', body: '' })
  })

  test('uses the absolute path of operations outside the base path', async () => {
    const { client, received } = await against({ status: 200, body: {} })
    await client.call('checkHealth')
    expect(received[0]?.url).toBe('/healthz')
  })

  test('rejects an id that would change the path', async () => {
    const { client, received } = await against({ status: 200, body: {} })
    await client.call('getPolicy', { path: { policy_id: '../users?x=#' } })
    expect(received[0]?.url).toBe('/api/v1/policies/..%2Fusers%3Fx%3D%23')
    for (const bad of ['', '.', '..']) {
      await expect(client.call('getPolicy', { path: { policy_id: bad } })).rejects.toThrow(TypeError)
    }
    expect(received).toHaveLength(1)
  })

  test('accepts a URL with the base path or a slash, and rejects an invalid URL or a URL with a password', async () => {
    const { received, url } = await against({ status: 200, body: {} })
    for (const end of ['', '/', '/api/v1', '/api/v1/']) await createClient({ url: url + end }).call('checkHealth')
    expect(received.map((one) => one.url)).toEqual(Array(4).fill('/healthz'))
    for (const bad of ['mandate.example.com', 'ftp://a', 'https://me:secret@a.example'])
      expect(() => createClient({ url: bad })).toThrow(TypeError)
  })

  test('rejects a key with white space, without the key in the error', () => {
    expect(() => apiKey('mk_a\nb')).toThrow(expect.not.stringContaining('mk_a'))
  })

  test('does not send the credential to the target of a redirect', async () => {
    const other = await against({ status: 200, body: {} })
    const { client } = await against({ status: 307, headers: { location: other.url } })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    expect(other.received).toHaveLength(0)
  })
})

describe('errors', () => {
  test('an error has the status, code, text, further fields and request id of the response', async () => {
    const body = { error: 'no', message: 'no', code: 'plan_upgrade_required', minimum_plan: 'pro' }
    const { client } = await against({ status: 402, body, headers: { 'x-request-id': 'r1' } })
    const error = await client.call('listPlatforms').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MandateError)
    expect(error).toMatchObject({ status: 402, code: 'plan_upgrade_required', message: 'no', requestId: 'r1', body })
  })

  test('an error with a numeric code has no code, because the number repeats the status', async () => {
    const { client } = await against({ status: 401, body: { error: 'invalid API key', code: 401 } })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 401, code: undefined })
  })

  test('a response that is not JSON is an error, for a failure and for a success', async () => {
    const { client } = await against({ status: 502, text: '<h1>Bad gateway' }, { status: 200, text: '<h1>Welcome' })
    await expect(client.call('listAgents')).rejects.toMatchObject({
      status: 502,
      message: 'the service responded with status 502',
    })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 200, code: 'unreadable' })
    const page = { status: 200, text: '<h1>Sign in', headers: { 'content-type': 'text/html; charset=utf-8' } }
    const { client: other, url } = await against(page, page)
    const message = `${url} answered with a web page; it is not the address of Mandate, or a proxy answered`
    await expect(other.call('listAgents')).rejects.toMatchObject({ status: 200, code: 'unreadable', message })
    await expect(other.open('exportAuditEntries')).rejects.toMatchObject({ code: 'unreadable', message })
  })

  test('a 401 without the text of the service is the refusal of a proxy', async () => {
    const message = expect.stringMatching('^a proxy in front of Mandate refused the request')
    const pages = [{ text: '<h1>401', headers: { 'content-type': 'text/html' } }, { body: { message: 'Unauthorized' } }]
    for (const page of pages) {
      const { client } = await against({ status: 401, ...page })
      const error = await client.call('listAgents').catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 401, code: 'unreadable', message })
      expect(isUnauthorized(error)).toBe(false)
    }
  })

  test('an unreachable server is an error with status 0, the URL and the cause', async () => {
    const { client, stop, url } = await against({ status: 200 })
    await stop()
    await expect(client.call('createAgent', { body: { name: 'a' } })).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
      message: `${url} cannot be reached (ECONNREFUSED)`,
    })
  })

  test('a slow response is a timeout error, and an abort throws the signal’s reason', async () => {
    const { client } = await against({ status: 200, hang: true })
    const timedOut = client.call('createAgent', { body: { name: 'a' }, timeoutMs: 20 })
    await expect(timedOut).rejects.toMatchObject({ status: 0, code: 'timeout' })
    const reason = new Error('enough')
    await expect(client.call('listAgents', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('retries', () => {
  test('retries a read after 503, a broken connection and 429', async () => {
    const { client, received } = await against(
      { status: 503 },
      { status: 0 },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 200, body: { data: [] } },
    )
    expect(await client.call('listAgents')).toEqual({ data: [] })
    expect(received).toHaveLength(4)
  })

  test('retries a write after 429, with its body, and not after a failure that may have applied it', async () => {
    const limited = await against({ status: 429 }, { status: 201, body: {} })
    await limited.client.call('createAgent', { body: { name: 'a' } })
    expect(limited.received.map(({ body }) => body)).toEqual(['{"name":"a"}', '{"name":"a"}'])
    for (const status of [503, 0]) {
      const { client, received } = await against({ status }, { status: 201, body: {} })
      await expect(client.call('createAgent', { body: { name: 'a' } })).rejects.toMatchObject({ status })
      expect(received).toHaveLength(1)
    }
  })

  test('retries a write that is safe to repeat, and a read by POST', async () => {
    const write = await against({ status: 0 }, { status: 200, body: {} })
    await write.client.call('setGovernanceGate', { body: { gate: 'alert' }, safeToRepeat: true })
    const judgement = await against({ status: 503 }, { status: 200, body: {} })
    await judgement.client.call('validatePolicy', { body: { name: 'a' } })
    expect([write.received.length, judgement.received.length]).toEqual([2, 2])
  })

  test('calls onRetry before a wait, and ends the wait if the signal is aborted', async () => {
    const server = await serve(() => ({ status: 429, headers: { 'retry-after': '50' } }))
    const stop = new AbortController()
    const told: unknown[] = []
    const client = createClient({
      url: server.url,
      retry,
      onRetry: (notice) => {
        told.push(notice)
        stop.abort()
      },
    })
    await expect(client.call('listAgents', { signal: stop.signal })).rejects.toThrow('aborted')
    expect(told).toEqual([{ status: 429, waitMs: 50_000, attempt: 1 }])
  })
})

test('call uses callFetch, and open uses fetch', async () => {
  const { url } = await serve(() => ({ status: 200, body: { data: [] } }))
  const used: string[] = []
  const client = createClient({
    url,
    fetch: (input, init) => {
      used.push('fetch')
      return fetch(input, init)
    },
    callFetch: async () => {
      used.push('callFetch')
      const headers = new Map([['content-type', 'application/json']])
      const get = (name: string) => headers.get(name) ?? null
      return { ok: true, status: 200, headers: { get }, body: null, text: async () => '{"data":[1]}' }
    },
  })
  expect(await client.call('listAgents')).toEqual({ data: [1] })
  expect(await client.open('listAgents')).toBeInstanceOf(Response)
  expect(used).toEqual(['callFetch', 'fetch'])
})
