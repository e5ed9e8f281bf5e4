import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints } from '@mandate/contract/endpoints'
import { beforeAll, expect, it } from 'vitest'
import { DatabaseAway } from '../db/connections/database-away.ts'
import { routes } from '../features/routes.ts'
import { createApp } from '../http/create-app.ts'
import type { Route } from '../http/routes/route.ts'
import { apiClient } from '../testing/api-client.ts'
import { createTenant } from '../testing/arrange.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { callEndpoint, strongestCredential } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld, type World } from './world.ts'

const server = useOwnServer()
let world: World
let session: string
let edgeKey: string
beforeAll(async () => {
  world = await createWorld(server)
  const { owner, development } = await createTenant(server)
  session = owner.accessToken
  edgeKey = (await owner.api.post('/edges', { name: 'edge', environment_id: development })).body.edge_key
})

const idOf = new Map(sweptEndpoints.map(([id, endpoint]) => [endpoint as Endpoint, id]))
const swept = new Set(sweptEndpoints.map(([, endpoint]) => endpoint))
const reads = routes.filter(({ endpoint }) => endpoint.method === 'GET' && swept.has(endpoint))
const ofEdges = routes.filter(({ endpoint }) => endpoint.access.by === 'edge' && swept.has(endpoint))
/** Skips the test if `SWEEP` selects no read. */
const onReads = it.skipIf(reads.length === 0)
const conflict = (code: string) => Object.assign(new Error('met another transaction'), { code })

/** Calls the endpoints, by default every GET endpoint, and returns the statuses. `newHandle` makes what replaces the handler of a route. */
async function statusesWith(
  newHandle: () => Route['handle'],
  only: readonly Route[] = reads,
): Promise<Record<string, number>> {
  const app = createApp(
    server.services,
    only.map((route) => ({ ...route, handle: newHandle(), options: {} })),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const as = {
    owner: apiClient(url, session),
    edge_key: apiClient(url, edgeKey),
    nothing: apiClient(url),
  } as World['as']
  const caller = { ...world, as }
  const statuses: Record<string, number> = {}
  try {
    // All at once, because a request that meets conflicts waits before it runs again.
    await Promise.all(
      only.map(async ({ endpoint }) => {
        const body = exampleBodies[idOf.get(endpoint)!]?.(world)
        const answer = await callEndpoint(caller, endpoint, strongestCredential(endpoint), { body })
        statuses[`${endpoint.method} ${endpoint.path}`] = answer.status
      }),
    )
  } finally {
    await app.close()
  }
  return statuses
}

it('no GET declares 409, except for the receipt that an unsigned decision does not have', () => {
  const declared = Object.values(endpoints as Record<string, Endpoint>).filter(
    ({ method, errors, answers }) =>
      method === 'GET' && ([...errors] as number[]).concat(Object.keys(answers).map(Number)).includes(409),
  )
  expect(declared.map(({ path }) => path)).toEqual(['/decisions/{decision_id}/receipt'])
})

onReads.each(['40P01', '55P03', '40001', '23503', '23505'])(
  'a GET that always meets %s answers 503, never 409',
  async (code) => {
    const statuses = await statusesWith(() => async () => {
      throw conflict(code)
    })
    // Requests that got 400 are ignored: a query parameter is missing, so the read never started.
    expect([...new Set(Object.values(statuses))].filter((status) => status !== 400)).toEqual([503])
    expect(Object.values(statuses).filter((status) => status === 503).length).toBeGreaterThan(reads.length / 2)
  },
)

it.skipIf(ofEdges.length === 0).each(['40P01', '55P03', '40001', '23503', '23505'])(
  'a request of an edge that always meets %s answers 503, never 409, so that the edge sends it again',
  async (code) => {
    const statuses = await statusesWith(
      () => async () => {
        throw conflict(code)
      },
      ofEdges,
    )
    expect(new Set(Object.values(statuses))).toEqual(new Set([503]))
  },
)

onReads('a GET that meets one deadlock or lock timeout runs again', async () => {
  let met = 0
  let made = 0
  const statuses = await statusesWith(() => {
    const code = made++ % 2 === 0 ? '40P01' : '55P03'
    let runs = 0
    return async () => {
      met++
      if (++runs === 1) throw conflict(code)
      // The second run throws an error for which every GET declares the status.
      throw new DatabaseAway('the second run')
    }
  })
  const ran = Object.values(statuses).filter((status) => status === 503).length
  expect(ran).toBeGreaterThan(reads.length / 2)
  expect(met).toBe(ran * 2)
})
