import { maxBodyBytes } from '@mandate/contract/endpoint/body-limit'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints } from '@mandate/contract/endpoints'
import { describe, expect, it } from 'vitest'
import { createTenant } from '../../testing/arrange.ts'
import { useTestServer } from '../../testing/use-test-server.ts'
import { pathOf } from '../routes/endpoint-path.ts'

const server = useTestServer({ authThrottle: true, trustProxy: true })

const withBody = Object.entries(endpoints as Record<string, Endpoint>).filter(
  ([, { access, body }]) => access.by === 'public' && body,
)

let clients = 0

function post(endpoint: Endpoint, body: string, client: string) {
  const path = pathOf(endpoint).replace('{provider_id}', 'none')
  const type = endpoint.consumes ?? 'application/json'
  const headers = { 'content-type': type, 'x-forwarded-for': client }
  return fetch(server.url + path, { method: 'POST', headers, body, redirect: 'manual' })
}

describe.each(withBody)('%s', (_id, endpoint) => {
  it('counts a client before the body is read', { timeout: 300_000 }, async () => {
    const client = `203.0.113.${++clients}`
    const tooLong = 'x'.repeat(maxBodyBytes(endpoint) + 1)
    let status = 0
    for (let calls = 0; calls < 601 && status !== 429; calls++) {
      const response = await post(endpoint, tooLong, client)
      status = response.status
      if (status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      else expect(status).toBe(413)
      await response.arrayBuffer()
    }
    expect(status).toBe(429)
    expect((await post(endpoint, tooLong, '198.51.100.1')).status).toBe(413)
  })
})

describe('Google and SAML sign-in starts', () => {
  it('429 for one client after 100 starts of both kinds in five minutes', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.200' }
    const start = (path: string) => fetch(`${server.url}/api/v1/auth/${path}/start`, { headers, redirect: 'manual' })
    const statuses: number[] = []
    for (let n = 0; n < 101; n++) statuses.push((await start(n % 2 ? 'google' : 'saml/none')).status)
    expect(statuses.slice(0, 100)).toEqual(Array(100).fill(404))
    expect(statuses[100]).toBe(429)
  })
})

describe('a body whose arrays are longer than allowed', () => {
  it('is 400 with the name of the field, and not 500', async () => {
    const { owner } = await createTenant(server)
    const rule = { priority: 1, effect: 'deny', match: { tools: Array(150_000).fill(1) } }
    const tools = await owner.api.post('/policies/validate', { name: 'p', rules: [rule] })
    expect([tools.status, tools.body.error]).toEqual([
      400,
      'rules[0].match.tools must be a list of 1 to 100 tool patterns',
    ])
    const when = { priority: 1, effect: 'deny', match: { tools: ['mcp:*'], when: Array(40_000).fill({}) } }
    const conditions = await owner.api.post('/policies/validate', { name: 'p', rules: [when] })
    expect([conditions.status, conditions.body.error]).toEqual([
      400,
      'rules[0].match.when must be a list of at most 50 conditions',
    ])
  })
})
