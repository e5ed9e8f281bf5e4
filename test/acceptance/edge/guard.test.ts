import { startListener } from '@mandate/edge/listen/listener'
import { guard } from '@mandate/sdk/guard'
import { ApprovalRequired, EdgeUnavailable, ToolDenied } from '@mandate/sdk/tool-errors'
import { pino } from 'pino'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../packages/edge/test/mcp/testing/servers.ts'
import { joinControlPlane, type Organization, rule, type TestAgent } from './control-plane.ts'
import { edgeFor, stateFolder } from './edge-in-test.ts'
import { decideAt } from './edge-process.ts'
import { startMiddle } from './middle.ts'
import { type ServedEdge, startServedEdge } from './served-edge.ts'

let plane: Organization
let agent: TestAgent

beforeAll(async () => {
  plane = await joinControlPlane()
  agent = await plane.newAgent({
    default_effect: 'deny',
    rules: [
      rule('allow', ['fn:billing/refund'], {
        match: { tools: ['fn:billing/refund'], when: [{ path: 'args.amount', op: 'lte', value: 100 }] },
      }),
      rule('deny', ['fn:billing/close'], { name: 'stays open', reason: 'no account is closed' }),
      rule('require_approval', ['fn:billing/pay'], { name: 'people look', reason: 'money leaves' }),
    ],
  })
})

const startEdge = async (stateDir?: string, settings = {}) =>
  startServedEdge(plane.server.url, agent, stateDir ?? (await stateFolder()), { settings })

/** A guarded function that records its arguments. */
function guarded(tool: string, { url, token }: Pick<ServedEdge, 'url' | 'token'>, options: object = {}) {
  const ran: object[] = []
  const run = async (args: { amount: number }) => ran.push(args)
  return { ran, call: guard(tool, run, { edgeUrl: url, token, ...options }) }
}

/** Waits for the agent's pending approval and approves it. Returns its id. */
async function approve(): Promise<string> {
  const pending = async () => (await plane.ask('GET', `/approvals?agent_id=${agent.id}&status=pending`)).data
  await expect.poll(pending, { timeout: 60_000 }).toHaveLength(1)
  const [{ id }] = await pending()
  await plane.ask('POST', `/approvals/${id}/resolve`, { outcome: 'approved' })
  return id
}

describe('a guarded function beside a real edge', () => {
  it('runs if the policy allows the call with its arguments', async () => {
    const refund = guarded('fn:billing/refund', await startEdge())
    await refund.call({ amount: 100 })
    const tooMuch = refund.call({ amount: 101 })
    await expect(tooMuch).rejects.toThrow(ToolDenied)
    expect(refund.ran).toEqual([{ amount: 100 }])
  })

  it('does not run if the call is denied, and the error names the rule and the decision', async () => {
    const close = guarded('fn:billing/close', await startEdge())
    await expect(close.call({ amount: 0 })).rejects.toMatchObject({
      name: 'ToolDenied',
      tool: 'fn:billing/close',
      reason: 'no account is closed',
      rule: { id: expect.any(String), name: 'stays open' },
      decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(close.ran).toEqual([])
  })

  it('runs once after approval, and rejects a second call that names the same approval', async () => {
    const edge = await startEdge()
    const pay = guarded('fn:billing/pay', edge)
    const held = await pay.call({ amount: 5 }).catch((error: unknown) => error)
    expect(held).toBeInstanceOf(ApprovalRequired)
    expect(pay.ran).toEqual([])
    const { approvalId } = held as ApprovalRequired
    expect(await approve()).toBe(approvalId)
    const twice = await Promise.allSettled([pay.call({ amount: 5 }), pay.call({ amount: 5 })])
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(pay.ran).toEqual([{ amount: 5 }])
    const replay = { tool: 'fn:billing/pay', args: { amount: 5 }, approval_id: approvalId }
    expect((await decideAt(edge, replay)).body).toMatchObject({ verdict: 'require_approval', enforced: true })
    await expect(pay.call({ amount: 5 })).rejects.toThrow(ApprovalRequired)
    expect(pay.ran).toHaveLength(1)
    await approve()
  })

  it('with held: wait, waits for the approval and then runs, even across a restart of the edge', async () => {
    const settings = { MANDATE_EDGE_PORT: String(await freePort()) }
    const edge = await startEdge(undefined, settings)
    const { url, seen } = await startMiddle(edge.url)
    const pay = guarded('fn:billing/pay', { ...edge, url }, { held: 'wait', pollMs: 20 })
    const calling = pay.call({ amount: 7 }).then(() => 'ran', String)
    // A second request shows that the first response was to wait.
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(1)
    await edge.close()
    await startEdge(edge.stateDir, settings)
    await approve()
    expect([await calling, pay.ran]).toEqual(['ran', [{ amount: 7 }]])
  })

  it('counts as fully mediated until a caller that is not a guard asks too', async () => {
    const agent = await plane.newAgent({ rules: [rule('allow', ['fn:billing/refund'])] })
    const { tokens, guardFor } = await edgeFor(plane.server.url, agent)
    const given = { host: '127.0.0.1', port: 0, hostNames: [], maxOpen: 10, log: pino({ level: 'silent' }) }
    const listener = await startListener({ ...given, tokens, guardFor })
    onTestFinished(() => listener.close())
    const edge = { url: listener.url, token: tokens.tokenOf(agent.id) }
    const coverage = () => plane.ask('GET', `/agents/${agent.id}/execution-coverage`)
    const gaps = async () =>
      (await plane.ask('GET', `/findings?agent_id=${agent.id}&type=coverage_gap&status=open`)).data
    await guarded('fn:billing/refund', edge).call({ amount: 1 })
    const mediated = { mode: 'full', tools: ['fn:billing/refund'], mediation_points: ['sdk.guard'] }
    await expect.poll(async () => (await coverage()).attested, { timeout: 60_000 }).toMatchObject(mediated)
    await expect.poll(gaps, { timeout: 60_000 }).toEqual([])
    await decideAt(edge, { tool: 'fn:billing/refund', args: {} })
    const both = { mode: 'partial', mediation_points: ['edge.decide', 'sdk.guard'] }
    await expect.poll(async () => (await coverage()).attested, { timeout: 60_000 }).toMatchObject(both)
    await expect.poll(gaps, { timeout: 60_000 }).toHaveLength(1)
  })

  it('does not run if the edge is down or does not know the token', async () => {
    const edge = await startEdge()
    const stranger = guarded('fn:billing/refund', { ...edge, token: 'x'.repeat(64) })
    await expect(stranger.call({ amount: 1 })).rejects.toThrow(EdgeUnavailable)
    await edge.close()
    const refund = guarded('fn:billing/refund', edge)
    await expect(refund.call({ amount: 1 })).rejects.toThrow(EdgeUnavailable)
    expect([...stranger.ran, ...refund.ran]).toEqual([])
  })
})
