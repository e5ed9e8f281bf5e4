// May take over 10 s: sends every kind of bad value in every field of every endpoint.
import { fieldName } from '@mandate/contract/checks/refusal-text'
import { bodyTooLarge, maxBodyBytes } from '@mandate/contract/endpoint/body-limit'
import type { Endpoint } from '@mandate/contract/endpoint/endpoint'
import type { FastifyRequest } from 'fastify'
import { beforeAll, describe, expect, it } from 'vitest'
import { readBody, readQuery, readRawBody } from '../http/input/read-input.ts'
import { parseQuery } from '../http/input/read-query.ts'
import { Refusal } from '../refusal.ts'
import type { ApiAnswer } from '../testing/api-client.ts'
import { useOwnServer } from '../testing/use-test-server.ts'
import { extremeTimes, hostileParameters, hostileValues, pathsInto, unknownIds, withValue } from './bad-values.ts'
import { callEndpoint, strongestCredential } from './call-endpoint.ts'
import { exampleBodies } from './examples.ts'
import { fingerprint } from './fingerprint.ts'
import { sweptEndpoints } from './swept-endpoints.ts'
import { createWorld, type World } from './world.ts'

const server = useOwnServer()
let world: World
/** The fingerprint of the database before the first test. */
let before: string

beforeAll(async () => {
  world = await createWorld(server)
  before = await fingerprint(server)
})

const all = sweptEndpoints
const withBody = all.filter(
  ([, endpoint]) => endpoint.body && endpoint.consumes !== 'application/x-www-form-urlencoded',
)

function isRefusal(answer: ApiAnswer): boolean {
  return answer.status >= 400 && answer.status < 500 && typeof answer.body?.error === 'string'
}

/** The refusal of a body, by the functions that read each body. Undefined if the body is valid. */
function refusalOf(endpoint: Endpoint, body: unknown): Refusal | undefined {
  const headers = { 'content-type': endpoint.consumes ?? 'application/json' }
  const request = { body: Buffer.from(JSON.stringify(body)), headers } as FastifyRequest
  return caught(() => readBody(endpoint, readRawBody(endpoint, request)))
}

/** The refusal of a query, by the functions that read each query. Undefined if the query is valid. */
const refusalOfQuery = (endpoint: Endpoint, query: string): Refusal | undefined =>
  caught(() => readQuery(endpoint, { query: parseQuery(query) } as FastifyRequest))

function caught(read: () => unknown): Refusal | undefined {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

describe('no input causes a 5xx, and a refusal names the field', () => {
  it.each(withBody)('%s: every field with every hostile value', async (id, endpoint) => {
    const example = exampleBodies[id]
    if (!example) throw new Error(`examples.ts has no body for ${id}`)
    for (const path of pathsInto(example(world))) {
      let isSent = false
      for (const value of [undefined, ...hostileValues]) {
        const body = withValue(example(world), path, value)
        const parsed = endpoint.body?.safeParse(body)
        // Well-formed bodies are tested by the features. Sending them here would only change the test data.
        if (parsed?.success) continue
        const what = `${fieldName(path, 'body')} = ${JSON.stringify(value)?.slice(0, 60)}`
        const field = String(path.find((part) => typeof part === 'string'))
        const isTooLong = Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes(endpoint)
        if (!isTooLong) {
          const refusal = refusalOf(endpoint, body)
          expect([refusal?.status, refusal?.message], what).toEqual([400, expect.stringContaining(field)])
        }
        // The server reads bodies with the function that `refusalOf` calls. One request for each field shows it.
        if (isSent && !isTooLong) continue
        isSent = true
        const answer = await callEndpoint(world, endpoint, strongestCredential(endpoint), { body })
        expect(isRefusal(answer), `${what} → ${answer.status} ${JSON.stringify(answer.body)}`).toBe(true)
        expect(answer.status, what).toBe(isTooLong ? 413 : 400)
        if (!isTooLong) expect(answer.body.error, what).toContain(field)
      }
    }
  })

  it.each(withBody)('%s: broken JSON, another type of value, another content type', async (_id, endpoint) => {
    const caller = strongestCredential(endpoint)
    const call = (body: unknown, headers = {}) => callEndpoint(world, endpoint, caller, { body, headers })
    expect((await call('{"broken": ')).status).toBe(400)
    expect((await call('[1,2]')).status).toBe(400)
    expect((await call('"text"')).status).toBe(400)
    expect((await call('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  // The same function reads all bodies of a kind, before anything of the endpoint runs. The first endpoint of each kind shows it.
  const kinds = Map.groupBy(withBody, ([, endpoint]) =>
    [endpoint.method, endpoint.consumes, endpoint.access.by, maxBodyBytes(endpoint)].join(' '),
  )
  const firstOfKind = [...kinds.values()].flatMap(([first]) => (first ? [first] : []))
  const others = withBody.filter((one) => !firstOfKind.includes(one))
  describe.each([
    ['each kind of body', firstOfKind, []],
    ['further endpoints', others, ['long']],
  ] as const)('%s', (_, some, tags) => {
    it.each(some)(
      '%s: text that is no JSON, a body that is deep or too large',
      { tags: [...tags] },
      async (_id, endpoint) => {
        const caller = strongestCredential(endpoint)
        const call = (body: unknown, headers = {}) => callEndpoint(world, endpoint, caller, { body, headers })
        expect((await call('"\\ud800')).status).toBe(400)
        expect((await call('<a/>', { 'content-type': 'application/xml' })).status).toBe(415)
        expect((await call(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`)).status).toBe(413)
        expect((await call('['.repeat(5_000))).status).toBe(400)
        expect((await call(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)).status).toBe(400)
        expect((await call(`{"a":${'[{"a":'.repeat(1_000)}1${'}]'.repeat(1_000)}}`)).status).toBe(400)
        const long = await call(`{"a":"${'x'.repeat(maxBodyBytes(endpoint))}"}`)
        expect([long.status, long.body]).toEqual([413, { error: bodyTooLarge(maxBodyBytes(endpoint)) }])
      },
    )
  })

  const withParams = all.filter(([, endpoint]) => endpoint.params)
  it.each(withParams)('%s: malformed path ids', async (_id, endpoint) => {
    const caller = strongestCredential(endpoint)
    for (const name of Object.keys(endpoint.params?.shape ?? {})) {
      for (const value of ['nonsense', '%00', '%ff', '..', '0', `${'9'.repeat(400)}`, "'", '%F0%9F%98%80']) {
        const params = { ...world.ids, [name]: value }
        const answer = await callEndpoint(world, endpoint, caller, { params })
        // A client resolves `/freezes/../edges`, which is the path of another list.
        const least = endpoint.path === '/freezes/{freeze_id}/edges' && value === '..' ? 200 : 400
        expect(answer.status, `${name} = ${value} → ${JSON.stringify(answer.body)}`).toBeGreaterThanOrEqual(least)
        expect(answer.status, `${name} = ${value}`).toBeLessThan(500)
      }
    }
  })

  // One comparison for all of them, because reading every table takes longer than the requests of an endpoint.
  it('no refusal of a test above has written anything', async () => {
    expect(await fingerprint(server)).toBe(before)
  })

  it.each(withParams)('%s: unknown path ids', async (_id, endpoint) => {
    const caller = strongestCredential(endpoint)
    for (const name of Object.keys(endpoint.params?.shape ?? {})) {
      for (const value of unknownIds) {
        const answer = await callEndpoint(world, endpoint, caller, { params: { ...world.ids, [name]: value } })
        expect(answer.status, `${name} = ${value} → ${JSON.stringify(answer.body)}`).toBeLessThan(500)
      }
    }
  })

  const withQuery = all.filter(([, endpoint]) => endpoint.query && endpoint.method === 'GET')
  it.each(withQuery)('%s: wrong, repeated and unknown query parameters', async (_id, endpoint) => {
    const caller = strongestCredential(endpoint)
    for (const name of Object.keys(endpoint.query?.shape ?? {})) {
      const others = endpoint.path === '/freezes/preview' && name !== 'scope' ? '&scope=organization' : ''
      let isSent = false
      for (const value of hostileParameters) {
        const query = `${name}=${value}${others}`
        const refusal = refusalOfQuery(endpoint, query)
        if (refusal) expect([refusal.status, refusal.message], query).toEqual([400, expect.stringContaining(name)])
        // The server reads queries with the function that `refusalOfQuery` calls. One request for each parameter shows it.
        if (refusal && isSent) continue
        isSent ||= refusal !== undefined
        const answer = await callEndpoint(world, endpoint, caller, { query })
        expect(answer.status, `${query} → ${JSON.stringify(answer.body)}`).toBeLessThan(500)
        if (refusal) expect([answer.status, answer.body.error], query).toEqual([400, refusal.message])
        if (answer.status === 400) expect(answer.body.error).toMatch(new RegExp(`${name}|the span`))
      }
      // A repeated sort parameter is replaced by its default. Any other repeated parameter is refused, because it has the wrong
      // type.
      const falls = endpoint.query?.safeParse({ [name]: ['1', '2'] }).success
      const doubled = await callEndpoint(world, endpoint, caller, { query: `${name}=1&${name}=2${others}` })
      expect(doubled.status, `${name} twice`).toBe(falls ? 200 : 400)
      if (!falls) expect(doubled.body.error).toContain(name)
    }
    const unknown = await callEndpoint(world, endpoint, caller, { query: 'no_such_parameter=1&no_such_parameter=2' })
    const plain = await callEndpoint(world, endpoint, caller, {})
    expect(unknown.status).toBe(plain.status)
  })

  const withSpan = withQuery.filter(([, { query }]) => query && 'from' in query.shape && 'to' in query.shape)
  it.each(withSpan)('%s: spans at the ends of the range of times', async (_id, endpoint) => {
    const caller = strongestCredential(endpoint)
    for (const from of extremeTimes) {
      for (const to of extremeTimes) {
        const query = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`
        const answer = await callEndpoint(world, endpoint, caller, { query })
        expect(answer.status, `${query} → ${JSON.stringify(answer.body)}`).toBeLessThan(500)
        if (answer.status === 400) expect(answer.body.error).toMatch(/from|to |the span/)
      }
    }
  })
})
