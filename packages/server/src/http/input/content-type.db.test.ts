import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { useTenant, useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)

/** Returns the status for a body with these headers. Uses `node:http`, because `fetch` would correct or refuse the header. */
function statusOf(method: string, path: string, type: string, encoding?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${tenant.owner.accessToken}`,
      'content-type': type,
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    }
    const sent = request(`${server.url}/api/v1${path}`, { method, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject)
    sent.end('{"name":"renamed"}')
  })
}

describe('415 for a body that is not JSON', () => {
  it.each(['text/plain', 'json', ';', '', 'application/json,text/plain', 'application/\u00e9'])(
    'for Content-Type %j, well-formed or not',
    async (type) => {
      expect(await statusOf('PUT', `/tenants/${tenant.id}`, type)).toBe(415)
      expect((await tenant.owner.api.get('/tenants')).body.tenant.name).toBe(tenant.name)
    },
  )

  it.each(['gzip', 'br', 'deflate', 'gzip, identity', 'x'])('for Content-Encoding %s', async (encoding) => {
    expect(await statusOf('PUT', `/tenants/${tenant.id}`, 'application/json', encoding)).toBe(415)
    expect((await tenant.owner.api.get('/tenants')).body.tenant.name).toBe(tenant.name)
  })

  it('a body with Content-Encoding identity is read', async () => {
    expect(await statusOf('PUT', `/tenants/${tenant.id}`, 'application/json', 'Identity')).toBe(200)
  })

  it('a media type with parameters counts as JSON', async () => {
    expect(await statusOf('PUT', `/tenants/${tenant.id}`, 'Application/JSON; charset=utf-8')).toBe(200)
  })
})
