// May take over 10 s: restarts the server, and waits until the edges are connected again.
import { guard } from '@mandate/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, startMandate } from '../../mandate-process.ts'
import { type ControlPlane, rule, startControlPlane, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, type EdgeOptions, edgeFor, stateFolder } from '../edge-in-test.ts'
import { type Json, startMiddle } from '../middle.ts'
import { startServedEdge } from '../served-edge.ts'

let plane: ControlPlane

// No heartbeat is due while these tests run. What an edge learns comes from its stream.
beforeAll(async () => {
  plane = await startControlPlane({
    MANDATE_HEARTBEAT_SECONDS: '600',
    PUBLIC_URL: 'https://mandate.example/governance/',
  })
})
afterAll(() => plane.stop())

const soon = { timeout: 60_000 }
const read = { tool: 'mcp:files/read', args: {} }
const newAgent = () => plane.newAgent({ default_effect: 'allow', rules: [rule('require_approval', ['fn:files/*'])] })
const withStream = (agent: TestAgent, options: EdgeOptions = {}, url = plane.server.url) =>
  edgeFor(url, agent, { ...options, settings: { MANDATE_EDGE_STREAM: 'on', ...options.settings } })
const verdictOf = async (edge: EdgeInTest, { id }: TestAgent) => (await edge.guardFor(id).decide(read)).verdict
const savePolicy = ({ policyId }: TestAgent, effect: string) =>
  plane.ask('PUT', `/policies/${policyId}`, { default_effect: effect })
const freeze = (agent: TestAgent, rest = {}): Promise<Json> =>
  plane.ask('POST', '/freezes', { scope: 'agent', agent_id: agent.id, reason: 'test', ...rest })
const said = (edge: EdgeInTest, text: string) => edge.log.filter(({ msg }) => String(msg).startsWith(text))
const lost = 'no stream from the control plane'

describe('an edge with a stream', () => {
  it('enforces a saved policy, a suspension and its end without a heartbeat', async () => {
    const agent = await newAgent()
    const edge = await withStream(agent)
    expect(await verdictOf(edge, agent)).toBe('allow')
    await savePolicy(agent, 'deny')
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
    await savePolicy(agent, 'allow')
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('allow')
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
    await plane.ask('POST', `/agents/${agent.id}/resume`)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('allow')
  })

  it('names the page of a stopped call under PUBLIC_URL, and no page of an allowed one', async () => {
    const agent = await newAgent()
    const edge = await withStream(agent)
    const decide = (tool: string) => edge.guardFor(agent.id).decide({ tool, args: {} })
    const held = await decide('fn:files/write')
    expect(held.page).toBe(`https://mandate.example/governance/decisions/${held.decisionId}`)
    expect((await decide(read.tool)).page).toBeUndefined()
  })

  it('puts a freeze in force, confirms it, and acts again when it is lifted', async () => {
    const agent = await newAgent()
    const edge = await withStream(agent)
    const { id } = await freeze(agent)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
    await expect.poll(async () => (await plane.ask('GET', `/freezes/${id}`)).edges.confirmed, soon).toBe(1)
    const [row] = (await plane.ask('GET', `/freezes/${id}/edges`)).data
    expect([row.kid, row.signature]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.any(String)])
    await plane.ask('POST', `/freezes/${id}/lift`, { reason: 'over' })
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('allow')
  })

  it('confirms a drill, which stops nothing', async () => {
    const agent = await newAgent()
    const edge = await withStream(agent)
    const { id } = await freeze(agent, { drill: true })
    await expect.poll(async () => (await plane.ask('GET', `/freezes/${id}`)).edges.confirmed, soon).toBe(1)
    expect(await verdictOf(edge, agent)).toBe('allow')
  })

  it('serves every agent of an edge key', async () => {
    const [one, two] = [await newAgent(), await newAgent()]
    const body = { name: 'edge', environment_id: plane.development }
    const { edge_key: key } = await plane.ask('POST', '/edges', body)
    const edge = await withStream({ ...one, key }, { settings: { MANDATE_EDGE_AGENTS: `${one.id},${two.id}` } })
    await plane.ask('POST', `/agents/${two.id}/suspend`)
    await expect.poll(() => verdictOf(edge, two), soon).toBe('deny')
    expect(await verdictOf(edge, one)).toBe('allow')
  })

  it('denies every call when its key is revoked', async () => {
    const agent = await newAgent()
    const edge = await withStream(agent)
    await plane.ask('POST', `/agents/${agent.id}/rotate-key`)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
  })

  it('decides by heartbeats alone while its stream is switched off', async () => {
    const agent = await newAgent()
    const [edge, beside] = [await edgeFor(plane.server.url, agent), await withStream(agent)]
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await expect.poll(() => verdictOf(beside, agent), soon).toBe('deny')
    expect(await verdictOf(edge, agent)).toBe('allow')
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toBe('deny')
  })
})

describe('an edge whose server restarts', () => {
  it('keeps deciding, and learns what changed when its stream is back', async () => {
    const settings = { MANDATE_HEARTBEAT_SECONDS: '600', DATA_DIR: await dataFolder() }
    const own = await startControlPlane(settings)
    const agent = await own.newAgent({ rules: [rule('allow', ['mcp:files/read'])] })
    const edge = await withStream(agent, {}, own.server.url)
    await own.ask('POST', `/agents/${agent.id}/suspend`)
    await expect.poll(() => verdictOf(edge, agent), soon).toBe('deny')
    await own.server.stop()
    await expect.poll(() => said(edge, lost).length, soon).toBeGreaterThan(0)
    expect(await verdictOf(edge, agent)).toBe('deny')
    const again = await startMandate({ ...settings, MANDATE_AUTH_THROTTLE: 'off', PORT: new URL(own.server.url).port })
    expect(again.url).toBe(own.server.url)
    await own.ask('POST', `/agents/${agent.id}/resume`)
    await expect.poll(() => verdictOf(edge, agent), { timeout: 60_000 }).toBe('allow')
  })
})

describe('an edge that was told of a freeze, and stops before it has the new profile', () => {
  it('keeps denying after a restart without the control plane, although it keeps policies when away', async () => {
    const agent = await newAgent()
    const settings = { MANDATE_EDGE_KEEP_WHEN_AWAY: 'all' }
    const edge = await withStream(agent, { settings })
    // The stream is open as soon as it brings a change.
    for (const effect of ['deny', 'allow']) {
      await savePolicy(agent, effect)
      await expect.poll(() => verdictOf(edge, agent), soon).toBe(effect)
    }
    await freeze(agent)
    await expect.poll(() => verdictOf(edge, agent), { ...soon, interval: 5 }).toBe('deny')
    await edge.close()
    const middle = await startMiddle(plane.server.url)
    middle.cut = true
    const again = await edgeFor(middle.url, agent, { settings, stateDir: edge.stateDir })
    expect(await verdictOf(again, agent)).toBe('deny')
  })
})

describe('an edge behind a proxy that buffers responses', () => {
  it('gets no stream, and learns changes from heartbeats', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await withStream(agent, {}, middle.url)
    await expect.poll(() => middle.seen.filter((path) => path.includes('/edge/stream')).length, soon).toBeGreaterThan(0)
    await plane.ask('POST', `/agents/${agent.id}/suspend`)
    await edge.refresh()
    expect(await verdictOf(edge, agent)).toBe('deny')
  })
})

describe('the guard of the SDK', () => {
  it('runs a held call as soon as a person approves it', async () => {
    const agent = await newAgent()
    const { url, token } = await startServedEdge(plane.server.url, agent, await stateFolder())
    // The guard asks again after a minute, which is longer than the limit of the test. Only news of the approval ends the wait before.
    const run = guard('fn:files/delete', () => 'deleted', { edgeUrl: url, token, held: 'wait', pollMs: 60_000 })
    const result = run()
    const approvals = async () => (await plane.ask('GET', `/approvals?agent_id=${agent.id}`)).data
    await expect.poll(approvals, soon).toMatchObject([{ status: 'pending' }])
    const [{ id }] = await approvals()
    await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'approved' })
    expect(await result).toBe('deleted')
  })
})
