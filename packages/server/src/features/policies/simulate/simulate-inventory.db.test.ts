import { beforeEach, describe, expect, it } from 'vitest'
import { addKey, addPerson, createTenant, type TestTenant } from '../../../testing/arrange.ts'
import { addEdge } from '../../../testing/arrange-agents.ts'
import { useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
let tenant: TestTenant
let policyId: string

const rule = (priority: number, effect: string, ...when: object[]) => {
  return { priority, effect, match: { tools: ['mcp:mail/*'], when } }
}
const tainted = { path: 'session.labels', op: 'has', value: 'untrusted_output' }
const writes = { path: 'tool.labels', op: 'has', value: 'external_write' }

beforeEach(async () => {
  tenant = await createTenant(server)
  const rules = [rule(1, 'require_approval', tainted, writes), rule(2, 'allow')]
  const { status, body } = await tenant.owner.api.post('/policies', { name: 'P', rules })
  expect(status).toBe(201)
  policyId = body.id
  const edge = await addEdge(server, tenant.id, tenant.development)
  const schema = { type: 'object', properties: { text: {} } }
  const report = { server: 'mail', tools: [{ name: 'send', input_schema: schema }] }
  expect((await edge.post('/edge/tools', report)).status).toBe(202)
  const [tool] = (await tenant.owner.api.get('/tools')).body.data
  expect((await tenant.owner.api.put(`/tools/${tool.id}/labels`, { labels: ['external_write'] })).status).toBe(200)
})

const simulate = (body: object, api = tenant.owner.api) => api.post(`/policies/${policyId}/simulate`, body)
const call = { tool: 'mcp:mail/send' }
const session = (...labels: string[]) => ({ ...call, session: { labels } })

async function effectsOf(body: object): Promise<string[]> {
  const answer = await simulate(body)
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ effect }: { effect: string }) => effect)
}

describe('POST /policies/{policy_id}/simulate with sessions and the inventory', () => {
  it('200: the labels of the session and of the tool decide', async () => {
    const calls = [session('untrusted_output'), session('other'), session()]
    const environment_id = tenant.development
    expect(await effectsOf({ calls, environment_id })).toEqual(['require_approval', 'allow', 'allow'])
  })

  it('200: a call without a session has none, so that rules that ask for it close', async () => {
    const environment_id = tenant.development
    const { body } = await simulate({ calls: [call], environment_id })
    expect(body.results).toMatchObject([{ effect: 'require_approval', undecided: 'session.labels' }])
    const document = { rules: [rule(1, 'allow', tainted)] }
    expect(await effectsOf({ calls: [call], document, environment_id })).toEqual(['deny'])
  })

  it('200: without an environment the labels are unknown; a tool that the inventory does not know has none and is new', async () => {
    const { body } = await simulate({ calls: [session('untrusted_output')] })
    expect(body.results).toMatchObject([{ effect: 'require_approval', undecided: 'tool.labels' }])
    const environment_id = tenant.production
    expect(await effectsOf({ calls: [session('untrusted_output')], environment_id })).toEqual(['allow'])
    const isNew = { path: 'tool.state', op: 'eq', value: 'new' }
    const document = { rules: [rule(1, 'allow', isNew)] }
    expect(await effectsOf({ calls: [call], document, environment_id })).toEqual(['allow'])
  })

  it('200: the environment of the policy counts if the request names none', async () => {
    const moved = { environment_id: tenant.development }
    expect((await tenant.owner.api.put(`/policies/${policyId}`, moved)).status).toBe(200)
    expect(await effectsOf({ calls: [session('other'), session('untrusted_output')] })).toEqual([
      'allow',
      'require_approval',
    ])
  })

  it('200: session.calls and tool.state decide, and the schema says which arguments are declared', async () => {
    const rules = [
      rule(1, 'deny', { path: 'session.calls', op: 'gte', value: 10 }),
      rule(2, 'deny', { path: 'tool.state', op: 'eq', value: 'pinned' }),
      rule(3, 'allow', { path: 'args.text', op: 'eq', value: 'a' }),
    ]
    const withCalls = (calls: number, args: object) => ({ ...call, args, session: { calls } })
    const calls = [
      withCalls(9, { text: 'a' }),
      withCalls(10, { text: 'a' }),
      withCalls(0, { text: 'b' }),
      withCalls(0, { text: 'a', more: 1 }),
    ]
    const asked = { calls, document: { rules }, environment_id: tenant.development }
    expect(await effectsOf(asked)).toEqual(['allow', 'deny', 'deny', 'deny'])
    const [tool] = (await tenant.owner.api.get('/tools')).body.data
    const pin = { definition_hash: tool.latest_hash }
    expect((await tenant.owner.api.post(`/tools/${tool.id}/pin`, pin)).status).toBe(200)
    expect((await effectsOf(asked))[0]).toBe('deny')
  })

  it('400 for an environment that does not exist or that the caller does not see, 403 for a key of another environment', async () => {
    const scoped = await addPerson(server, tenant.id, { accessScope: 'scoped' })
    const unknown = { status: 400, body: { error: 'environment_id: environment not found' } }
    const named = { calls: [call], environment_id: tenant.production }
    expect(await simulate({ ...named, environment_id: policyId })).toMatchObject(unknown)
    expect(await simulate(named, scoped.api)).toMatchObject(unknown)
    expect((await tenant.owner.api.put(`/policies/${policyId}`, { environment_id: tenant.development })).status).toBe(
      200,
    )
    const key = await addKey(server, tenant.id, tenant.owner, { environmentId: tenant.development })
    expect((await simulate(named, key.api)).status).toBe(403)
  })

  it.each([
    [{ labels: 'a' }, 'calls[0].session.labels'],
    [{ calls: -1 }, 'calls[0].session.calls'],
    [{ labels: Array(51).fill('a') }, 'calls[0].session.labels'],
  ])('400 for the session %j', async (given, field) => {
    const { status, body } = await simulate({ calls: [{ ...call, session: given }] })
    expect({ status, isNamed: body.error.startsWith(field) }).toEqual({ status: 400, isNamed: true })
  })
})

it('200: a reach knows labels and states, and depends on the session', async () => {
  const rules = [rule(1, 'require_approval', tainted, writes), rule(2, 'allow', writes)]
  await tenant.owner.api.put(`/policies/${policyId}/document`, {
    ...{ name: 'P', description: '', environment_id: null, override_mode: 'inherit', default_effect: 'deny' },
    ...{ dlp_enabled: false, rules },
  })
  const sent = { name: 'a', environment_id: tenant.development, policy_id: policyId }
  const { body } = await tenant.owner.api.post('/agents', sent)
  const verdicts = async () => {
    const reach = await tenant.owner.api.get(`/agents/${body.agent.id}/reach`)
    return reach.body.data.map(({ verdict }: { verdict: string }) => verdict)
  }
  expect(await verdicts()).toEqual(['depends'])
  const [tool] = (await tenant.owner.api.get('/tools')).body.data
  await tenant.owner.api.put(`/tools/${tool.id}/labels`, { labels: [] })
  expect(await verdicts()).toEqual(['deny'])
})
