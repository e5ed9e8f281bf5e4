import { expect, test } from 'vitest'
import { callApi, password, register, tokenMailedTo } from './call-api.ts'
import { dataFolder, sharedMandate, startMandate } from './mandate-process.ts'

const shared = sharedMandate()

test('register, invite, accept by the mailed link, sign in, refresh, and use a key', async () => {
  const server = shared()
  const owner = await register(server)
  const as = (credential: string) => (method: string, path: string, body?: unknown) =>
    callApi(server, method, path, { credential, body })
  const asOwner = as(owner.credential)

  const email = 'member@people.example'
  expect((await asOwner('POST', `/tenants/${owner.tenantId}/invite`, { email, role: 'member' })).status).toBe(202)
  const token = await tokenMailedTo(server, email, 'join')
  const accept = { body: { token, password, display_name: 'New Member' } }
  const accepted = await callApi(server, 'POST', '/auth/invitations/accept', accept)
  expect(accepted).toMatchObject({ status: 200, body: { user: { email, role: 'member', status: 'active' } } })
  expect((await callApi(server, 'POST', '/auth/invitations/accept', accept)).status).toBe(410)

  const signedIn = await callApi(server, 'POST', '/auth/sign-in', { body: { email, password } })
  expect(signedIn.status).toBe(200)
  const { refresh_token } = signedIn.body.session
  const refreshed = await callApi(server, 'POST', '/auth/refresh', { body: { refresh_token } })
  const asMember = as(refreshed.body.session.access_token)
  expect((await asMember('GET', '/auth/session')).body).toMatchObject({
    user: { email },
    tenant: { id: owner.tenantId },
    via: { type: 'session' },
  })

  const key = await asMember('POST', '/api-keys', { name: 'reader', scopes: ['*:read'] })
  expect(key.status).toBe(201)
  const asKey = as(key.body.raw_key)
  const users = await asKey('GET', '/users')
  expect(users.status).toBe(200)
  expect(users.headers.get('ratelimit-limit')).toBe('100')
  expect(await asKey('POST', '/api-keys', { name: 'more' })).toMatchObject({
    status: 403,
    body: { error: 'API key scope does not permit this operation', code: 403 },
  })

  expect((await asOwner('DELETE', `/users/${accepted.body.user.id}`)).status).toBe(204)
  expect(await asKey('GET', '/users')).toMatchObject({ status: 401, body: { error: 'invalid API key', code: 401 } })
  expect((await asMember('GET', '/auth/session')).status).toBe(401)
})

test('every response has a request id, and the log contains the id but no credential', async () => {
  const server = await startMandate({ DATA_DIR: await dataFolder() })
  const { credential } = await register(server)
  const answer = await fetch(`${server.url}/api/v1/auth/session?token=hush`, {
    headers: { authorization: `Bearer ${credential}`, 'x-request-id': 'from-the-caller' },
  })
  expect(answer.headers.get('x-request-id')).toBe('from-the-caller')
  await server.stop()
  expect(server.log().find(({ request_id }) => request_id === 'from-the-caller')).toMatchObject({
    msg: 'request',
    method: 'GET',
    path: '/api/v1/auth/session',
    status: 200,
  })
  expect(server.output()).not.toContain(credential)
  expect(server.output()).not.toContain('hush')
  expect(server.output()).not.toContain(password)
})
