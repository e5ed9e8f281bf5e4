import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ApiClient } from '../../../testing/api-client.ts'
import { addAgent, auditEntries, createTenant } from '../../../testing/arrange.ts'
import { addEdge, giveAgentKey } from '../../../testing/arrange-agents.ts'
import { useTenant, useTestServer } from '../../../testing/use-test-server.ts'

const server = useTestServer()
const tenant = useTenant(server)
let edge: ApiClient
let agentId: string
let elsewhere: string

beforeAll(async () => {
  edge = await addEdge(server, tenant.id, tenant.development)
  agentId = await addAgent(server, tenant.id, { environmentId: tenant.development })
  elsewhere = await addAgent(server, tenant.id, { environmentId: tenant.production })
})

const coverage = async () => (await tenant.owner.api.get(`/agents/${agentId}/execution-coverage`)).body
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

describe('POST /edge/attestations', () => {
  const claim = (rest = {}) => ({
    agent_id: agentId,
    mode: 'full',
    tools: ['mcp:files/read'],
    mediation_points: ['gateway'],
    edge_version: '1.2.0',
    ...rest,
  })

  it('201: the latest attestation is shown as attested', async () => {
    expect((await edge.post('/edge/attestations', claim({ mode: 'partial' }))).status).toBe(201)
    const { status, body } = await edge.post('/edge/attestations', claim())
    expect(status).toBe(201)
    expect(body).toEqual({ ...claim(), attested_at: expect.stringMatching(/Z$/) })
    const { agent_id: _, ...attested } = body
    expect(await coverage()).toMatchObject({ state: 'claimed', attested })
  })

  it('404 for an agent that the credential does not serve, before the 400 of a malformed body', async () => {
    const other = await createTenant(server)
    const foreign = await addAgent(server, other.id, { environmentId: other.development })
    const neighbour = await giveAgentKey(server, tenant.id, await addAgent(server, tenant.id))
    for (const agent_id of [elsewhere, foreign, randomUUID()]) {
      expect((await edge.post('/edge/attestations', claim({ agent_id }))).status).toBe(404)
      expect((await edge.post('/edge/attestations', { agent_id })).status).toBe(404)
    }
    expect((await neighbour.post('/edge/attestations', claim())).status).toBe(404)
    for (const [field, value] of [
      ['mode', 'most'],
      ['tools', 'x'],
      ['mediation_points', [1]],
      ['agent_id', 'x'],
    ] as const) {
      const { status, body } = await edge.post('/edge/attestations', claim({ [field]: value }))
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    }
  })
})

describe('POST /edge/execution-stats', () => {
  const window = { window_start: minutesAgo(10), window_end: minutesAgo(5) }
  const stats = (rest = {}) => ({
    agent_id: agentId,
    ...window,
    actions_seen: 10,
    actions_mediated: 10,
    unmediated_seen: 0,
    by_effect: { allow: 9, deny: 1 },
    ...rest,
  })

  it('202: the latest stats are shown as observed; a second report for an agent and window replaces the first', async () => {
    expect(await edge.post('/edge/execution-stats', stats())).toMatchObject({ status: 202, body: undefined })
    expect((await coverage()).state).toBe('covered')
    expect((await edge.post('/edge/execution-stats', stats({ unmediated_seen: 2 }))).status).toBe(202)
    const { state, observed } = await coverage()
    expect(state).toBe('partial')
    expect(observed).toEqual({
      ...window,
      actions_seen: 10,
      actions_mediated: 10,
      unmediated_seen: 2,
      reported_at: expect.stringMatching(/Z$/),
    })
    const { rows } = await server.owner.query('select by_effect from execution_stats where agent_id = $1', [agentId])
    expect(rows).toEqual([{ by_effect: { allow: 9, deny: 1 } }])
  })

  it('404 for an agent that the credential does not serve, 400 with the field’s name for a malformed report', async () => {
    expect((await edge.post('/edge/execution-stats', stats({ agent_id: elsewhere }))).status).toBe(404)
    expect((await edge.post('/edge/execution-stats', { agent_id: elsewhere })).status).toBe(404)
    for (const [field, value] of [
      ['window_end', window.window_start],
      ['window_end', minutesAgo(-60)],
      ['window_start', 'yesterday'],
      ['actions_seen', -1],
      ['actions_seen', 1.5],
      ['actions_seen', 2 ** 53],
      ['actions_mediated', 11],
      ['unmediated_seen', '1'],
      ['by_effect', { allow: 'x' }],
    ] as const) {
      const { status, body } = await edge.post('/edge/execution-stats', stats({ [field]: value }))
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    }
  })
})

describe('POST /edge/decisions', () => {
  const decision = (rest = {}) => ({
    decision_id: randomUUID(),
    agent_id: agentId,
    tool: 'mcp:files/read',
    effect: 'allow',
    mode: 'enforce',
    rule_id: randomUUID(),
    policy_version: 3,
    args_digest: 'sha256:abc',
    at: minutesAgo(1),
    ...rest,
  })
  const send = (decisions: unknown[], api = edge) => api.post('/edge/decisions', { decisions })
  const stored = async (ids: string[]) =>
    (await server.owner.query('select * from decision_records where decision_id = any($1)', [ids])).rows

  it('202 with the number of accepted decisions; they are not part of the audit trail', async () => {
    const before = (await auditEntries(server, tenant.id)).length
    const sent = [decision(), decision({ rule_id: undefined, policy_version: null, effect: 'require_approval' })]
    expect(await send(sent)).toMatchObject({ status: 202, body: { accepted: 2, duplicates: 0 } })
    expect(await stored(sent.map(({ decision_id }) => decision_id))).toHaveLength(2)
    expect((await auditEntries(server, tenant.id)).length).toBe(before)
    expect((await send([])).body).toEqual({ accepted: 0, duplicates: 0 })
  })

  it('idempotent by decision_id: the first is kept, within one request, over several and concurrently', async () => {
    const one = decision()
    const sent = [one, { ...one, effect: 'deny' }, decision()]
    expect((await send(sent)).body).toEqual({ accepted: 2, duplicates: 1 })
    expect((await send([...sent, decision()])).body).toEqual({ accepted: 1, duplicates: 3 })
    expect(await stored([one.decision_id])).toMatchObject([{ effect: 'allow' }])
    const batch = Array.from({ length: 50 }, () => decision())
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => send(n % 2 ? batch : batch.toReversed())))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(202))
    expect(answers.reduce((sum, { body }) => sum + body.accepted, 0)).toBe(50)
  })

  it('1,000 are accepted; 1,001 are 400 and nothing is stored', async () => {
    const many = Array.from({ length: 1001 }, () => decision())
    const { status, body } = await send(many)
    expect([status, body.error]).toEqual([400, 'decisions must have at most 1000 items'])
    expect(await stored(many.map(({ decision_id }) => decision_id))).toEqual([])
    expect((await send(many.slice(0, 1000))).body).toEqual({ accepted: 1000, duplicates: 0 })
  })

  it('404 if the credential does not serve one of the agents, and nothing is stored', async () => {
    const sent = [decision(), decision({ agent_id: elsewhere })]
    expect((await send(sent)).status).toBe(404)
    expect((await send([decision({ agent_id: elsewhere, tool: 7 })])).status).toBe(404)
    expect(await stored(sent.map(({ decision_id }) => decision_id))).toEqual([])
    const own = await giveAgentKey(server, tenant.id, agentId)
    expect((await send([decision()], own)).body).toEqual({ accepted: 1, duplicates: 0 })
  })

  it('400 with the position of a malformed decision', async () => {
    for (const [field, value] of [
      ['effect', 'maybe'],
      ['mode', 'inherit'],
      ['at', 'now'],
      ['decision_id', 'x'],
      ['rule_id', null],
    ]) {
      const { status, body } = await send([decision(), decision({ [field as string]: value })])
      expect([status, body.error]).toEqual([400, expect.stringContaining(`decisions[1].${field}`)])
    }
  })
})
