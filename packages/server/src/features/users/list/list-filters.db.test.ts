import { User } from '@mandate/contract/users'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  actorOf,
  addAgent,
  addKey,
  addPerson,
  createTenant,
  giveEnvironment,
  grantAgent,
  type TestPerson,
  type TestTenant,
} from '../../../testing/arrange.ts'
import { costOf } from '../../../testing/statement-cost.ts'
import { useOwnServer } from '../../../testing/use-test-server.ts'
import { findAccess } from './access-queries.ts'

const server = useOwnServer()
const emails = (body: { data: User[] }) => body.data.map(({ email }) => email).sort()

describe('GET /users with filters', () => {
  let tenant: TestTenant
  let people: Record<'member' | 'secured' | 'federated' | 'invited' | 'learner', TestPerson>

  beforeAll(async () => {
    tenant = await createTenant(server)
    people = {
      member: await addPerson(server, tenant.id),
      secured: await addPerson(server, tenant.id),
      federated: await addPerson(server, tenant.id, { displayName: 'by provider' }),
      invited: await addPerson(server, tenant.id, { status: 'pending' }),
      learner: await addPerson(server, tenant.id, { academyOnly: true }),
    }
    await server.owner.query('update users set mfa_enrolled = true where id = $1', [people.secured.id])
    await server.owner.query('update users set federated = true where id = $1', [people.federated.id])
  })

  it.each([
    ['status=pending', ['invited']],
    ['academy_only=true', ['learner']],
    ['mfa_enrolled=true', ['secured']],
    ['federated=true', ['federated']],
    ['federated=false&status=active&academy_only=false', ['owner', 'member', 'secured']],
    ['status=active&academy_only=false&mfa_enrolled=false', ['owner', 'member', 'federated']],
    ['status=active&academy_only=false&mfa_enrolled=false&federated=false', ['owner', 'member']],
    ['mfa_enrolled=true&federated=true', []],
    ['status=pending&academy_only=true', []],
    ['search=member&mfa_enrolled=false&federated=false&status=active&academy_only=false', ['member']],
    ['search=provider&federated=true', ['federated']],
  ] as const)('%s', async (query, names) => {
    const { status, body } = await tenant.owner.api.get(`/users?${query}`)
    expect(status).toBe(200)
    const wanted = names.map((name) => (name === 'owner' ? tenant.owner.email : people[name].email)).sort()
    expect(emails(body)).toEqual(wanted)
    expect(body.total).toBe(wanted.length)
  })

  it('400 for a value out of the enum', async () => {
    for (const query of ['status=gone', 'academy_only=1', 'mfa_enrolled=yes', 'federated=saml', 'include=names'])
      expect((await tenant.owner.api.get(`/users?${query}`)).status).toBe(400)
  })

  it('a user shows the kinds of their second factors', async () => {
    const factors = async ({ id }: TestPerson) => (await tenant.owner.api.get(`/users/${id}`)).body.factors
    expect(await factors(people.secured)).toEqual(['totp'])
    expect(await factors(people.member)).toEqual([])
  })
})

describe('include=access', () => {
  it('managers see how much was given to a scoped user, and when an invitation expires', async () => {
    const { id, owner, development, production } = await createTenant(server)
    const scoped = await addPerson(server, id, { accessScope: 'scoped' })
    const agent = await addAgent(server, id, { environmentId: development })
    await grantAgent(server, id, scoped.id, agent)
    await giveEnvironment(server, id, scoped.id, development)
    await giveEnvironment(server, id, scoped.id, production)
    await owner.api.post(`/tenants/${id}/invite`, { email: 'new@example.com', role: 'member' })
    const { body } = await owner.api.get('/users?include=access')
    for (const user of body.data) expect(User.parse(user)).toEqual(user)
    const [invited] = body.data.filter((user: User) => user.status === 'pending')
    expect(invited).toMatchObject({ agents: null, environments: null })
    const days = (Date.parse(invited.invitation.expires_at) - Date.parse(invited.invitation.sent_at)) / 86_400_000
    expect(days).toBe(7)
    const one = (await owner.api.get(`/users/${scoped.id}?include=access`)).body
    expect(one).toMatchObject({ agents: 1, environments: 2, invitation: null })
    expect(body.data.find((user: User) => user.id === scoped.id)).toEqual(one)
    expect(await owner.api.get(`/users/${scoped.id}`).then((answer) => Object.keys(answer.body))).not.toContain(
      'agents',
    )
  })

  it('counts only what the caller sees: a bound key its environment, a scoped manager the granted agents', async () => {
    const { id, owner, development, production } = await createTenant(server)
    const subject = await addPerson(server, id, { accessScope: 'scoped' })
    const [inDevelopment, inProduction] = [
      await addAgent(server, id, { environmentId: development }),
      await addAgent(server, id, { environmentId: production }),
    ]
    for (const agent of [inDevelopment, inProduction]) await grantAgent(server, id, subject.id, agent)
    for (const environment of [development, production]) await giveEnvironment(server, id, subject.id, environment)
    const bound = await addKey(server, id, owner, { environmentId: production })
    const scoped = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    const seenBy = async ({ api }: Pick<TestPerson, 'api'>) => {
      const { agents, environments } = (await api.get(`/users/${subject.id}?include=access`)).body
      return { agents, environments }
    }
    expect(await seenBy(owner)).toEqual({ agents: 2, environments: 2 })
    expect(await seenBy(bound)).toEqual({ agents: 1, environments: 1 })
    expect(await seenBy(scoped)).toEqual({ agents: 0, environments: 0 })
    await grantAgent(server, id, scoped.id, inDevelopment)
    await giveEnvironment(server, id, scoped.id, development)
    expect(await seenBy(scoped)).toEqual({ agents: 1, environments: 1 })
  })

  // The time of the last activity may change between two requests.
  const withoutActivity = ({ data, ...page }: { data: { last_active_at?: string }[] }) => ({
    ...page,
    data: data.map(({ last_active_at: _, ...user }) => user),
  })

  it('adds nothing for members and viewers, and for a learner who reads themselves', async () => {
    const { id, owner } = await createTenant(server)
    const learner = await addPerson(server, id, { academyOnly: true })
    for (const person of [await addPerson(server, id), await addPerson(server, id, { role: 'viewer' })]) {
      const { status, body } = await person.api.get('/users?include=access')
      expect(status).toBe(200)
      expect(withoutActivity(body)).toEqual(withoutActivity((await person.api.get('/users')).body))
      expect((await person.api.get(`/users/${owner.id}?include=access`)).body).not.toHaveProperty('invitation')
    }
    expect((await learner.api.get(`/users/${learner.id}?include=access`)).body).not.toHaveProperty('agents')
  })

  it('counting stops at 10,000 grants of each user', async () => {
    const { id, owner } = await createTenant(server)
    const scoped = await addPerson(server, id, { accessScope: 'scoped' })
    await server.owner.query(
      `with a as (insert into agents (tenant_id, id, name, status, source, governance_state, lifecycle_status, created_at, updated_at)
         select $1::uuid, gen_random_uuid(), 'a', 'active', 'runtime', 'governed', 'approved', now(), now() from generate_series(1, 12000)
         returning id)
       insert into agent_grants (tenant_id, id, user_id, agent_id, created_at) select $1, gen_random_uuid(), $2, id, now() from a`,
      [id, scoped.id],
    )
    await server.owner.query('vacuum analyze agent_grants')
    const actor = actorOf({ id, owner })
    const { buffers, plans } = await costOf(server, id, async (sql) => {
      expect((await findAccess(sql, actor, [scoped.id]))[0]?.agents).toBe(10_000)
    })
    expect(buffers, JSON.stringify(plans)).toBeLessThan(1000)
  })
})

describe('the organization', () => {
  it('shows its seats, and which SAML settings have a value', async () => {
    const { id, owner } = await createTenant(server, { plan: 'pro' })
    await addPerson(server, id, { status: 'pending' })
    await addPerson(server, id, { academyOnly: true })
    await addPerson(server, id, { academyOnly: true, status: 'pending' })
    const viewer = await addPerson(server, id, { role: 'viewer' })
    const seats = { max: 50, used: 3, invited: 1 }
    const { tenant } = (await viewer.api.get('/tenants')).body
    expect(tenant).toMatchObject({ seats, saml_configured: [] })
    expect((await viewer.api.get(`/tenants/${id}`)).body).toEqual(tenant)
    expect((await viewer.api.get('/auth/session')).body.tenant).toEqual(tenant)
    const { api } = await addKey(server, id, viewer)
    const { seats: _seats, saml_configured: _configured, ...others } = tenant
    expect((await api.get('/auth/session')).body.tenant).toEqual(others)
    expect((await api.get('/auth/session?include=seats')).body.tenant).toEqual(tenant)
    await owner.api.put(`/tenants/${id}`, { name: 'Renamed' })
    await server.owner.query(
      `update tenants set plan = 'enterprise', saml_entity_id = 'urn:idp', saml_email_domain = 'corp.example' where id = $1`,
      [id],
    )
    const changed = (await owner.api.put(`/tenants/${id}`, { name: 'Again' })).body
    expect(changed).toMatchObject({ saml_configured: ['saml_entity_id', 'saml_email_domain'], seats: { max: null } })
    expect(JSON.stringify(changed)).not.toContain('urn:idp')
  })

  it('a learner sees up to three owners by name, and no seats', async () => {
    const { id, owner } = await createTenant(server)
    const learner = await addPerson(server, id, { academyOnly: true })
    for (const displayName of ['Olivia', 'Oscar', 'Otto', 'Orla'])
      await addPerson(server, id, { role: 'owner', displayName })
    await addPerson(server, id, { role: 'owner', displayName: 'Invited', status: 'pending' })
    const session = (await learner.api.get('/auth/session?include=seats')).body
    expect(session.contacts).toEqual(['Olivia', 'Oscar', 'Otto'])
    expect(session.tenant).not.toHaveProperty('seats')
    expect((await owner.api.get('/auth/session')).body).not.toHaveProperty('contacts')
  })
})
