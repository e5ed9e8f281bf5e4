import type { ApiClient } from './api-client.ts'
import { addKey, addPerson, type TestPerson, type TestTenant } from './arrange.ts'
import type { TestServer } from './start-test-server.ts'

export const owners = ['one owner', 'two owners'] as const
export const managers = ['no manager', 'a scoped manager', 'a manager'] as const

type People = Record<string, TestPerson>

/** Adds people with these numbers of owners and managers, and a member. Returns them by a name for messages. */
export async function addPeople(
  server: TestServer,
  tenant: TestTenant,
  owned: (typeof owners)[number],
  managed: (typeof managers)[number],
): Promise<People> {
  const people: People = { owner: tenant.owner }
  if (owned === 'two owners') people.second = await addPerson(server, tenant.id, { role: 'owner' })
  if (managed !== 'no manager') {
    const accessScope = managed === 'a manager' ? 'all' : 'scoped'
    people.manager = await addPerson(server, tenant.id, { role: 'manager', accessScope })
  }
  people.member = await addPerson(server, tenant.id)
  // Managers who can never decide: their seats must not count as other resolvers.
  await addPerson(server, tenant.id, { role: 'manager', status: 'pending' })
  await addPerson(server, tenant.id, { role: 'manager', academyOnly: true })
  return people
}

/** Returns a client for each person and for keys of that person: an unbound key, and a key that is bound to each environment. */
export async function callersOf(server: TestServer, { id, production, development }: TestTenant, people: People) {
  const callers: Record<string, ApiClient> = {}
  for (const [name, person] of Object.entries(people)) {
    const keyOf = async (environmentId?: string) => (await addKey(server, id, person, { environmentId })).api
    callers[name] = person.api
    callers[`unbound key of ${name}`] = await keyOf()
    callers[`production key of ${name}`] = await keyOf(production)
    callers[`development key of ${name}`] = await keyOf(development)
  }
  return callers
}
