import type { AuditEntry } from '@mandate/contract/audit/audit'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import { addAgent, addKey, addPerson, createTenant, giveEnvironment, grantAgent } from '../../testing/arrange.ts'
import { addEntry } from '../../testing/arrange-audit.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

async function addPolicy(tenantId: string, environmentId: string | null): Promise<string> {
  const id = newId()
  await server.owner.query(
    `insert into policies (tenant_id, id, name, environment_id, version, content_hash, created_at, updated_at)
     values ($1, $2, 'p', $3, 1, '', now(), now())`,
    [tenantId, id, environmentId],
  )
  return id
}

/** Creates a tenant with entries of every kind. The resource of each entry is named after the entry's kind. */
async function trail() {
  const tenant = await createTenant(server)
  const { id, production, development } = tenant
  const agents = {
    inProduction: await addAgent(server, id, { environmentId: production }),
    inDevelopment: await addAgent(server, id, { environmentId: development }),
    discovered: await addAgent(server, id, { source: 'github' }),
  }
  const policies = {
    everywhere: await addPolicy(id, null),
    ofProduction: await addPolicy(id, production),
    ofDevelopment: await addPolicy(id, development),
  }
  await addEntry(server, id, 'user.invited', { resource: { type: 'user', id: newId(), name: 'person' } })
  await addEntry(server, id, 'api_key.created', {
    resource: { type: 'api_key', id: newId(), name: 'key' },
    environmentId: development,
  })
  await addEntry(server, id, 'environment.updated', {
    resource: { type: 'environment', id: development, name: 'organization' },
    environmentId: development,
  })
  for (const [name, agentId] of Object.entries(agents)) {
    await addEntry(server, id, 'agent.updated', { resource: { type: 'agent', id: agentId, name }, agentId })
  }
  for (const [name, policyId] of Object.entries(policies)) {
    const environmentId = { ofProduction: production, ofDevelopment: development }[name] ?? null
    await addEntry(server, id, 'policy.updated', { resource: { type: 'policy', id: policyId, name }, environmentId })
  }
  return { ...tenant, agents, policies }
}

const agentNames = ['inProduction', 'inDevelopment', 'discovered']
const policyNames = ['everywhere', 'ofProduction', 'ofDevelopment']
const everything = ['person', 'key', 'organization', ...agentNames, ...policyNames]

/** Returns the resource names of the listed entries. Expects that the export contains the same entries. */
async function seenBy(api: ApiClient): Promise<string[]> {
  const { body } = await api.get('/audit')
  const listed = body.data.map((entry: AuditEntry) => entry.resource.name).reverse()
  const { body: text } = await api.get('/audit/export')
  const lines = (typeof text === 'string' ? text.trim().split('\n') : text ? [JSON.stringify(text)] : []).map((line) =>
    JSON.parse(line),
  )
  const exported = lines.filter((line) => 'resource' in line).map((line) => line.resource.name)
  expect(exported).toEqual(listed)
  return listed
}

describe('who sees which entries', () => {
  it('owners and managers who see the whole tenant see all entries, also through their tenant-wide keys', async () => {
    const { id, owner } = await trail()
    const manager = await addPerson(server, id, { role: 'manager' })
    const key = await addKey(server, id, manager)
    for (const api of [owner.api, manager.api, key.api]) expect(await seenBy(api)).toEqual(everything)
  })

  it('members and viewers see entries about agents and policies, and no entry about people, keys or the organization', async () => {
    const { id } = await trail()
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, id, { role })
      expect(await seenBy(person.api)).toEqual([...agentNames, ...policyNames])
    }
  })

  it.each(['viewer', 'member', 'manager'] as const)(
    'a scoped %s sees entries about granted agents and visible policies, and none about people or the organization',
    async (role) => {
      const { id, agents, production } = await trail()
      const person = await addPerson(server, id, { role, accessScope: 'scoped' })
      expect(await seenBy(person.api)).toEqual(['everywhere'])
      await grantAgent(server, id, person.id, agents.inDevelopment)
      await giveEnvironment(server, id, person.id, production)
      expect(await seenBy(person.api)).toEqual(['inDevelopment', 'everywhere', 'ofProduction'])
    },
  )

  it('a key bound to an environment, even an owner’s, sees only entries about its environment’s agents and policies', async () => {
    const { id, owner, development } = await trail()
    const key = await addKey(server, id, owner, { environmentId: development })
    expect(await seenBy(key.api)).toEqual(['inDevelopment', 'ofDevelopment'])
  })

  it('a scoped user’s bound key sees the entries that the user and the key both may see', async () => {
    const { id, agents, production, development } = await trail()
    const person = await addPerson(server, id, { role: 'manager', accessScope: 'scoped' })
    await grantAgent(server, id, person.id, agents.inProduction)
    await giveEnvironment(server, id, person.id, production)
    await giveEnvironment(server, id, person.id, development)
    const key = await addKey(server, id, person, { environmentId: development })
    expect(await seenBy(key.api)).toEqual(['ofDevelopment'])
    await grantAgent(server, id, person.id, agents.inDevelopment)
    expect(await seenBy(key.api)).toEqual(['inDevelopment', 'ofDevelopment'])
  })

  it('no filter widens what is seen', async () => {
    const { id, agents } = await trail()
    const person = await addPerson(server, id, { role: 'member', accessScope: 'scoped' })
    for (const query of [`agent_id=${agents.inProduction}`, 'event_type=user.invited', 'resource_type=environment']) {
      expect((await person.api.get(`/audit?${query}`)).body.data).toEqual([])
      expect((await person.api.get(`/audit/export?${query}`)).body).toBeUndefined()
    }
  })

  it('entries of an archived agent and of a deleted policy stay visible to users who could see them', async () => {
    const { id, agents, policies, development, owner } = await trail()
    const person = await addPerson(server, id, { role: 'member', accessScope: 'scoped' })
    await grantAgent(server, id, person.id, agents.inDevelopment)
    await giveEnvironment(server, id, person.id, development)
    const other = await addPerson(server, id, { role: 'member', accessScope: 'scoped' })
    const key = await addKey(server, id, owner, { environmentId: development })
    await server.owner.query("update agents set status = 'archived' where tenant_id = $1", [id])
    await server.owner.query('delete from policies where tenant_id = $1', [id])
    expect(policies.ofDevelopment).toBeDefined()
    expect(await seenBy(person.api)).toEqual(['inDevelopment', 'everywhere', 'ofDevelopment'])
    expect(await seenBy(key.api)).toEqual(['inDevelopment', 'ofDevelopment'])
    expect(await seenBy(other.api)).toEqual(['everywhere'])
  })

  it('a user who loses their role no longer sees the entries about people, from the next request on', async () => {
    const { id, owner } = await trail()
    const manager = await addPerson(server, id, { role: 'manager' })
    expect(await seenBy(manager.api)).toContain('person')
    await owner.api.put(`/users/${manager.id}`, { role: 'member' })
    expect(await seenBy(manager.api)).toEqual([...agentNames, ...policyNames])
  })

  it('no entry of another tenant is ever seen', async () => {
    const [one, two] = [await trail(), await trail()]
    const { body } = await one.owner.api.get(`/audit?agent_id=${two.agents.inProduction}`)
    expect(body).toEqual({ data: [] })
    expect((await one.owner.api.get('/audit/export')).body).not.toContain(two.id)
  })

  it('403 academy_only_account for a learner on all three', async () => {
    const { id } = await createTenant(server)
    const learner = await addPerson(server, id, { role: 'viewer', academyOnly: true })
    for (const path of ['/audit', '/audit/export', '/audit/verify']) {
      expect(await learner.api.get(path)).toMatchObject({ status: 403, body: { code: 'academy_only_account' } })
    }
  })

  it('403 for a member or viewer who verifies the trail', async () => {
    const { id } = await createTenant(server)
    for (const role of ['member', 'viewer'] as const) {
      const person = await addPerson(server, id, { role })
      expect((await person.api.get('/audit/verify')).status).toBe(403)
    }
  })
})
