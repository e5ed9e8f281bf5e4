import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { useTestServer } from '../testing/use-test-server.ts'
import { callEndpoint, strongestCredential } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld, type World } from './world.ts'

const server = useTestServer()
let world: World

beforeAll(async () => {
  world = await createWorld(server)
})

const isUuid = (type: z.ZodType) => z.globalRegistry.get(type)?.format === 'uuid'
const uuidsOf = (endpoint: Endpoint) =>
  Object.entries(endpoint.params?.shape ?? {}).flatMap(([name, type]) => (isUuid(type) ? [name] : []))
const withIds = sweptEndpoints.filter(([, endpoint]) => uuidsOf(endpoint)[0])

it.each(withIds)('%s: 400 that names the path id which is not a UUID', async (operation, endpoint) => {
  const body = endpoint.body ? exampleBodies[operation]?.(world) : undefined
  for (const name of uuidsOf(endpoint)) {
    for (const value of ['nonsense', '0', '00000000-0000-0000-0000-00000000000g', '%20', 'null']) {
      const params = { ...world.ids, [name]: value }
      const answer = await callEndpoint(world, endpoint, strongestCredential(endpoint), { params, body })
      expect([value, answer.status]).toEqual([value, 400])
      expect(answer.body.error).toContain(name)
    }
  }
})
