// May take over 10 s: asks for the reviews of callers of every kind, to compare the list with what each may decide.
import { reviewOutcomes } from '@mandate/contract/reviews'
import { describe, expect, it } from 'vitest'
import { newId } from '../../db/ids/new-id.ts'
import type { ApiClient } from '../../testing/api-client.ts'
import { addAgent, addKey, createTenant, grantAgent } from '../../testing/arrange.ts'
import { addPeople, callersOf, managers, owners } from '../../testing/callers-of-every-kind.ts'
import { useTestServer } from '../../testing/use-test-server.ts'

const server = useTestServer()

interface NewReview {
  agentId: string
  environmentId: string
  kind: string
  role: string
  requestedBy: string | null
}

async function addReview(tenantId: string, { agentId, environmentId, kind, role, requestedBy }: NewReview) {
  const id = newId()
  await server.owner.query(
    `insert into reviews (tenant_id, id, agent_id, environment_id, kind, status, assigned_role, requested_by, opened_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7, now())`,
    [tenantId, id, agentId, environmentId, kind, role, requestedBy],
  )
  return id
}

/** A tenant with callers of every kind. Its reviews differ in environment, lifecycle status, requester and other reviews of the agent. */
async function fill(owned: (typeof owners)[number], managed: (typeof managers)[number]) {
  const tenant = await createTenant(server)
  const { id } = tenant
  const people = await addPeople(server, tenant, owned, managed)
  const reviews: string[] = []
  for (const environmentId of [tenant.production, tenant.development]) {
    for (const lifecycleStatus of ['approved', 'proposed']) {
      for (const requestedBy of [null, ...Object.values(people).map((person) => person.id)]) {
        for (const ownersAsked of [true, false]) {
          const agentId = await addAgent(server, id, { environmentId, lifecycleStatus })
          const review = { agentId, environmentId, kind: 'attestation', role: 'manager', requestedBy }
          reviews.push(await addReview(id, review))
          if (ownersAsked) reviews.push(await addReview(id, { ...review, kind: 'change', role: 'owner' }))
          if (people.manager && reviews.length % 3) await grantAgent(server, id, people.manager.id, agentId)
        }
      }
    }
  }
  const callers = await callersOf(server, tenant, people)
  callers['read-only key'] = (await addKey(server, id, tenant.owner, { scopes: ['*:read'] })).api
  callers['key for reviews'] = (await addKey(server, id, tenant.owner, { scopes: ['reviews:*'] })).api
  return { tenant, reviews, callers }
}

/** The verb answers 400 to a body without a comment only if the caller may resolve the review with this outcome. */
async function resolvable(api: ApiClient, reviews: readonly string[]): Promise<string[]> {
  const canResolve = await Promise.all(
    reviews.map(async (id) => {
      for (const outcome of reviewOutcomes)
        if ((await api.post(`/reviews/${id}/resolve`, { outcome })).status === 400) return true
      return false
    }),
  )
  return reviews.filter((_, at) => canResolve[at])
}

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

describe.each(owners)('GET /reviews?mine=true: %s', (owned) => {
  it.each(managers)('lists what the verb lets each kind of caller resolve with some outcome: %s', async (managed) => {
    const { reviews, callers } = await fill(owned, managed)
    let listed = 0
    for (const [name, api] of Object.entries(callers)) {
      const wanted = (await resolvable(api, reviews)).toSorted().toReversed()
      const { status, body } = await api.get('/reviews?mine=true&limit=200')
      expect(status, name).toBe(200)
      expect(idsOf(body), name).toEqual(wanted)
      expect(body.total, name).toBe(wanted.length)
      const changes = (await api.get('/reviews?mine=true&kind=change&limit=200')).body.data
      expect(changes, name).toEqual(body.data.filter(({ kind }: { kind: string }) => kind === 'change'))
      for (const one of body.data.slice(0, 1)) {
        const ofAgent = body.data.filter(({ agent_id }: { agent_id: string }) => agent_id === one.agent_id)
        expect((await api.get(`/reviews?mine=true&agent_id=${one.agent_id}`)).body.data, name).toEqual(ofAgent)
      }
      listed += wanted.length
    }
    expect(listed).toBeGreaterThan(10)
  })
})

describe('GET /reviews', () => {
  it('takes several statuses, refuses an unknown one, and `mine` lists pending reviews only', async () => {
    const { tenant, reviews } = await fill('one owner', 'a manager')
    const { api } = tenant.owner
    const [first = ''] = reviews
    await api.post(`/reviews/${first}/resolve`, { outcome: 'rejected', comment: 'no' })
    const statuses = async (query: string) => {
      const { body } = await api.get(`/reviews?limit=200&${query}`)
      return [...new Set(body.data.map(({ status }: { status: string }) => status))].toSorted()
    }
    expect(await statuses('status=pending&status=rejected')).toEqual(['pending', 'rejected'])
    expect(await statuses('status=rejected')).toEqual(['rejected'])
    expect(await statuses('mine=true&status=pending&status=rejected')).toEqual(['pending'])
    expect(await statuses('mine=true&status=rejected')).toEqual([])
    for (const query of ['status=pending&status=held', 'status=', 'mine=1', 'from=yesterday', 'kind=other']) {
      expect((await api.get(`/reviews?${query}`)).status, query).toBe(400)
    }
  })

  it('`from` includes its time, and leaves out what was opened before', async () => {
    const { tenant } = await fill('one owner', 'no manager')
    const all = (await tenant.owner.api.get('/reviews?limit=200')).body.data
    const at = all[7].opened_at
    const later = new Date(Date.parse(at) + 1).toISOString()
    const since = async (from: string, more = '') =>
      (await tenant.owner.api.get(`/reviews?limit=200&from=${from}${more}`)).body
    const openedSince = (from: string) => all.filter(({ opened_at }: { opened_at: string }) => opened_at >= from)
    expect((await since(at)).data).toEqual(openedSince(at))
    expect((await since(later)).data).toEqual(openedSince(later))
    expect((await since(at, '&status=pending&status=approved')).total).toBe(openedSince(at).length)
    expect((await since(new Date(Date.now() + 60_000).toISOString())).data).toEqual([])
  })
})
