import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiAnswer, apiClient } from '../../../testing/api-client.ts'
import { createTenant } from '../../../testing/arrange.ts'
import { startTestServer, type TestServer } from '../../../testing/start-test-server.ts'
import { newAddress, password, registration, signIn } from '../testing/people.ts'

let server: TestServer

beforeAll(async () => {
  // The server trusts a proxy, so that each test can send its requests from another client IP address.
  server = await startTestServer({ authThrottle: true, trustProxy: true })
})
afterAll(() => server.stop())

let clients = 0
const newClient = () => ({ 'x-forwarded-for': `203.0.113.${++clients}` })

async function statuses(times: number, call: (n: number) => Promise<ApiAnswer>) {
  const answers: ApiAnswer[] = []
  for (let n = 0; n < times; n++) answers.push(await call(n))
  return answers
}

describe('sign-in routes are throttled', () => {
  it('429 with Retry-After for one address from several clients, whether the address is known or not', async () => {
    const email = newAddress()
    const attempt = () =>
      apiClient(server.url).post('/auth/sign-in', { email, password: 'wrong password' }, newClient())
    const answers = await statuses(11, attempt)
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401))
    const refused = answers[10] as ApiAnswer
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({ error: expect.stringMatching(/^too many attempts/), code: 429 })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const upper = await apiClient(server.url).post('/auth/sign-in', { email: email.toUpperCase(), password })
    expect(upper.status).toBe(429)
    expect((await signIn(server, newAddress())).status).toBe(401)
  })

  it('429 for one client with several addresses; an IPv6 network counts as one client', async () => {
    const forgot = (n: number) =>
      apiClient(server.url).post(
        '/auth/register',
        { ...registration(), password: 'short' },
        { 'x-forwarded-for': `2001:db8:1:2::${n + 1}` },
      )
    const answers = await statuses(21, forgot)
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(400))
    expect(answers[20]?.status).toBe(429)
  })

  it('429 for one client, whatever it sends in X-Forwarded-For', async () => {
    const seen = newClient()['x-forwarded-for']
    const answers = await statuses(21, (n) =>
      apiClient(server.url).post(
        '/auth/register',
        { ...registration(), password: 'short' },
        { 'x-forwarded-for': `198.51.100.${n}, ${seen}:${40_000 + n}` },
      ),
    )
    expect(answers[19]?.status).toBe(400)
    expect(answers[20]?.status).toBe(429)
  })

  it('429 for password resets of one address', async () => {
    const email = newAddress()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => apiClient(server.url).post('/auth/password/forgot', { email }, newClient())),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 429])
  })

  it('429 for previewed invitations of one client, counted separately from accepted ones', async () => {
    const client = newClient()
    const answers = await statuses(61, () =>
      apiClient(server.url).post('/auth/invitations/preview', { token: 'nonsense' }, client),
    )
    expect(answers[59]?.status).toBe(410)
    expect(answers[60]?.status).toBe(429)
    expect(Number(answers[60]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const body = { token: 'nonsense', password }
    expect((await apiClient(server.url).post('/auth/invitations/accept', body, client)).status).toBe(410)
  })

  it('429 for accepted invitations of one client', async () => {
    const client = newClient()
    const answers = await statuses(61, () =>
      apiClient(server.url).post('/auth/invitations/accept', { token: 'nonsense', password }, client),
    )
    expect(answers[59]?.status).toBe(410)
    expect(answers[60]?.status).toBe(429)
  })

  it('GET /auth/session does not count as an attempt', async () => {
    const tenant = await createTenant(server)
    const answers = await statuses(30, () => tenant.owner.api.get('/auth/session'))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  })
})
