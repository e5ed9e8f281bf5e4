import { atLeast } from '@mandate/contract/words/roles'
import { describe, expect, it } from 'vitest'
import { scopesWithin } from '../../authz/scopes.ts'
import { addKey, addPerson, giveEnvironment } from '../../testing/arrange.ts'
import { useTenant, useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)

const never = null
const soon = '2999-01-01T00:00:00.000Z'
const later = '2999-06-01T00:00:00.000Z'

const people = {
  owner: { role: 'owner', accessScope: 'all' },
  'another owner': { role: 'owner', accessScope: 'all' },
  manager: { role: 'manager', accessScope: 'all' },
  'scoped manager': { role: 'manager', accessScope: 'scoped' },
  'another manager': { role: 'manager', accessScope: 'all' },
  member: { role: 'member', accessScope: 'all' },
} as const
type Name = keyof typeof people

/** How the caller makes the request: signed in as a person, or through a key with these scopes and this expiry. */
interface Means {
  scopes?: string[]
  expiresAt?: string | null
}

const callers: [string, Name, Means | null][] = [
  ['an owner', 'owner', null],
  ['a manager', 'manager', null],
  ['a scoped manager', 'scoped manager', null],
  ['a member', 'member', null],
  ["an owner's key", 'owner', {}],
  ["an owner's key for API keys", 'owner', { scopes: ['api-keys:*'] }],
  ["an owner's expiring key", 'owner', { expiresAt: soon }],
  ["a manager's key", 'manager', {}],
  ["a manager's key for API keys", 'manager', { scopes: ['api-keys:*', 'agents:read'] }],
]

const targets = (['owner', 'another owner', 'manager', 'another manager', 'member'] as const).flatMap((creator) =>
  [
    { scopes: [], expiresAt: never },
    { scopes: ['api-keys:*'], expiresAt: never },
    { scopes: ['agents:read'], expiresAt: soon },
    { scopes: ['agents:*'], expiresAt: later },
  ].flatMap((means) =>
    (['tenant-wide', 'bound'] as const).map((reach) => [creator, means.scopes, means.expiresAt, reach] as const),
  ),
)

const changes = ['tenant-wide', 'same', 'other'] as const

const stored = async (id: string) => {
  const text = `select environment_id, (select count(*)::int from audit_entries where resource_id = $1) as entries
    from api_keys where id = $1`
  return (await server.owner.query(text, [id])).rows[0]
}

/** The expected result: true if the caller could have this power without the key. */
function mayGive(
  who: Name,
  means: Means | null,
  [creator, scopes, expiresAt, reach]: (typeof targets)[number],
  to: string,
) {
  const caller = people[who]
  if (caller.accessScope === 'scoped' && to === 'tenant-wide') return 403
  if (who === 'member' && creator !== 'member') return 404
  const losesReach = reach === 'tenant-wide' || (reach === 'bound' && to === 'same')
  if (losesReach) return 200
  if (means && !scopesWithin(scopes, means.scopes ?? [])) return 403
  if (means?.expiresAt && (expiresAt === never || expiresAt > means.expiresAt)) return 403
  if (who === creator) return 200
  const outranks = atLeast(caller.role, people[creator].role)
  return outranks && !(caller.accessScope === 'scoped' && people[creator].accessScope === 'all') ? 200 : 403
}

describe('no one gives a key a reach that they, and the key they use, do not have', () => {
  it.each(callers)('%s', async (_who, name, means) => {
    const persons = Object.fromEntries(
      await Promise.all(
        Object.entries(people).map(
          async ([each, person]) => [each, await addPerson(server, tenant.id, person)] as const,
        ),
      ),
    ) as Record<Name, Awaited<ReturnType<typeof addPerson>>>
    await giveEnvironment(server, tenant.id, persons['scoped manager'].id, tenant.production)
    await giveEnvironment(server, tenant.id, persons['scoped manager'].id, tenant.development)
    const caller = means ? await addKey(server, tenant.id, persons[name], means) : persons[name]
    const attempts = targets.flatMap((target) => changes.map((to) => ({ target, to })))
    await Promise.all(
      attempts.map(async ({ target, to }) => {
        const [creator, scopes, expiresAt, reach] = target
        const before = reach === 'bound' ? tenant.production : null
        const after = { 'tenant-wide': null, same: tenant.production, other: tenant.development }[to]
        const wanted = { scopes: [...scopes], expiresAt, environmentId: before }
        const key = await addKey(server, tenant.id, persons[creator], wanted)
        const { status, body } = await caller.api.patch(`/api-keys/${key.id}/environment`, { environment_id: after })
        const told = `${creator}'s ${reach} key ${JSON.stringify(wanted)} → ${to}: ${JSON.stringify(body)}`
        expect(status, told).toBe(mayGive(name, means, target, to))
        const now = await stored(key.id)
        expect(now.environment_id, told).toBe(status === 200 ? after : before)
        expect(now.entries, told).toBe(status === 200 && after !== before ? 1 : 0)
      }),
    )
  })

  it('a manager cannot make an owner’s bound key tenant-wide, and the holder of the key cannot become an owner', async () => {
    const manager = await addPerson(server, tenant.id, { role: 'manager' })
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    const widened = await manager.api.patch(`/api-keys/${key.id}/environment`, { environment_id: null })
    expect(widened).toMatchObject({
      status: 403,
      body: {
        error:
          'this key acts with the role owner; only a user with this role or a higher role may change its environment',
      },
    })
    expect((await key.api.put(`/users/${manager.id}`, { role: 'owner' })).status).toBe(403)
  })

  it('a key with scopes for API keys creates no key with more scopes', async () => {
    const key = await addKey(server, tenant.id, tenant.owner, { scopes: ['api-keys:*'], expiresAt: soon })
    for (const [wanted, status] of [
      [{ scopes: ['api-keys:*'], expires_at: soon }, 201],
      [{ scopes: ['api-keys:read'], expires_at: soon, environment_id: tenant.production }, 201],
      [{ expires_at: soon }, 403],
      [{ scopes: ['*'], expires_at: soon }, 403],
      [{ scopes: ['api-keys:*', 'agents:read'], expires_at: soon }, 403],
      [{ scopes: ['api-keys:*'] }, 403],
      [{ scopes: ['api-keys:*'], expires_at: later }, 403],
    ] as const) {
      expect((await key.api.post('/api-keys', { name: 'made', ...wanted })).status, JSON.stringify(wanted)).toBe(status)
    }
  })
})

describe('an API key limited by scopes cannot make anyone an owner', () => {
  it('neither by a role nor by an invitation; other roles and keys without limits can', async () => {
    const person = await addPerson(server, tenant.id, { role: 'member' })
    const narrow = await addKey(server, tenant.id, tenant.owner, { scopes: ['users:*', 'tenants:*'] })
    const wide = await addKey(server, tenant.id, tenant.owner)
    const text = { error: 'an API key limited by scopes cannot make anyone an owner' }
    const invite = (caller: typeof narrow, role: string) =>
      caller.api.post(`/tenants/${tenant.id}/invite`, { email: `${role}-${caller.id}@example.com`, role })
    expect(await narrow.api.put(`/users/${person.id}`, { role: 'owner' })).toMatchObject({ status: 403, body: text })
    expect(await invite(narrow, 'owner')).toMatchObject({ status: 403, body: text })
    expect((await narrow.api.put(`/users/${person.id}`, { role: 'manager' })).status).toBe(200)
    expect((await invite(narrow, 'member')).status).toBe(202)
    expect((await wide.api.put(`/users/${person.id}`, { role: 'owner' })).status).toBe(200)
    expect((await invite(wide, 'owner')).status).toBe(202)
  })
})
