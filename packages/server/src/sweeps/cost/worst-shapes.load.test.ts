import { maxBodyBytes } from '@mandate/contract/endpoint/body-limit'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import { endpoints, type OperationId } from '@mandate/contract/endpoints'
import { boundsOf } from '@mandate/contract/fields/bounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf } from '../../http/routes/endpoint-path.ts'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { pathsInto } from '../bad-values.ts'
import { exampleBodies } from '../examples.ts'
import { sweptEndpoints } from '../swept-endpoints.ts'
import { type Credential, createWorld, type World } from '../world.ts'
import { type Cost, MeasuredClient } from './measured-request.ts'
import { type BodyPlan, type Fill, type FormName, fills, forms } from './worst-shapes.ts'

// Maximum CPU time of the server's process, in milliseconds. On a busy machine, requests need more CPU time.
const mostUnauthenticated = 20
const mostAuthenticated = 300
const mostMemoryMb = 128

let server: TestServer
let world: World
let client: MeasuredClient

interface Worst extends Cost {
  what: string
}
const worst: Record<'unauthenticated' | 'authenticated', Worst> = {
  unauthenticated: { what: '', status: 0, cpuMs: 0, memoryMb: 0 },
  authenticated: { what: '', status: 0, cpuMs: 0, memoryMb: 0 },
}

beforeAll(async () => {
  server = await startTestServer()
  world = await createWorld(server)
  client = new MeasuredClient()
  // The first requests are slower, because their code is not compiled yet.
  for (let warm = 0; warm < 20; warm++) {
    await client.cheapest({ url: `${server.url}/healthz`, method: 'GET', headers: {}, plan: undefined }, 0, 1)
  }
})
afterAll(async () => {
  client.stop()
  await server.stop()
  for (const [who, { what, cpuMs, memoryMb }] of Object.entries(worst)) {
    console.log(`largest ${who} request: ${cpuMs.toFixed(1)} ms of CPU time, ${memoryMb.toFixed(0)} MB (${what})`)
  }
})

const freeForm = new Set<PropertyKey>(['args', 'arguments', 'agent', 'environment'])
/**
 * True if a field is inside free-form JSON, such as the arguments of a call. Free-form JSON has limits only as a whole.
 */
const isFreeForm = (path: PropertyKey[]) => path.slice(0, -1).some((key) => freeForm.has(key))
/** Lists whose items are read one by one. The answer says which of them do not count. */
const readOneByOne = new Set<PropertyKey>(['confirmations'])
/** True if a field is inside an item of such a list. */
const isReadByItself = (path: PropertyKey[]) => path.slice(0, -2).some((key) => readOneByOne.has(key))

/** True if this place of a body accepts an object that has only unknown fields. */
function ignoresUnknown(schema: Endpoint['body'], path: PropertyKey[]): boolean {
  let bounds = schema && boundsOf(schema)
  for (const key of path) {
    if (bounds?.kind === 'fields') bounds = bounds.fields.find(([name]) => name === key)?.[1]
    else if (bounds?.kind === 'list') bounds = bounds.item
    else return false
  }
  return bounds?.kind === 'fields'
}

const all = sweptEndpoints

function callers({ access }: Endpoint): Credential[] {
  if (access.by === 'public') return ['nothing']
  return access.by === 'edge' ? ['edge_key', 'agent_key'] : ['owner', 'owner_key', 'nothing']
}

/**
 * Sends a request with a credential of the test data and checks its cost. Requests with and without a credential have different
 * limits.
 */
async function send(id: OperationId, credential: Credential, what: string, plan?: BodyPlan, suffix = '') {
  const endpoint: Endpoint = endpoints[id]
  const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => world.ids[name] ?? '')
  const raw = world.raw[credential]
  const headers = {
    ...(raw !== undefined && { authorization: `Bearer ${raw}` }),
    ...(plan && { 'content-type': endpoint.consumes ?? 'application/json' }),
  }
  const who = raw === undefined ? 'unauthenticated' : 'authenticated'
  const most = who === 'unauthenticated' ? mostUnauthenticated : mostAuthenticated
  const url = server.url + path + suffix
  const cost = await client.cheapest({ url, method: endpoint.method, headers, plan }, most)
  const described = `${id} as ${credential}, ${what} → ${cost.status}`
  if (cost.cpuMs > worst[who].cpuMs) worst[who] = { what: described, ...cost }
  expect(cost.status, described).toBeLessThan(500)
  expect(cost.cpuMs, described).toBeLessThan(most)
  expect(cost.memoryMb, described).toBeLessThan(mostMemoryMb)
  return cost
}

describe('every request takes bounded CPU time and memory', () => {
  const withBody = all.filter(([, endpoint]) => endpoint.body)

  it.each(withBody)(
    '%s: bodies of the worst shapes, as large as allowed',
    { timeout: 600_000 },
    async (id, endpoint) => {
      const bytes = maxBodyBytes(endpoint)
      const isForm = endpoint.consumes === 'application/x-www-form-urlencoded'
      const plans: [string, BodyPlan][] = isForm
        ? (Object.keys(forms) as FormName[]).map((form) => [form, { kind: 'form', form, bytes: bytes - 100 }])
        : (Object.keys(fills) as Fill[]).map((fill) => [fill, { kind: 'json', fill, bytes: bytes - 100 }])
      plans.push(
        ['invalid UTF-8', { kind: 'invalid UTF-8', bytes }],
        ['too long', { kind: 'invalid UTF-8', bytes: bytes * 3 }],
      )
      const [first = 'nothing', ...others] = callers(endpoint)
      for (const [what, plan] of plans) await send(id, first, what, plan)
      // Bodies are read in the same way for all credentials. Only the work before that differs.
      for (const credential of others) {
        for (const [what, plan] of plans.slice(-2)) await send(id, credential, what, plan)
      }
    },
  )

  // Only values of these shapes are checked against the schema. Values with many levels or many objects are refused earlier.
  const inFields: Fill[] = ['numbers', 'strings', 'wide record', 'long string']
  const withJson = withBody.filter(([, endpoint]) => !endpoint.consumes)
  it.each(withJson)('%s: every field with the worst shapes', { timeout: 600_000 }, async (id, endpoint) => {
    const example = exampleBodies[id]?.(world)
    const [credential = 'nothing'] = callers(endpoint)
    for (const path of pathsInto(example)) {
      for (const fill of inFields) {
        const plan: BodyPlan = { kind: 'field', example, path, fill, bytes: maxBodyBytes(endpoint) - 100 }
        const { status } = await send(id, credential, `${path.join('.')} is ${fill}`, plan)
        // Unknown fields are ignored. Values with unknown fields are therefore accepted where all fields of an object are
        // optional.
        const isIgnored = fill === 'wide record' && ignoresUnknown(endpoint.body, path)
        const isJudged = !isIgnored && !isFreeForm(path)
        const expected = isReadByItself(path) ? [202, 400] : [400]
        if (isJudged) expect(expected, `${id}: ${path.join('.')} is ${fill}`).toContain(status)
      }
    }
  })

  const withoutBody = all.filter(
    ([, { method, access, body }]) => !body && (method === 'GET' || access.by === 'public'),
  )
  it.each(withoutBody)('%s: queries of the worst shapes', { timeout: 600_000 }, async (id, endpoint) => {
    const [credential = 'nothing'] = callers(endpoint)
    const bytes = 14_000
    await send(id, credential, 'a&a&a', undefined, `?${'a&'.repeat(bytes / 2)}`)
    await send(id, credential, 'percent signs', undefined, `?a=${'%41'.repeat(bytes / 3)}`)
    for (const name of Object.keys(endpoint.query?.shape ?? {})) {
      await send(id, credential, `${name} is long`, undefined, `?${name}=${'9'.repeat(bytes)}`)
      const times = Math.min(1_000, Math.floor(bytes / (name.length + 3)))
      const many = await send(id, credential, `${name} many times`, undefined, `?${`${name}=1&`.repeat(times)}`)
      expect(many.status, `${id}: ${name} ${times} times`).toBe(400)
    }
  })

  it('for the largest policy that can be validated', { timeout: 600_000 }, async () => {
    const rules = Array.from({ length: 1000 }, (_, n) => ({
      priority: n,
      effect: n % 2 ? 'deny' : 'allow',
      match: { tools: Array.from({ length: 30 }, (__, t) => `mcp:s${n}/x${t}*`), when: [] },
    }))
    const cost = await client.cheapest(
      {
        url: `${server.url}/api/v1/policies/validate`,
        method: 'POST',
        headers: { authorization: `Bearer ${world.raw.viewer}`, 'content-type': 'application/json' },
        plan: { kind: 'given', body: { name: 'p', rules } },
      },
      mostAuthenticated,
    )
    console.log(`a policy of 1,000 rules with 30,000 patterns: ${cost.cpuMs.toFixed(1)} ms of CPU time`)
    expect(cost.status).toBe(200)
  })
})
