import { passes } from '@mandate/edge/guard/guard'
import { beforeAll, describe, expect, it } from 'vitest'
import { withOwner } from '../../invariants/find-broken.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { type EdgeInTest, edgeFor } from './edge-in-test.ts'
import { startMiddle } from './middle.ts'

let plane: Organization

beforeAll(async () => {
  plane = await joinControlPlane()
})

const pay = { tool: 'fn:bank/pay', args: { to: 'ACME', amount: 5, card: { api_key: 'hunter2' } } }
const held = rule('require_approval', ['fn:bank/*'], { name: 'people look', reason: 'money' })
const newAgent = () => plane.newAgent({ rules: [held] })
const ask = (edge: EdgeInTest, agent: TestAgent, more: object = {}) =>
  edge.guardFor(agent.id).decide({ ...pay, ...more })
const resolve = (id: string | undefined, outcome: string, comment?: string) =>
  plane.ask('POST', `/approvals/${id}/resolve`, { outcome, comment })

describe('a call that needs approval', () => {
  it('is held, is shown to people without its secrets, and passes once after approval', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const first = await ask(edge, agent)
    expect(first).toMatchObject({
      verdict: 'require_approval',
      enforced: true,
      rule: { name: 'people look' },
      approval: { status: 'pending' },
    })
    const id = first.approval?.approvalId
    expect(await plane.ask('GET', `/approvals/${id}`)).toMatchObject({
      agent_id: agent.id,
      tool: pay.tool,
      arguments: { to: 'ACME', amount: 5, card: { api_key: '[redacted]' } },
      rule_name: 'people look',
      reason: 'money',
      policy_version: 1,
    })
    expect((await ask(edge, agent)).approval?.approvalId).toBe(id)
    await resolve(id, 'approved')
    expect(await ask(edge, agent)).toMatchObject({
      verdict: 'allow',
      approval: { approvalId: id, status: 'consumed' },
      rule: { name: 'people look' },
    })
    const next = await ask(edge, agent, { approvalId: id })
    expect(next).toMatchObject({ verdict: 'require_approval', approval: { status: 'pending' } })
    expect(next.approval?.approvalId).not.toBe(id)
  })

  it('passes once, even if it is made many times at once', async () => {
    const agent = await newAgent()
    const edges = [await edgeFor(plane.server.url, agent), await edgeFor(plane.server.url, agent)]
    const id = (await ask(edges[0] as EdgeInTest, agent)).approval?.approvalId
    await resolve(id, 'approved')
    const decisions = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask(edges[n % 2] as EdgeInTest, agent, { approvalId: id })),
    )
    expect(decisions.filter(passes)).toHaveLength(1)
  })

  it('is a different call if its arguments or its tool differ', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const id = (await ask(edge, agent)).approval?.approvalId
    await resolve(id, 'approved')
    const others = [{ args: { ...pay.args, amount: 6 } }, { tool: 'fn:bank/pay2' }]
    for (const other of others) {
      const decision = await ask(edge, agent, { ...other, approvalId: id })
      expect([passes(decision), decision.approval?.approvalId === id]).toEqual([false, false])
    }
    expect(passes(await ask(edge, agent, { args: { card: pay.args.card, amount: 5, to: 'ACME' } }))).toBe(true)
  })

  it('is a different call if another agent makes it, even with the approval id of the first agent', async () => {
    const [agent, other] = [await newAgent(), await newAgent()]
    const id = (await ask(await edgeFor(plane.server.url, agent), agent)).approval?.approvalId
    await resolve(id, 'approved')
    const decision = await ask(await edgeFor(plane.server.url, other), other, { approvalId: id })
    expect([passes(decision), decision.approval?.approvalId === id]).toEqual([false, false])
  })

  it('is held again if the policy changes after the approval', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const id = (await ask(edge, agent)).approval?.approvalId
    await resolve(id, 'approved')
    await plane.ask('PUT', `/policies/${agent.policyId}`, { name: 'renamed' })
    await edge.refresh()
    const decision = await ask(edge, agent, { approvalId: id })
    expect([decision.verdict, decision.approval?.approvalId === id]).toEqual(['require_approval', false])
  })

  it('is denied without a new approval request while the edge does not know the policy saved after the approval', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    await resolve((await ask(edge, agent)).approval?.approvalId, 'approved')
    middle.tamper = ({ path }, answer) => (path === '/edge/heartbeat' ? null : answer)
    await plane.ask('PUT', `/policies/${agent.policyId}`, { name: `renamed ${agent.id}` })
    expect(await ask(edge, agent)).toMatchObject({
      verdict: 'deny',
      policyVersion: 1,
      approval: { status: 'approved' },
      reason: expect.stringContaining('no longer in force'),
    })
    expect((await plane.ask('GET', `/approvals?status=pending&agent_id=${agent.id}`)).total).toBe(0)
    middle.tamper = (_, answer) => answer
    await edge.refresh()
    expect(await ask(edge, agent)).toMatchObject({ verdict: 'require_approval', policyVersion: 2 })
  })

  it('is denied with the person’s comment after a rejection', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    await resolve((await ask(edge, agent)).approval?.approvalId, 'rejected', 'not today')
    expect(await ask(edge, agent)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringMatching(/^a person denied this call, and the same call stays denied until .*Z: not today$/),
    })
  })

  it('asks for a new approval after the first expires, and never passes by itself', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    const { approval } = await ask(edge, agent)
    const expire = 'update approvals set expires_at = requested_at where tenant_id = $1 and id = $2'
    await withOwner(plane.dataDir, (client) => client.query(expire, [plane.tenantId, approval?.approvalId]))
    expect((await plane.ask('GET', `/approvals/${approval?.approvalId}`)).status).toBe('expired')
    const decision = await ask(edge, agent, { approvalId: approval?.approvalId })
    expect(decision.verdict).toBe('require_approval')
    expect(decision.approval?.approvalId).not.toBe(approval?.approvalId)
  })

  it('is denied while the control plane is unreachable, even if approved', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    const id = (await ask(edge, agent)).approval?.approvalId
    await resolve(id, 'approved')
    middle.cut = true
    expect(await ask(edge, agent)).toMatchObject({ verdict: 'deny', enforced: true })
    middle.cut = false
    expect(passes(await ask(edge, agent))).toBe(true)
  })

  it('never passes if the response to consuming its approval is lost', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    const id = (await ask(edge, agent)).approval?.approvalId
    await resolve(id, 'approved')
    middle.tamper = ({ path }, answer) => (path.endsWith('/consume') ? null : answer)
    expect((await ask(edge, agent)).verdict).toBe('deny')
    middle.tamper = (_, answer) => answer
    expect((await ask(edge, agent, { approvalId: id })).verdict).toBe('require_approval')
  })

  it('does not pass if the policy changes while the edge consumes the approval', async () => {
    const agent = await newAgent()
    const middle = await startMiddle(plane.server.url)
    const edge = await edgeFor(middle.url, agent)
    await resolve((await ask(edge, agent)).approval?.approvalId, 'approved')
    middle.tamper = async ({ path }, answer) => {
      if (!path.endsWith('/consume')) return answer
      await plane.ask('POST', `/policies/${agent.policyId}/rules`, rule('deny', ['fn:*/*']))
      await edge.refresh()
      return answer
    }
    const reason = 'the policy changed while the edge checked the approval; make the same call again'
    expect(await ask(edge, agent)).toMatchObject({ verdict: 'deny', reason })
  })

  it('uses its approval after a restart of the edge', async () => {
    const agent = await newAgent()
    const edge = await edgeFor(plane.server.url, agent)
    await resolve((await ask(edge, agent)).approval?.approvalId, 'approved')
    await edge.close()
    const again = await edgeFor(plane.server.url, agent, { stateDir: edge.stateDir })
    expect(passes(await ask(again, agent))).toBe(true)
  })

  it('hides its arguments if the edge is configured to, and needs no approval in monitor mode', async () => {
    const agent = await newAgent()
    const settings = { MANDATE_EDGE_SHOW_ARGUMENTS: 'off' }
    const { approval } = await ask(await edgeFor(plane.server.url, agent, { settings }), agent)
    expect((await plane.ask('GET', `/approvals/${approval?.approvalId}`)).arguments).toBeNull()
    const watched = await plane.newAgent({ rules: [held], override_mode: 'monitor' })
    const decision = await ask(await edgeFor(plane.server.url, watched), watched)
    expect([decision.verdict, passes(decision), decision.approval]).toEqual(['require_approval', true, undefined])
  })
})
