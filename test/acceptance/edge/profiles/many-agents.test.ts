// May take over 10 s: each test starts an edge of its own beside the control plane.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane, type TestAgent } from '../control-plane.ts'
import { type EdgeInTest, edgeFor } from '../edge-in-test.ts'
import { type Answered, type Json, type Middle, type Passing, startMiddle } from '../middle.ts'

let plane: ControlPlane

// Only `refresh` sends heartbeats.
beforeAll(async () => {
  plane = await startControlPlane({ MANDATE_HEARTBEAT_SECONDS: '600' })
})
afterAll(() => plane.stop())

const soon = { timeout: 60_000 }
const call = { tool: 'mcp:files/read', args: {} }
const lapseMs = 5 * 600_000 + 100
const frozen = 'the agent is frozen: ask a manager or an owner to lift the freeze'
const isMany = ({ path }: Passing) => path === '/edge/profiles'
const single = ({ id }: TestAgent) => `GET /api/v1/edge/agents/${id}/mission-profile`
const many = 'POST /api/v1/edge/profiles'
const notServing: Answered = { status: 404, body: { error: 'not found' } }

interface World {
  edge: EdgeInTest
  middle: Middle
  /** The agents whose policies the tests change. The last agent of the edge is not one of them. */
  agents: readonly [TestAgent, TestAgent]
  /** The requests for profiles since the last call, in sorted order. */
  asked(): string[]
  /** The verdict of a call of each agent. */
  verdicts(): Promise<string[]>
}

/** Starts an edge with three agents of one edge key. */
async function startWorld(): Promise<World> {
  const newAgent = () => plane.newAgent({ default_effect: 'allow' })
  const [one, two, three] = [await newAgent(), await newAgent(), await newAgent()]
  const { edge_key: key } = await plane.ask('POST', '/edges', { name: 'edge', environment_id: plane.development })
  const middle = await startMiddle(plane.server.url)
  const ids = [one, two, three].map(({ id }) => id)
  const settings = { MANDATE_EDGE_AGENTS: ids.join(), MANDATE_EDGE_MISSED_BEATS: '5' }
  const edge = await edgeFor(middle.url, { ...one, key }, { settings })
  const asked = () => {
    const paths = middle.seen.filter((path) => path.endsWith('profiles') || path.endsWith('mission-profile'))
    middle.seen.splice(0)
    return paths.toSorted()
  }
  const verdicts = () =>
    Promise.all([one, two, three].map(async ({ id }) => (await edge.guardFor(id).decide(call)).verdict))
  expect(asked()).toEqual([many])
  expect(await verdicts()).toEqual(['allow', 'allow', 'allow'])
  return { edge, middle, agents: [one, two], asked, verdicts }
}

const savePolicies = async (agents: readonly TestAgent[], effect: string) => {
  for (const { policyId } of agents) await plane.ask('PUT', `/policies/${policyId}`, { default_effect: effect })
}
const reasonOf = async (edge: EdgeInTest, { id }: TestAgent) => (await edge.guardFor(id).decide(call)).reason

describe('an edge with many agents', () => {
  it('fetches several changed profiles with one request, and a single one by its own address', async () => {
    const { edge, agents, asked, verdicts } = await startWorld()
    await savePolicies(agents, 'deny')
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    expect(asked()).toEqual([many])
    await savePolicies([agents[1]], 'allow')
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'allow', 'allow'])
    expect(asked()).toEqual([single(agents[1])])
  })

  it('fetches each profile by its own address from a control plane without the route for several', async () => {
    const { edge, middle, agents, asked, verdicts } = await startWorld()
    middle.tamper = (request, answer) => (isMany(request) ? notServing : answer)
    await savePolicies(agents, 'deny')
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    expect(asked()).toEqual([...agents.map(single), many].toSorted())
  })

  it.each<[string, Answered | null]>([
    ['an error', { status: 500, body: { error: 'no' } }],
    ['a body that is not an answer', { status: 200, body: [] }],
    ['a closed connection', null],
  ])(
    'fetches each profile by its own address after the next heartbeat, if the request for several gets %s',
    async (_, answered) => {
      const { edge, middle, agents, asked, verdicts } = await startWorld()
      middle.tamper = (request, answer) => (isMany(request) ? answered : answer)
      await savePolicies(agents, 'deny')
      await edge.refresh()
      expect(await verdicts()).toEqual(['allow', 'allow', 'allow'])
      expect(asked()).toEqual([many])
      await edge.refresh()
      expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
      expect(asked()).toEqual(agents.map(single).toSorted())
      middle.tamper = (_request, answer) => answer
      await savePolicies(agents, 'allow')
      await edge.refresh()
      expect(await verdicts()).toEqual(['allow', 'allow', 'allow'])
      expect(asked()).toEqual([many])
    },
  )

  it('requests the agents again that did not fit in an answer', async () => {
    const { edge, middle, agents, asked, verdicts } = await startWorld()
    let answers = 0
    middle.tamper = (request, answer) => {
      if (!isMany(request) || answers++ > 0) return answer
      const [first, ...others] = answer.body.data
      return { ...answer, body: { ...answer.body, data: others, remaining: [first.agent_id] } }
    }
    await savePolicies(agents, 'deny')
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    expect(asked()).toEqual([many, many])
  })
})

describe('an answer with several profiles', () => {
  const policyOf = (profile: Json) => ({ ...profile.policy, default_effect: 'allow' })

  it.each<[string, (body: Json, id: string) => Json, string]>([
    [
      'that has a forged profile',
      (body, id) => ({
        ...body,
        data: body.data.map((one: Json) => (one.agent_id === id ? { ...one, policy: policyOf(one) } : one)),
      }),
      'its signature is not valid',
    ],
    [
      'that has the profile of another agent',
      (body, id) => ({
        ...body,
        data: body.data.map((one: Json, _: number, [first, last]: Json[]) =>
          one.agent_id === id ? { ...(one === first ? last : first), agent_id: id } : one,
        ),
      }),
      'its signature is not valid',
    ],
    [
      'that leaves an agent out',
      (body, id) => ({ ...body, data: body.data.filter((one: Json) => one.agent_id !== id) }),
      'did not send the profile',
    ],
    [
      'that calls a changed profile unchanged',
      (body, id) => ({ ...body, data: body.data.filter((one: Json) => one.agent_id !== id), unchanged: [id] }),
      'another profile than the heartbeat named',
    ],
  ])('%s confirms nothing for this agent, and the others get theirs', async (_, change, why) => {
    const { edge, middle, agents, verdicts } = await startWorld()
    middle.tamper = (request, answer) =>
      isMany(request) ? { ...answer, body: change(answer.body, agents[0].id) } : answer
    await savePolicies(agents, 'deny')
    await edge.refresh()
    expect(await verdicts()).toEqual(['allow', 'deny', 'allow'])
    edge.advance({ wallMs: lapseMs, monotonicMs: lapseMs })
    expect(await reasonOf(edge, agents[0])).toContain(why)
    middle.tamper = (_request, answer) => answer
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    expect(await reasonOf(edge, agents[0])).not.toContain(why)
  })

  it('that is older than the heartbeat confirms nothing', async () => {
    const { edge, middle, agents, verdicts } = await startWorld()
    let older: Json
    middle.tamper = (request, answer) => {
      if (isMany(request)) older = answer.body
      return answer
    }
    await savePolicies(agents, 'deny')
    await edge.refresh()
    middle.tamper = (request, answer) => (isMany(request) ? { status: 200, body: older } : answer)
    await savePolicies(agents, 'allow')
    await edge.refresh()
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    edge.advance({ wallMs: lapseMs, monotonicMs: lapseMs })
    expect(await reasonOf(edge, agents[0])).toContain('another profile than the heartbeat named')
  })

  it('is awaited only after the agents are marked on disk, and after a freeze stops them', async () => {
    const { edge, middle, agents, verdicts } = await startWorld()
    const released = Promise.withResolvers<void>()
    middle.tamper = async (request, answer) => {
      if (isMany(request)) await released.promise
      return answer
    }
    const freezes: Json[] = []
    for (const { id } of agents)
      freezes.push(await plane.ask('POST', '/freezes', { scope: 'agent', agent_id: id, reason: 'test' }))
    const refreshed = edge.refresh()
    await expect.poll(() => middle.seen.includes(many), soon).toBe(true)
    expect(await verdicts()).toEqual(['deny', 'deny', 'allow'])
    expect(await reasonOf(edge, agents[0])).toBe(frozen)
    const files = await readdir(join(edge.stateDir, 'seats', '1', 'profiles'))
    expect(files.filter((file) => file.endsWith('.withdrawn.json'))).toEqual(
      agents.map(({ id }) => `${id}.withdrawn.json`).toSorted(),
    )
    released.resolve()
    await refreshed
    for (const { id } of freezes) await plane.ask('POST', `/freezes/${id}/lift`, { reason: 'over' })
    await edge.refresh()
    expect(await verdicts()).toEqual(['allow', 'allow', 'allow'])
  })
})
