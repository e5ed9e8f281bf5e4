import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import { describe, expect, it } from 'vitest'
import { cookieMode, pageOf, sessionCookieOf } from '../features/auth/testing/cookie-browser.ts'
import { password, registerPerson } from '../features/auth/testing/people.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { sweptEndpoints } from './swept-endpoints.ts'

const server = useTestServer()
const anyId = '01900000-0000-7000-8000-000000000000'
const urlOf = ({ path, absolute }: Endpoint) =>
  server.url + (absolute ? '' : '/api/v1') + path.replaceAll(/\{\w+\}/g, anyId)

async function newCookie(): Promise<string> {
  const { email } = await registerPerson(server)
  const answer = await pageOf(server).post('/auth/sign-in', { email, password })
  return `mandate_session=${sessionCookieOf(answer)?.value}`
}

it('only these operations open, refresh or end a cookie session', () => {
  const all = Object.entries(endpoints) as [OperationId, Endpoint][]
  expect(
    Object.fromEntries(all.flatMap(([id, { cookieSession }]) => (cookieSession ? [[id, cookieSession]] : []))),
  ).toEqual({
    register: 'opens',
    signIn: 'opens',
    exchange: 'opens',
    acceptInvitation: 'opens',
    refresh: 'accepts',
    signOut: 'accepts',
  })
})

let unused: Promise<string> | undefined

/** A cookie for a request to an endpoint. Endpoints that do not use the cookie get the same one, because a sign-in hashes a password. */
function cookieFor({ cookieSession }: Endpoint): Promise<string> {
  if (cookieSession) return newCookie()
  unused ??= newCookie()
  return unused
}

describe('the session cookie is no credential', () => {
  const closed = sweptEndpoints.filter(([, { access, cookieSession }]) => access.by !== 'public' && !cookieSession)
  it.each(closed)('401 at %s, with and without the header', async (_id, endpoint) => {
    const cookie = await cookieFor(endpoint)
    for (const headers of [{ cookie }, { ...cookieMode, cookie }]) {
      const { status } = await fetch(urlOf(endpoint), { method: endpoint.method, headers })
      expect(status).toBe(401)
    }
  })
})

describe('a page of another origin can read no response', () => {
  it.each(sweptEndpoints)('%s has no CORS headers, for the request and its preflight', async (_id, endpoint) => {
    const cookie = await cookieFor(endpoint)
    for (const origin of ['https://evil.example', 'null', server.services.config.publicUrl]) {
      const asked = { origin, 'access-control-request-method': endpoint.method }
      const preflight = { ...asked, 'access-control-request-headers': 'mandate-session,content-type' }
      const answers = [
        await fetch(urlOf(endpoint), { method: 'OPTIONS', headers: { ...preflight, cookie } }),
        await fetch(urlOf(endpoint), {
          method: endpoint.method,
          headers: { origin, cookie, ...cookieMode },
          redirect: 'manual',
        }),
      ]
      expect(answers[0]?.status).toBe(405)
      for (const { headers } of answers)
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})
