import { describe, expect, it } from 'vitest'
import { createSelfSignedCertificate } from '../../../identity/testing/self-signed-certificate.ts'
import { addKey, addPerson, auditEntries, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let taken = 0
const { certificate } = createSelfSignedCertificate('idp.example')

/** Valid settings that no other tenant has. */
function settings() {
  taken++
  return {
    saml_enabled: true,
    saml_entity_id: 'https://idp.example/entity',
    saml_sso_url: 'https://idp.example/sso',
    saml_certificate: certificate,
    saml_email_domain: `acme-${taken}.example`,
    saml_provider_id: `acme-${taken}`,
  }
}

const put = (tenant: TestTenant, body: unknown) => tenant.owner.api.put(`/tenants/${tenant.id}`, body)
const setPlan = (tenant: TestTenant, plan: string) =>
  server.owner.query('update tenants set plan = $2 where id = $1', [tenant.id, plan])
const stored = async (tenant: TestTenant) =>
  (await server.owner.query('select * from tenants where id = $1', [tenant.id])).rows[0]
const eventsOf = async (tenant: TestTenant) =>
  (await auditEntries(server, tenant.id)).map(({ event_type, details }) => ({ event_type, details }))

describe('PUT /tenants/{id}: permissions', () => {
  it('403 unless id is the caller’s tenant, before the body is validated', async () => {
    const [tenant, other] = await Promise.all([createTenant(server), createTenant(server)])
    expect((await tenant.owner.api.put(`/tenants/${other.id}`, { name: 'Mine' })).status).toBe(403)
    expect((await tenant.owner.api.put(`/tenants/${other.id}`, { name: 7 })).status).toBe(403)
    expect((await stored(other)).name).toBe(other.name)
  })

  it('403 for callers who are not an owner, and for an environment-bound key, even an owner’s', async () => {
    const tenant = await createTenant(server)
    for (const role of ['manager', 'member', 'viewer'] as const) {
      const person = await addPerson(server, tenant.id, { role })
      expect((await person.api.put(`/tenants/${tenant.id}`, { name: 'Other' })).status).toBe(403)
      expect((await person.api.put(`/tenants/${tenant.id}`, { name: '' })).status).toBe(403)
    }
    const bound = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const refused = await bound.api.put(`/tenants/${tenant.id}`, { name: 'Other' })
    expect(refused).toMatchObject({
      status: 403,
      body: { error: 'an API key bound to an environment cannot take an action reserved for owners' },
    })
    expect((await stored(tenant)).name).toBe(tenant.name)
    expect(await auditEntries(server, tenant.id)).toEqual([])
    const wide = await addKey(server, tenant.id, tenant.owner)
    expect((await wide.api.put(`/tenants/${tenant.id}`, { name: 'Other' })).status).toBe(200)
  })

  it('403 for a read-only key of an owner', async () => {
    const tenant = await createTenant(server)
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['*:read'] })
    const refused = await key.api.put(`/tenants/${tenant.id}`, { name: 'Other' })
    expect(refused).toMatchObject({
      status: 403,
      body: { error: 'API key scope does not permit this operation', code: 403 },
    })
  })
})

describe('PUT /tenants/{id}: the name', () => {
  it('a field left out keeps its stored value; a rename is audited with both names', async () => {
    const tenant = await createTenant(server)
    const renamed = await put(tenant, { name: '  Acme  ' })
    expect(renamed).toMatchObject({ status: 200, body: { id: tenant.id, name: 'Acme', saml_enabled: false } })
    expect(await eventsOf(tenant)).toEqual([
      { event_type: 'tenant.updated', details: { old_name: tenant.name, new_name: 'Acme' } },
    ])
  })

  it.each(['', '   ', '\n\t'])('400 for the blank name %j; nothing is written', async (name) => {
    const tenant = await createTenant(server)
    const refused = await put(tenant, { name })
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^name /) } })
    expect((await stored(tenant)).name).toBe(tenant.name)
  })

  it('a request that changes nothing writes nothing', async () => {
    const tenant = await createTenant(server)
    const body = settings()
    await put(tenant, body)
    const before = await auditEntries(server, tenant.id)
    expect((await put(tenant, {})).status).toBe(200)
    expect((await put(tenant, { ...body, name: tenant.name })).status).toBe(200)
    expect(await auditEntries(server, tenant.id)).toEqual(before)
  })
})

describe('PUT /tenants/{id}: SAML sign-in', () => {
  it('turning SAML on with every field returns the tenant without the four hidden fields', async () => {
    const tenant = await createTenant(server)
    const body = { ...settings(), saml_provider_id: ` saml.acme-${taken}x ` }
    const answer = await put(tenant, { ...body, saml_email_domain: ` ${body.saml_email_domain.toUpperCase()} ` })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).sort()).toEqual([
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
    expect(answer.body).toMatchObject({ saml_enabled: true, saml_email_domain: body.saml_email_domain })
    expect((await stored(tenant)).saml_provider_id).toBe(`acme-${taken}x`)
    expect((await tenant.owner.api.get('/tenants')).body.tenant).toEqual(answer.body)
  })

  it('the entry tenant.saml_updated has the names of the fields and none of their values, above all not the certificate', async () => {
    const tenant = await createTenant(server)
    await put(tenant, settings())
    const [entry] = await eventsOf(tenant)
    expect(entry?.event_type).toBe('tenant.saml_updated')
    expect(entry?.details.fields).toContain('saml_certificate')
    expect(JSON.stringify(entry)).not.toContain('idp.example')
    expect(JSON.stringify(entry)).not.toContain('BEGIN')
  })

  it.each(['free', 'pro'])(
    '402 without the Enterprise plan, with minimum_plan and current_plan, on %s',
    async (plan) => {
      const tenant = await createTenant(server, { plan })
      const refused = await put(tenant, { saml_enabled: true })
      expect(refused).toEqual({
        status: 402,
        headers: refused.headers,
        body: {
          error: refused.body.message,
          message: expect.any(String),
          code: 'plan_upgrade_required',
          minimum_plan: 'enterprise',
          current_plan: plan,
        },
      })
      expect((await stored(tenant)).saml_enabled).toBe(false)
    },
  )

  it('400 with the name of a missing field on the Enterprise plan; nothing is written, not even a sent name', async () => {
    const tenant = await createTenant(server)
    const { saml_certificate: _, ...rest } = settings()
    const refused = await put(tenant, { ...rest, name: 'Renamed' })
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^saml_certificate /) } })
    expect(refused.body.code).toBeUndefined()
    expect(await stored(tenant)).toMatchObject({ name: tenant.name, saml_enabled: false, saml_entity_id: '' })
    expect(await auditEntries(server, tenant.id)).toEqual([])
  })

  it('400 for an invalid saml_provider_id, certificate or sign-on URL', async () => {
    const tenant = await createTenant(server)
    for (const wrong of [
      { saml_provider_id: 'saml.x' },
      { saml_certificate: 'nonsense' },
      { saml_sso_url: 'http://idp.example/' },
      { saml_enabled: 'yes' },
      { saml_entity_id: null },
    ]) {
      const refused = await put(tenant, { ...settings(), ...wrong })
      expect(refused).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(new RegExp(`^${Object.keys(wrong)[0]} `)) },
      })
    }
    expect((await stored(tenant)).saml_enabled).toBe(false)
  })

  it('a tenant that left the Enterprise plan may rename itself and turn SAML off; a SAML setting is 402', async () => {
    const tenant = await createTenant(server)
    await put(tenant, settings())
    await setPlan(tenant, 'pro')
    expect((await put(tenant, { name: 'Renamed' })).status).toBe(200)
    expect((await put(tenant, { saml_entity_id: 'urn:other' })).status).toBe(402)
    expect((await put(tenant, { name: 'Again', saml_enabled: true })).status).toBe(402)
    expect((await stored(tenant)).name).toBe('Renamed')
    expect(await put(tenant, { saml_enabled: false })).toMatchObject({ status: 200, body: { saml_enabled: false } })
    expect((await put(tenant, { saml_enabled: true })).status).toBe(402)
  })

  it('a tenant with SAML on and without saml_provider_id must set it with its next SAML change, and may rename itself', async () => {
    const tenant = await createTenant(server)
    const body = settings()
    await put(tenant, body)
    await server.owner.query("update tenants set saml_provider_id = '' where id = $1", [tenant.id])
    expect((await put(tenant, { name: 'Renamed' })).status).toBe(200)
    const refused = await put(tenant, { saml_entity_id: 'urn:other' })
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^saml_provider_id /) } })
    const { saml_provider_id } = body
    expect((await put(tenant, { saml_entity_id: 'urn:other', saml_provider_id })).status).toBe(200)
  })

  it('400 for clearing the domain or the provider id while SAML is on; with SAML off both can be cleared', async () => {
    const tenant = await createTenant(server)
    await put(tenant, settings())
    expect((await put(tenant, { saml_email_domain: '' })).status).toBe(400)
    expect((await put(tenant, { saml_provider_id: ' ' })).status).toBe(400)
    const cleared = await put(tenant, { saml_enabled: false, saml_email_domain: '', saml_provider_id: ' ' })
    expect(cleared).toMatchObject({ status: 200, body: { saml_email_domain: '' } })
    expect(await stored(tenant)).toMatchObject({ saml_provider_id: '', saml_email_domain: '' })
  })
})

describe('PUT /tenants/{id}: the look-ups of sign-in', () => {
  it('409 for a domain of another tenant with SAML on; with SAML off in either it is allowed', async () => {
    const [one, two] = await Promise.all([createTenant(server), createTenant(server)])
    const first = settings()
    const second = { ...settings(), saml_email_domain: first.saml_email_domain.toUpperCase() }
    expect((await put(one, first)).status).toBe(200)
    expect((await put(two, { ...second, saml_enabled: false })).status).toBe(200)
    const refused = await put(two, { saml_enabled: true, name: 'Renamed' })
    expect(refused.status).toBe(409)
    expect(await stored(two)).toMatchObject({ saml_enabled: false, name: two.name })
    expect((await put(one, { saml_enabled: false })).status).toBe(200)
    expect((await put(two, { saml_enabled: true })).status).toBe(200)
    expect((await put(one, { saml_enabled: true })).status).toBe(409)
  })

  it('409 for a provider id of another tenant, SAML on or off; an id that was given up may be used', async () => {
    const [one, two] = await Promise.all([createTenant(server), createTenant(server)])
    const { saml_provider_id } = settings()
    expect((await put(one, { saml_provider_id })).status).toBe(200)
    expect((await put(two, { saml_provider_id: `saml.${saml_provider_id}` })).status).toBe(409)
    expect((await put(one, { saml_provider_id: '' })).status).toBe(200)
    expect((await put(two, { saml_provider_id })).status).toBe(200)
  })

  it('409 for all but one of the tenants that use a domain at the same time', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => createTenant(server)))
    const { saml_email_domain } = settings()
    const answers = await Promise.all(tenants.map((tenant) => put(tenant, { ...settings(), saml_email_domain })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const { rows } = await server.owner.query(
      'select count(*)::int as on from tenants where saml_enabled and saml_email_domain = $1',
      [saml_email_domain],
    )
    expect(rows[0].on).toBe(1)
  })
})
