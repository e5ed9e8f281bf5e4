// May take over 10 s: several edges on one folder are started, stopped and killed.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Decision, passes } from '@mandate/edge/guard/guard'
import { beforeAll, describe, expect, it } from 'vitest'
import { callApi } from '../call-api.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { edgeFor, stateFolder } from './edge-in-test.ts'
import { decideAt, startEdgeProcess } from './edge-process.ts'
import { type Json, type Middle, startMiddle } from './middle.ts'
import { startServedEdge } from './served-edge.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const soon = { timeout: 60_000 }
const allowed = { tool: 'mcp:files/read', args: { path: 'a' } }
const forbidden = { tool: 'mcp:files/write', args: { path: 'a' } }
const newAgent = () => plane.newAgent({ rules: [rule('allow', ['mcp:files/read'], { name: 'read' })] })

/** Counts the decisions that the control plane accepted as new. `lose` breaks connections after the control plane has acted. */
function watchDecisions(middle: Middle): { accepted: number; lose: boolean } {
  const taken = { accepted: 0, lose: false }
  middle.tamper = ({ path }, answer) => {
    if (path !== '/edge/decisions') return answer
    taken.accepted += answer.body?.accepted ?? 0
    return taken.lose ? null : answer
  }
  return taken
}

/** Counts the decisions that the control plane does not know. */
async function unknownOf(agent: TestAgent, decisionIds: string[]): Promise<number> {
  const decisions = decisionIds.map((decision_id) => ({
    decision_id,
    agent_id: agent.id,
    tool: 'mcp:a/b',
    effect: 'deny',
    mode: 'enforce',
    policy_version: 1,
    args_digest: '',
    at: new Date().toISOString(),
  }))
  let accepted = 0
  for (let at = 0; at < decisions.length; at += 1000) {
    const body = { decisions: decisions.slice(at, at + 1000) }
    accepted += (await callApi(plane.server, 'POST', '/edge/decisions', { body, credential: agent.key })).body.accepted
  }
  return accepted
}

describe('what an edge decided', () => {
  it('reaches the control plane, each decision once, even if connections break after the control plane acted', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const taken = watchDecisions(middle)
    const edge = await edgeFor(middle.url, agent)
    const guard = edge.guardFor(agent.id)
    const ids: string[] = []
    for (const lose of [true, false]) {
      taken.lose = lose
      const calls = Array.from({ length: 1500 }, (_, n) => guard.decide(n % 2 ? allowed : forbidden))
      ids.push(...(await Promise.all(calls)).map(({ decisionId }) => decisionId))
      const before = middle.seen.length
      await expect.poll(() => middle.seen.slice(before).some((one) => one.includes('decisions')), soon).toBe(true)
    }
    await expect.poll(() => taken.accepted, soon).toBe(3000)
    expect([new Set(ids).size, await unknownOf(agent, ids)]).toEqual([3000, 0])
    await edge.close()
    expect(taken.accepted).toBe(3000)
  })

  it('is signed with the key of its edge, in one chain across restarts, and names policy, session and person', async () => {
    const agent = await newAgent()
    const stateDir = await stateFolder()
    const decisionsOf = async () => (await plane.ask('GET', `/decisions?agent_id=${agent.id}`)).data as Json[]
    for (const count of [2, 4]) {
      const edge = await edgeFor(plane.server.url, agent, { stateDir })
      const caller = { sessionId: 's-1', onBehalfOf: 'Ada' }
      for (let n = 0; n < 2; n++) await edge.guardFor(agent.id).decide({ ...allowed, ...caller })
      await expect.poll(async () => (await decisionsOf()).length, soon).toBe(count)
      await edge.close()
    }
    const decisions = await decisionsOf()
    expect(decisions.map(({ receipt }) => receipt.seq)).toEqual([4, 3, 2, 1])
    expect(new Set(decisions.map(({ receipt }) => receipt.kid)).size).toBe(1)
    for (const decision of decisions)
      expect(decision).toMatchObject({
        integrity: 'signed',
        policy: { id: agent.policyId, version: 1 },
        session_id: 's-1',
        on_behalf_of: 'Ada',
        duration_us: expect.any(Number),
        profile: { seq: expect.any(Number) },
      })
    const { data } = await plane.ask('GET', '/findings')
    expect(data.filter(({ type }: Json) => type === 'decision_gap')).toEqual([])
  })

  it('waits on disk while the control plane is unreachable, even across a restart', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const taken = watchDecisions(middle)
    const edge = await edgeFor(middle.url, agent)
    middle.cut = true
    const ids = (await Promise.all(Array.from({ length: 50 }, () => edge.guardFor(agent.id).decide(allowed)))).map(
      ({ decisionId }) => decisionId,
    )
    await edge.close()
    middle.cut = false
    await edgeFor(middle.url, agent, { stateDir: edge.stateDir })
    await expect.poll(() => taken.accepted, soon).toBe(50)
    expect(await unknownOf(agent, ids)).toBe(0)
  })

  it('is set aside if the control plane always refuses it, and does not delay other decisions', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    let refused: Json[] = []
    middle.tamper = ({ path, body }, answer) => {
      if (path !== '/edge/decisions') return answer
      const bad = body.decisions.filter(({ tool }: Json) => tool === forbidden.tool)
      if (bad.length === 0) return answer
      if (body.decisions.length === 1) refused = [...refused, ...bad]
      return { status: 400, body: { error: 'decisions[0] is wrong' } }
    }
    const guard = edge.guardFor(agent.id)
    await Promise.all([allowed, forbidden, allowed, allowed].map((call) => guard.decide(call)))
    const file = join(edge.stateDir, 'seats', '1', 'refused.ndjson')
    await expect.poll(() => readFile(file, 'utf8').catch(() => ''), soon).toContain('"refused"')
    expect(refused).toHaveLength(1)
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1)
  })

  it('is a denial if it cannot be recorded, even in monitor mode', async () => {
    for (const override_mode of ['enforce', 'monitor']) {
      const agent = await plane.newAgent({ default_effect: 'allow', override_mode })
      const middle = await startMiddle(plane.server.url)
      const taken = watchDecisions(middle)
      const edge = await edgeFor(middle.url, agent, { settings: { MANDATE_EDGE_SPOOL_MB: '1' } })
      middle.cut = true
      const guard = edge.guardFor(agent.id)
      const decisions: Decision[] = []
      while (decisions.every(passes) && decisions.length < 10_000) {
        decisions.push(...(await Promise.all(Array.from({ length: 100 }, () => guard.decide(allowed)))))
      }
      expect(decisions.at(-1)).toMatchObject({
        verdict: 'deny',
        enforced: true,
        reason: expect.stringContaining('recorded'),
      })
      const recorded = decisions.filter(passes).map(({ decisionId }) => decisionId)
      middle.cut = false
      await expect.poll(() => taken.accepted, soon).toBe(recorded.length)
      expect(await unknownOf(agent, recorded)).toBe(0)
    }
  })
})

describe('an edge as a process', () => {
  it('under load and repeated kill -9, lets no denied call pass, and loses or duplicates no recorded decision', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const taken = watchDecisions(middle)
    const stateDir = await stateFolder()
    const answered: { id: string; passed: boolean; tool: string }[] = []
    for (let round = 0; round < 3; round++) {
      const edge = await startEdgeProcess(middle.url, agent, stateDir)
      let alive = true
      const callers = Array.from({ length: 8 }, async (_, n) => {
        while (alive) {
          const call = n % 2 ? allowed : forbidden
          const decision = await decideAt(edge, call).catch(() => null)
          if (decision?.status !== 200) continue
          const { decision_id, verdict, enforced } = decision.body
          answered.push({ id: decision_id, passed: passes({ verdict, enforced }), tool: call.tool })
        }
      })
      const before = answered.length
      await expect.poll(() => answered.length - before, soon).toBeGreaterThan(200)
      edge.child.kill('SIGKILL')
      await once(edge.child, 'exit')
      alive = false
      await Promise.all(callers)
    }
    expect(answered.filter(({ passed, tool }) => passed && tool === forbidden.tool)).toEqual([])
    const ids = answered.map(({ id }) => id)
    const last = await startEdgeProcess(middle.url, agent, stateDir)
    await expect.poll(() => taken.accepted, soon).toBeGreaterThanOrEqual(ids.length)
    last.child.kill('SIGTERM')
    await once(last.child, 'exit')
    expect(await unknownOf(agent, ids)).toBe(0)
    // Decisions that were recorded but not returned: at most those in progress at each kill.
    expect(taken.accepted - ids.length).toBeLessThanOrEqual(3 * 8)
  })

  it('denies while the disk is full, and decides again once there is room', async () => {
    const agent = await newAgent()
    const edge = await startEdgeProcess(plane.server.url, agent, await stateFolder(), { fileLimitKb: 64 })
    const verdicts: string[] = []
    while (!verdicts.includes('deny') && verdicts.length < 2000) {
      verdicts.push((await decideAt(edge, allowed)).body.verdict)
    }
    const { body } = await decideAt(edge, allowed)
    expect(body).toMatchObject({ verdict: 'deny', enforced: true, reason: expect.stringContaining('recorded') })
    expect(verdicts.filter((verdict) => verdict === 'allow').length).toBeGreaterThan(50)
    expect(edge.output()).toContain('EFBIG')
    edge.child.kill('SIGTERM')
    await once(edge.child, 'exit')
    const again = await startServedEdge(plane.server.url, agent, edge.stateDir)
    expect((await decideAt(again, allowed)).body.verdict).toBe('allow')
  })

  it('several on one state folder each take a seat, and one takes over the spool of a stopped edge', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const taken = watchDecisions(middle)
    const stateDir = await stateFolder()
    const [first, second] = [
      await startEdgeProcess(middle.url, agent, stateDir),
      await startEdgeProcess(middle.url, agent, stateDir),
    ]
    middle.cut = true
    for (let n = 0; n < 20; n++) expect((await decideAt(second, allowed)).body.verdict).toBe('allow')
    for (const { child } of [second, first]) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    middle.cut = false
    await startServedEdge(middle.url, agent, stateDir)
    await expect.poll(() => taken.accepted, soon).toBe(20)
  })
})

describe('what an edge counts', () => {
  const minute = { wallMs: 64_000, monotonicMs: 64_000 }
  const observedOf = async ({ id }: TestAgent) => (await plane.ask('GET', `/agents/${id}`)).execution_coverage.observed

  it('is reported at the end of each minute, by effect, even across a restart', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    for (const call of [allowed, allowed, forbidden]) await edge.guardFor(agent.id).decide(call)
    await edge.close()
    const again = await edgeFor(plane.server.url, agent, { stateDir: edge.stateDir })
    await again.guardFor(agent.id).decide(allowed)
    again.advance(minute)
    const seen = async () => (await observedOf(agent))?.actions_seen
    // If the restart crosses a minute, the report covers only the later minute.
    await expect.poll(seen, soon).toBeOneOf([4, 1])
    const { actions_seen, actions_mediated, unmediated_seen } = await observedOf(agent)
    expect([actions_mediated, unmediated_seen]).toEqual([actions_seen, 0])
  })

  it('is also reported for an idle agent, so that its evidence does not become stale', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    edge.advance({ wallMs: 130_000, monotonicMs: 130_000 })
    await expect.poll(async () => (await observedOf(agent))?.actions_seen, soon).toBe(0)
  })
})

describe('what an edge claims', () => {
  const attestedOf = async ({ id }: TestAgent) => (await plane.ask('GET', `/agents/${id}`)).execution_coverage.attested

  it('is what its guards currently mediate, and nothing without a guard', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    await expect.poll(async () => (await attestedOf(agent))?.mode, soon).toBe('none')
    const guard = edge.guardFor(agent.id)
    guard.attest({ mode: 'full', tools: ['mcp:files/read'], mediationPoints: ['mcp'] })
    edge.guardFor(agent.id).attest({ mode: 'partial', tools: ['fn:a/b'], mediationPoints: ['edge.decide'] })
    await expect.poll(async () => (await attestedOf(agent))?.mode, soon).toBe('partial')
    expect(await attestedOf(agent)).toMatchObject({
      tools: ['fn:a/b', 'mcp:files/read'],
      mediation_points: ['edge.decide', 'mcp'],
    })
    await guard.close()
    await expect.poll(async () => (await attestedOf(agent))?.mediation_points, soon).toEqual(['edge.decide'])
  })

  it('is, for the decide route, the tools that callers asked about', async () => {
    const agent = await newAgent()
    const edge = await startServedEdge(plane.server.url, agent, await stateFolder())
    await decideAt(edge, allowed)
    await expect.poll(async () => (await attestedOf(agent))?.tools, soon).toEqual([allowed.tool])
    expect(await attestedOf(agent)).toMatchObject({ mode: 'partial', mediation_points: ['edge.decide'] })
  })
})
