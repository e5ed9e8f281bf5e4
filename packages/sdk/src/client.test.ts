import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { apiKey } from './credential.ts'
import { MandateError } from './mandate-error.ts'
import { type Reply, serve } from './testing/serve.ts'

const retry = { backoffMs: 0 }
const policy_id = '01900000-0000-7000-8000-000000000001'

async function against(...replies: Reply[]) {
  const server = await serve((_, count) => replies[Math.min(count, replies.length) - 1]!)
  return { ...server, client: createClient({ url: server.url, credential: apiKey('mk_secret'), retry }) }
}

describe('what is sent', () => {
  test('path, query and body stand where the interface puts them, and the key goes as bearer', async () => {
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

  test('operations outside the base path are called there', async () => {
    const { client, received } = await against({ status: 200, body: {} })
    await client.call('checkHealth')
    expect(received[0]?.url).toBe('/healthz')
  })

  test('an id cannot lead to another path', async () => {
    const { client, received } = await against({ status: 200, body: {} })
    await client.call('getPolicy', { path: { policy_id: '../users?x=#' } })
    expect(received[0]?.url).toBe('/api/v1/policies/..%2Fusers%3Fx%3D%23')
    for (const bad of ['', '.', '..']) {
      await expect(client.call('getPolicy', { path: { policy_id: bad } })).rejects.toThrow(TypeError)
    }
    expect(received).toHaveLength(1)
  })

  test('the address may carry the base path or a slash; what is no address, or carries a password, is refused', async () => {
    const { received, url } = await against({ status: 200, body: {} })
    for (const end of ['', '/', '/api/v1', '/api/v1/']) await createClient({ url: url + end }).call('checkHealth')
    expect(received.map((one) => one.url)).toEqual(Array(4).fill('/healthz'))
    for (const bad of ['mandate.example.com', 'ftp://a', 'https://me:secret@a.example'])
      expect(() => createClient({ url: bad })).toThrow(TypeError)
  })

  test('a key with white space is refused without repeating it', () => {
    expect(() => apiKey('mk_a\nb')).toThrow(expect.not.stringContaining('mk_a'))
  })

  test('the credential does not follow a redirect', async () => {
    const other = await against({ status: 200, body: {} })
    const { client } = await against({ status: 307, headers: { location: other.url } })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    expect(other.received).toHaveLength(0)
  })
})

describe('errors', () => {
  test('a refusal has its status, code, text, further fields and the id of the request', async () => {
    const body = { error: 'no', message: 'no', code: 'plan_upgrade_required', minimum_plan: 'pro' }
    const { client } = await against({ status: 402, body, headers: { 'x-request-id': 'r1' } })
    const error = await client.call('listPlatforms').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MandateError)
    expect(error).toMatchObject({ status: 402, code: 'plan_upgrade_required', message: 'no', requestId: 'r1', body })
  })

  test('a numeric code is the status and no code of its own', async () => {
    const { client } = await against({ status: 401, body: { error: 'invalid API key', code: 401 } })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 401, code: undefined })
  })

  test('a page that is no JSON is an error too, of a refusal as of a success', async () => {
    const { client } = await against({ status: 502, text: '<h1>Bad gateway' }, { status: 200, text: '<h1>Welcome' })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 502, message: 'the service answered 502' })
    await expect(client.call('listAgents')).rejects.toMatchObject({ status: 200, code: 'unreadable' })
  })

  test('no answer is status 0, with the address and the cause', async () => {
    const { client, stop, url } = await against({ status: 200 })
    await stop()
    await expect(client.call('createAgent', { body: { name: 'a' } })).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
      message: `${url} cannot be reached (ECONNREFUSED)`,
    })
  })

  test('an answer that takes too long is a time-out, and an abort is the caller’s own reason', async () => {
    const { client } = await against({ status: 200, hang: true })
    const timedOut = client.call('createAgent', { body: { name: 'a' }, timeoutMs: 20 })
    await expect(timedOut).rejects.toMatchObject({ status: 0, code: 'timeout' })
    const reason = new Error('enough')
    await expect(client.call('listAgents', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('calls that are made again', () => {
  test('a read is made again after 503, a broken connection and 429', async () => {
    const { client, received } = await against(
      { status: 503 },
      { status: 0 },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 200, body: { data: [] } },
    )
    expect(await client.call('listAgents')).toEqual({ data: [] })
    expect(received).toHaveLength(4)
  })

  test('a write is made again after 429, with its body, and never after anything that may have done it', async () => {
    const limited = await against({ status: 429 }, { status: 201, body: {} })
    await limited.client.call('createAgent', { body: { name: 'a' } })
    expect(limited.received.map(({ body }) => body)).toEqual(['{"name":"a"}', '{"name":"a"}'])
    for (const status of [503, 0]) {
      const { client, received } = await against({ status }, { status: 201, body: {} })
      await expect(client.call('createAgent', { body: { name: 'a' } })).rejects.toMatchObject({ status })
      expect(received).toHaveLength(1)
    }
  })

  test('a write that is safe to repeat, and a judgement by POST, are made again', async () => {
    const write = await against({ status: 0 }, { status: 200, body: {} })
    await write.client.call('setGovernanceGate', { body: { gate: 'alert' }, safeToRepeat: true })
    const judgement = await against({ status: 503 }, { status: 200, body: {} })
    await judgement.client.call('validatePolicy', { body: { name: 'a' } })
    expect([write.received.length, judgement.received.length]).toEqual([2, 2])
  })

  test('a wait is told of, and ends with the caller’s signal', async () => {
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
