import { beforeAll, describe, expect, it } from 'vitest'
import { apiClient } from '../../../testing/api-client.ts'
import { addKey, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let other: TestTenant

beforeAll(async () => {
  ;[tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
})

describe('GET /tenants and GET /tenants/{id}', () => {
  it('200 for any user of the tenant, and no stored SAML setting is shown', async () => {
    const { status, body } = await tenant.owner.api.get(`/tenants/${tenant.id}`)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual([
      'created_at',
      'decision_retention_days',
      'governance_gate',
      'id',
      'name',
      'plan',
      'saml_configured',
      'saml_email_domain',
      'saml_enabled',
      'seats',
    ])
    expect((await tenant.owner.api.get('/tenants')).body).toEqual({ tenant: body })
  })

  it('403 for another tenant’s id whatever the role, 400 for an id that is not a UUID', async () => {
    expect((await tenant.owner.api.get(`/tenants/${other.id}`)).status).toBe(403)
    expect((await tenant.owner.api.get('/tenants/nonsense')).status).toBe(400)
  })

  it('401 without credentials, with malformed credentials and with an unknown key', async () => {
    expect((await apiClient(server.url).get('/tenants')).status).toBe(401)
    expect((await apiClient(server.url, 'nonsense').get('/tenants')).status).toBe(401)
    const unknown = await apiClient(server.url, `mk_${'0'.repeat(64)}`).get('/tenants')
    expect(unknown).toMatchObject({ status: 401, body: { error: 'invalid API key', code: 401 } })
  })

  it('every response to an API key has the rate headers', async () => {
    const key = await addKey(server, tenant.id, tenant.owner)
    const { status, headers } = await key.api.get('/tenants')
    expect(status).toBe(200)
    expect(Number(headers.get('ratelimit-remaining'))).toBe(Number(headers.get('ratelimit-limit')) - 1)
  })
})
