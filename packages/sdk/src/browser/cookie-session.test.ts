import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ClientOptions, createClient } from '../client.ts'
import { apiKey } from '../credential.ts'
import { tokensOf } from '../session.ts'
import { type Received, serve } from '../testing/serve.ts'

/** Starts a service with cookie sessions, and a `fetch` that sends and stores its cookie as a browser does. */
async function service({ expiresIn = 900, beforeRefresh = async () => {} } = {}) {
  let number = 0
  let cookie: string | undefined
  const credentials: (string | undefined)[] = []
  const accepted = new Set<string>()
  const open = () => {
    number++
    accepted.add(`access-${number}`)
    return {
      status: 200,
      body: { session: { access_token: `access-${number}`, token_type: 'Bearer', expires_in: expiresIn } },
      headers: { 'set-cookie': `mandate_session=refresh-${number}` },
    }
  }
  const refused = { status: 401, body: { error: 'invalid or expired refresh token' } }
  const server = await serve(async ({ url, headers }) => {
    if (url.endsWith('/auth/sign-in') || url.endsWith('/auth/invitations/accept')) return open()
    if (url.endsWith('/auth/sign-out')) return { status: 204, headers: { 'set-cookie': 'mandate_session=' } }
    if (url.endsWith('/auth/refresh')) await beforeRefresh()
    if (url.endsWith('/auth/refresh')) return headers.cookie === `mandate_session=refresh-${number}` ? open() : refused
    return accepted.has(headers.authorization?.slice('Bearer '.length) ?? '')
      ? { status: 200, body: { data: [] } }
      : { status: 401, body: { error: 'invalid token', code: 401 } }
  })
  const browserFetch: typeof fetch = async (input, init = {}) => {
    credentials.push(init.credentials)
    const withCookies = init.credentials === 'include'
    const headers = { ...init.headers, ...(withCookies && cookie && { cookie: `mandate_session=${cookie}` }) }
    const response = await fetch(input, { ...init, headers })
    const set = withCookies && response.headers.getSetCookie()[0]
    if (set) cookie = set.slice('mandate_session='.length)
    return response
  }
  const at = (path: string): Received[] => server.received.filter(({ url }) => url === `/api/v1${path}`)
  return {
    url: server.url,
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ url: server.url, session: 'cookie', fetch: browserFetch, retry: { retries: 0 }, ...options }),
    at,
    credentials,
    revokeAccess: () => accepted.clear(),
  }
}

const signIn = { body: { email: 'ada@example.com', password: 'correct horse battery' } }

describe('a client with a cookie session', () => {
  test('signs in with the header and cookies, and calls with the access token and without cookies', async () => {
    const { client, at, credentials } = await service()
    const page = client()
    await page.call('signIn', signIn)
    await page.call('listAgents')
    expect(at('/auth/sign-in')[0]?.headers).toMatchObject({ 'mandate-session': 'cookie' })
    expect(at('/auth/sign-in')[0]?.headers.authorization).toBeUndefined()
    expect(at('/agents')[0]?.headers).toMatchObject({ authorization: 'Bearer access-1' })
    expect(at('/agents')[0]?.headers['mandate-session']).toBeUndefined()
    expect(credentials).toEqual(['include', undefined])
    expect(at('/auth/refresh')).toEqual([])
  })

  test('continues after a reload by the cookie, with one refresh for concurrent calls', async () => {
    const { client, at } = await service()
    await client().call('signIn', signIn)
    const reloaded = client()
    await Promise.all(Array.from({ length: 10 }, () => reloaded.call('listAgents')))
    expect(at('/auth/refresh')).toHaveLength(1)
    expect(at('/auth/refresh')[0]).toMatchObject({ body: '', headers: { 'mandate-session': 'cookie' } })
    expect(at('/auth/refresh')[0]?.headers.authorization).toBeUndefined()
  })

  test('refreshes a token that is refused, and one that is about to expire', async () => {
    const refused = await service()
    const page = refused.client()
    await page.call('signIn', signIn)
    refused.revokeAccess()
    await Promise.all([page.call('listAgents'), page.call('listAgents')])
    expect(refused.at('/auth/refresh')).toHaveLength(1)
    const expiring = await service({ expiresIn: 10 })
    const other = expiring.client()
    await other.call('signIn', signIn)
    await other.call('listAgents')
    expect(expiring.at('/auth/refresh')).toHaveLength(1)
  })

  test('public operations are called without a refresh, and an invitation is accepted as the person who is signed in', async () => {
    const { client, at } = await service()
    const page = client()
    await page.call('listProviders').catch(() => {})
    await page.call('acceptInvitation', { body: { token: 'invitation' } })
    await page.call('acceptInvitation', { body: { token: 'invitation' } })
    expect(at('/auth/refresh')).toEqual([])
    expect(at('/auth/invitations/accept').map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer access-1',
    ])
  })

  test('after a sign-out no call has a token, and the refused refresh is the error', async () => {
    const { client, at } = await service()
    const page = client()
    await page.call('signIn', signIn)
    await page.call('signOut')
    expect(at('/auth/sign-out')[0]).toMatchObject({ body: '', headers: { 'mandate-session': 'cookie' } })
    expect(at('/auth/sign-out')[0]?.headers.authorization).toBeUndefined()
    await expect(page.call('listAgents')).rejects.toMatchObject({
      status: 401,
      message: 'invalid or expired refresh token',
    })
    expect(at('/agents')).toEqual([])
  })

  test('after the end of the session, all calls wait together until the person has signed in again', async () => {
    const { client, at } = await service()
    const ended = Promise.withResolvers<void>()
    const onSessionEnd = vi.fn(() => ended.promise)
    const page = client({ onSessionEnd })
    const calls = [page.call('listAgents'), page.call('createAgent', { body: { name: 'a' } })]
    await vi.waitUntil(() => onSessionEnd.mock.calls.length > 0)
    await page.call('signIn', signIn)
    ended.resolve()
    await Promise.all(calls)
    expect(onSessionEnd).toHaveBeenCalledTimes(1)
    expect(at('/auth/refresh')).toHaveLength(1)
    expect(at('/agents').map(({ headers }) => headers.authorization)).toEqual(['Bearer access-1', 'Bearer access-1'])
  })

  test('after the end of the session, a sign-in in another tab lets the calls continue', async () => {
    const { client, at } = await service()
    const page = client({
      onSessionEnd: () =>
        client()
          .call('signIn', signIn)
          .then(() => {}),
    })
    await page.call('listAgents')
    expect(at('/auth/refresh')).toHaveLength(2)
  })

  test('if nobody can sign in again, the calls fail', async () => {
    const { client } = await service()
    const page = client({ onSessionEnd: (error) => Promise.reject(error) })
    await expect(page.call('listAgents')).rejects.toMatchObject({ status: 401 })
  })

  test.each(['/agents', '/auth/refresh'])(
    'the 401 of a proxy for %s does not end the session, and renews no token',
    async (refused) => {
      const page = { status: 401, text: '<h1>401', headers: { 'content-type': 'text/html' } }
      const opened = { session: { access_token: 'access-1', token_type: 'Bearer', expires_in: 900 } }
      const { url, received } = await serve(({ url }) => (url.endsWith(refused) ? page : { status: 200, body: opened }))
      const onSessionEnd = vi.fn(async () => {})
      const client = createClient({ url, session: 'cookie', onSessionEnd })
      await expect(client.call('listAgents')).rejects.toThrow('a proxy in front of Mandate refused the request')
      expect(onSessionEnd).not.toHaveBeenCalled()
      expect(received.filter(({ url }) => url.endsWith('/auth/refresh'))).toHaveLength(1)
    },
  )

  test('a sign-out during a refresh leaves no access token in the client', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { client, at } = await service({ beforeRefresh: () => promise })
    await client().call('signIn', signIn)
    const page = client()
    const calling = page.call('listAgents')
    await vi.waitUntil(() => at('/auth/refresh').length === 1)
    await page.call('signOut')
    resolve()
    await calling
    await page.call('listAgents').catch(() => {})
    expect(at('/auth/refresh')).toHaveLength(2)
  })

  test('tabs that need a token at the same time share one refresh', async () => {
    const { client, at } = await service()
    await client().call('signIn', signIn)
    const tabs = Array.from({ length: 5 }, () => client())
    await Promise.all(tabs.map((tab) => tab.call('listAgents')))
    expect(at('/auth/refresh').map(({ headers }) => headers.cookie)).toEqual(['mandate_session=refresh-1'])
    expect(new Set(at('/agents').map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer access-2']))
  })

  test('tabs whose token was refused share one refresh', async () => {
    const { client, at, revokeAccess } = await service()
    await client().call('signIn', signIn)
    const tabs = Array.from({ length: 5 }, () => client())
    await Promise.all(tabs.map((tab) => tab.call('listAgents')))
    revokeAccess()
    await Promise.all(tabs.map((tab) => tab.call('listAgents')))
    expect(at('/auth/refresh')).toHaveLength(2)
  })

  test('a tab that has signed out gets no token of another tab', async () => {
    const { client, at } = await service()
    const page = client()
    await page.call('signIn', signIn)
    const other = client()
    await page.call('signOut')
    await client().call('signIn', signIn)
    await other.call('listAgents')
    await vi.waitUntil(() => at('/auth/refresh').length === 1)
    await page.call('listAgents')
    expect(at('/auth/refresh')).toHaveLength(2)
  })

  test('refreshes without a turn if the browser has no locks, or if a suspended tab keeps the lock', async () => {
    const { client, at } = await service()
    await client().call('signIn', signIn)
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('navigator', undefined)
    await client().call('listAgents')
    const request = () => Promise.reject(new DOMException('the lock was not free', 'TimeoutError'))
    vi.stubGlobal('navigator', { locks: { request } })
    await client().call('listAgents')
    expect(at('/auth/refresh')).toHaveLength(2)
  })

  test('is refused together with a credential, and its session has no tokens to store', async () => {
    const { url } = await service()
    expect(() => createClient({ url, session: 'cookie', credential: apiKey('mk_1') })).toThrow(TypeError)
    const session = { access_token: 'a', token_type: 'Bearer', expires_in: 900 } as const
    expect(() => tokensOf(session)).toThrow('the session has no refresh token, because it is in a cookie')
  })
})
