import { contentTypesOf, type Endpoint } from '@mandate/contract/endpoint/endpoint'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApiClient, apiClient } from '../testing/api-client.ts'
import { addKey, type TestKey } from '../testing/arrange.ts'
import { useTestServer } from '../testing/use-test-server.ts'
import { callEndpoint } from './call-endpoint.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld, type World } from './world.ts'

const server = useTestServer()
let world: World

beforeAll(async () => {
  world = await createWorld(server)
})

const all = sweptEndpoints
/** Endpoints that serve pages for people. Their refusals are pages too. */
const notPages = all.filter(([, endpoint]) => contentTypesOf(endpoint)[0] !== 'text/html')
const isAnyScope = ({ access }: Endpoint) => access.by === 'role' && access.anyScope === true
const forKeys = all.filter(([, { access }]) => access.by === 'role')
const reads = forKeys.filter(([, { method }]) => method === 'GET')
const refusal = { error: 'API key scope does not permit this operation', code: 403 }

/** Sends a request with ids that do not exist and a body that is not JSON. It is therefore refused for every caller. */
function nonsense(endpoint: Endpoint, client: ApiClient) {
  const as = { ...world.as, owner: client }
  const params = Object.fromEntries(Object.keys(world.ids).map((name) => [name, 'nonsense']))
  return callEndpoint({ ...world, as }, endpoint, 'owner', { params, ...(endpoint.body && { body: '{' }) })
}

const keys = new Map<string, TestKey>()

async function isScopeRefusal(endpoint: Endpoint, scope: string): Promise<boolean> {
  const key = keys.get(scope) ?? (await addKey(server, world.tenant.id, world.tenant.owner, { scopes: [scope] }))
  keys.set(scope, key)
  const { status, body } = await nonsense(endpoint, key.api)
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  return JSON.stringify(body) === JSON.stringify(refusal)
}

describe('scopes over every endpoint', () => {
  it.each(reads)(
    '%s: a read-only key can read the same as an unrestricted key of the same person',
    async (_, endpoint) => {
      const readOnly = await callEndpoint(world, endpoint, 'owner_read_only_key', {})
      const unrestricted = await callEndpoint(world, endpoint, 'owner_key', {})
      expect(readOnly.body).not.toEqual(refusal)
      expect(readOnly.status).toBe(unrestricted.status)
    },
  )

  it.each(forKeys.filter(([, endpoint]) => !isAnyScope(endpoint)))(
    '%s: a scope applies only to its resource, the first segment of the path, and only to its actions',
    async (_, endpoint) => {
      const resource = endpoint.path.split('/')[1]
      const isRead = endpoint.method === 'GET'
      const refused: Record<string, boolean> = {
        [`${resource}:read`]: !isRead,
        [`${resource}:write`]: isRead,
        [`${resource}:*`]: false,
        '*:read': !isRead,
        '*:*': false,
        '*': false,
        'another:*': true,
        [`${resource}s:*`]: true,
      }
      for (const [scope, expected] of Object.entries(refused)) {
        expect([scope, await isScopeRefusal(endpoint, scope)]).toEqual([scope, expected])
      }
    },
  )
})

it('a key with any scope may read its own session', async () => {
  for (const scopes of [['agents:read'], ['policies:write'], ['*:read']]) {
    const { api, id } = await addKey(server, world.tenant.id, world.tenant.owner, { scopes })
    expect(await api.get('/auth/session')).toMatchObject({
      status: 200,
      body: { via: { type: 'api_key', id, scopes } },
    })
  }
})

describe('the body of a refusal', () => {
  const callers = ['nothing', 'unknown_key', 'learner', 'viewer', 'owner', 'owner_read_only_key', 'edge_key'] as const
  const shapes = ['code,error', 'code,error,message', 'code,current_plan,error,message,minimum_plan', 'error']

  it.each(notPages)(
    '%s: always has error; a coded refusal also has code and message, equal to error; a refused key has a numeric code',
    async (_, endpoint) => {
      for (const credential of callers) {
        const client = apiClient(server.url, world.raw[credential])
        const { status, body } = await nonsense(endpoint, client)
        if (status < 400) continue
        const what = `${credential} → ${status} ${JSON.stringify(body)}`
        expect(shapes, what).toContain(Object.keys(body).sort().join())
        expect(body.error, what).toEqual(expect.any(String))
        if ('message' in body) expect([body.message, typeof body.code], what).toEqual([body.error, 'string'])
        else if ('code' in body) expect(body.code, what).toBe(status)
      }
    },
  )
})
