import { beforeAll, describe, expect, it } from 'vitest'
import { joinControlPlane, type Organization, rule, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor } from '../edge-in-test.ts'
import { type Json, type Passing, startMiddle } from '../middle.ts'
import { missedMs } from '../served-edge.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const read = { tool: 'mcp:files/read', args: {} }
const remove = { tool: 'mcp:files/delete', args: { path: '/tmp/a' } }
const frozen = 'the agent is frozen: ask a manager or an owner to lift the freeze'
const soon = { timeout: 60_000 }
const newAgent = () =>
  plane.newAgent({ rules: [rule('allow', ['mcp:files/read']), rule('require_approval', ['mcp:files/delete'])] })
const verdictOf = (edge: EdgeInTest, { id }: TestAgent, call: typeof read = read) => edge.guardFor(id).decide(call)
const freeze = (agent: TestAgent, rest = {}): Promise<Json> =>
  plane.ask('POST', '/freezes', { scope: 'agent', agent_id: agent.id, reason: 'test', ...rest })
const lift = (id: string) => plane.ask('POST', `/freezes/${id}/lift`, { reason: 'over' })
const edgesOf = async (id: string): Promise<Json[]> => (await plane.ask('GET', `/freezes/${id}/edges`)).data
const confirmed = async (id: string) => (await plane.ask('GET', `/freezes/${id}`)).edges.confirmed
const isProfile = ({ path }: Passing) => path.endsWith('/mission-profile')

describe('a freeze', () => {
  it('stops the calls of the agent, is confirmed with a signature, and ends when it is lifted', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const [edge, beside] = [await edgeFor(plane.server.url, agent), await edgeFor(plane.server.url, other)]
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
    const { id, edges } = await freeze(agent)
    expect(edges).toEqual({ total: 1, confirmed: 0, unreachable: 0 })
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', enforced: true, reason: frozen })
    await expect.poll(() => confirmed(id), soon).toBe(1)
    const [row] = await edgesOf(id)
    expect(row).toMatchObject({ state: 'confirmed', agent: { id: agent.id }, edge: null, agents: 1 })
    expect([row.kid, row.signature]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.any(String)])
    expect((await plane.ask('GET', `/freezes/${id}`)).confirmed_all_at).not.toBeNull()
    expect(await verdictOf(beside, other)).toMatchObject({ verdict: 'allow' })
    await lift(id)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
  })

  it('ends held calls, and an approval that was given before does not let the call pass', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const held = await verdictOf(edge, agent, remove)
    expect(held.verdict).toBe('require_approval')
    const approvalId = held.approval?.approvalId as string
    await plane.ask('POST', `/approvals/${approvalId}/resolve`, { outcome: 'approved' })
    const { id, approvals_ended } = await freeze(agent)
    expect(approvals_ended).toBe(1)
    // Before the edge knows of the freeze, the control plane does not let it use the approval.
    expect((await edge.guardFor(agent.id).decide({ ...remove, approvalId })).verdict).not.toBe('allow')
    await edge.refresh()
    expect(await edge.guardFor(agent.id).decide({ ...remove, approvalId })).toMatchObject({
      verdict: 'deny',
      reason: frozen,
    })
    await lift(id)
    await edge.refresh()
    expect((await edge.guardFor(agent.id).decide({ ...remove, approvalId })).verdict).toBe('require_approval')
  })

  it('reaches an edge of a whole environment once, also when two freezes overlap', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const whole = await freeze(agent, { scope: 'environment', agent_id: undefined, environment_id: plane.development })
    const one = await freeze(agent)
    await edge.refresh()
    for (const { id } of [whole, one]) await expect.poll(() => confirmed(id), soon).toBe(1)
    await lift(whole.id)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: frozen })
    await lift(one.id)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
  })

  it('stops the agent although its new profile cannot be fetched, and forged profiles end nothing', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    const genuine = await plane.ask('GET', `/agents/${agent.id}`)
    expect(genuine.frozen).toBe(false)
    middle.tamper = (request, answer) =>
      isProfile(request) ? { ...answer, body: { ...answer.body, denied_because: undefined } } : answer
    const { id } = await freeze(agent)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: frozen })
    await expect.poll(() => confirmed(id), soon).toBe(1)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: frozen })
    await lift(id)
    middle.tamper = (_, answer) => answer
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
  })
})

describe('an edge that is offline when a freeze starts', () => {
  it('denies by itself after missed heartbeats, and confirms when it returns', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    // The server reports the edge as unreachable after as many missed heartbeats.
    const edge = await edgeFor(middle.url, agent, { settings: { MANDATE_EDGE_MISSED_BEATS: '5' } })
    middle.cut = true
    const { id } = await freeze(agent)
    edge.advance({ monotonicMs: missedMs, wallMs: missedMs })
    expect(await verdictOf(edge, agent)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('not confirmed'),
    })
    await expect.poll(async () => (await edgesOf(id)).map(({ state }) => state), soon).toEqual(['unreachable'])
    const [row] = await edgesOf(id)
    expect(Date.parse(row.closes_at)).toBeLessThan(Date.parse(row.last_heartbeat_at) + 10_000)
    middle.cut = false
    await expect.poll(() => confirmed(id), soon).toBe(1)
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'deny', reason: frozen })
  })

  it('keeps denying after a restart without the control plane, although it keeps policies when away', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: 'all' }
    const edge = await edgeFor(middle.url, agent, { settings })
    middle.tamper = (request, answer) => (isProfile(request) ? null : answer)
    await freeze(agent)
    await edge.refresh()
    await edge.close()
    middle.cut = true
    const again = await edgeFor(middle.url, agent, { settings, stateDir: edge.stateDir })
    expect((await verdictOf(again, agent)).verdict).toBe('deny')
  })
})

describe('a drill', () => {
  it('is confirmed and stops nothing', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const { id } = await freeze(agent, { drill: true })
    await expect.poll(() => confirmed(id), soon).toBe(1)
    expect(await verdictOf(edge, agent)).toMatchObject({ verdict: 'allow' })
    const { stop_reach } = await plane.ask('GET', '/overview')
    expect(stop_reach.p50_ms).toBeGreaterThanOrEqual(0)
  })
})
