import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server.ts'
import { type Credential, createWorld, type World } from '../world.ts'
import { MeasuredClient } from './measured-request.ts'

let server: TestServer
let world: World
let client: MeasuredClient

beforeAll(async () => {
  server = await startTestServer()
  world = await createWorld(server)
  client = new MeasuredClient()
})
afterAll(async () => {
  client.stop()
  await server.stop()
})

const count = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))
const rules = (number: number, tools: (n: number) => string[], when: object[] = []) =>
  count(number, (n) => ({ priority: n, effect: n % 2 ? 'deny' : 'allow', match: { tools: tools(n), when } }))
const needle = `ab${'a'.repeat(9000)}`
const path = '/é'.repeat(1500)

const documents = {
  'many patterns': rules(1000, (n) => count(60, (t) => `fn:${n}/${t}`)),
  'many conditions': rules(
    450,
    () => ['*'],
    count(45, (n) => ({ path: 'args.a', op: 'ne', value: n })),
  ),
  'long texts': rules(1, () => ['*'], [
    { path: 'args.a', op: 'in', value: count(40, () => 'a'.repeat(9000)) },
    ...count(40, () => ({ path: 'args.a', op: 'not_contains', value: needle })),
  ]),
  'long paths': rules(2, () => ['*'], [
    { path: 'args.a', op: 'in', value: count(50, () => path) },
    ...count(45, () => ({ path: 'args.a', op: 'not_under', value: `${path}/b` })),
  ]),
}
const decision = () => ({
  decision_id: randomUUID(),
  agent_id: world.ids.agent_id,
  tool: 'é'.repeat(300),
  effect: 'deny',
  mode: 'enforce',
  policy_version: 1,
  args_digest: 'x'.repeat(200),
  at: '2026-01-01T00:00:00.123Z',
})
const hash = 'a'.repeat(64)

// In the tests of the worst shapes, the server refuses the requests. It accepts the requests of these tests, so it does all of
// the work.
const requests: Record<string, () => [Credential, string, string, unknown]> = {
  ...Object.fromEntries(
    Object.entries(documents).map(([name, own]) => [
      `validation of ${name}`,
      (): [Credential, string, string, unknown] => ['viewer', 'POST', '/policies/validate', { name: 'p', rules: own }],
    ]),
  ),
  'a new policy of many patterns': () => [
    'owner',
    'POST',
    '/policies',
    { name: 'p', rules: documents['many patterns'] },
  ],
  'a replaced policy of many conditions': () => [
    'owner',
    'PUT',
    `/policies/${world.ids.policy_id}/document`,
    {
      name: 'p',
      description: '',
      environment_id: null,
      override_mode: 'inherit',
      default_effect: 'deny',
      dlp_enabled: false,
      rules: documents['many conditions'],
    },
  ],
  '1,000 large decisions': () => ['edge_key', 'POST', '/edge/decisions', { decisions: count(1000, decision) }],
  'a heartbeat of 5,000 agents': () => [
    'edge_key',
    'POST',
    '/edge/heartbeat',
    {
      instance_id: 'i',
      seq: 1,
      edge_version: '1',
      agents: count(5000, () => ({
        agent_id: randomUUID(),
        policy_id: randomUUID(),
        policy_version: 1,
        policy_hash: hash,
      })),
    },
  ],
}

/** On an idle machine a request takes less than half of this. A quadratic algorithm takes many seconds. */
const mostMs = 2000

describe('the largest accepted requests take bounded CPU time', () => {
  it.each(Object.keys(requests))('%s', { timeout: 120_000 }, async (name) => {
    const [credential, method, at, body] = requests[name]?.() ?? expect.fail()
    const headers = { authorization: `Bearer ${world.raw[credential]}`, 'content-type': 'application/json' }
    const url = `${server.url}/api/v1${at}`
    const cost = await client.cheapest({ url, method, headers, plan: { kind: 'given', body } }, 200, 3)
    console.log(
      `${name}: ${cost.cpuMs.toFixed(0)} ms of CPU time, ${(JSON.stringify(body).length / 1e6).toFixed(2)} MB`,
    )
    expect(cost.status).toBeLessThan(300)
    expect(cost.cpuMs).toBeLessThan(mostMs)
  })
})
