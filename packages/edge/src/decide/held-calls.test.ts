import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { takesAll } from '../../test/decide/approval-plane.ts'
import type { ActiveProfile } from '../carry/read-profile.ts'
import { AgentRequests } from '../control-plane/agent-requests.ts'
import { ControlPlaneAway } from '../control-plane/control-plane.ts'
import { StateSeal } from '../state/state-seal.ts'
import { type HeldCall, HeldCalls, type Settled } from './held-calls.ts'

const policyId = randomUUID()
const agentId = randomUUID()
const profile = { agentId, policyId, policyVersion: 1, policyHash: 'hash', seq: 1 } as ActiveProfile
const held = (digest: string): HeldCall => ({
  profile,
  tool: 'mcp:a/b',
  args: {},
  digest,
  rule: null,
  context: {},
  reason: 'payments need a second person',
})

it('calls that are held at the same time share writes, and a restart finds each of them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  let writes = 0
  class CountingSeal extends StateSeal {
    override async replace(...file: Parameters<StateSeal['replace']>) {
      writes++
      await super.replace(...file)
    }
  }
  const plane = takesAll()
  const digests = Array.from({ length: 200 }, (_, n) => `digest ${n}`)
  const heldCalls = await HeldCalls.open(folder, plane, true, new CountingSeal('ek_test'))
  await Promise.all(digests.map((digest) => heldCalls.settle(held(digest), undefined)))
  expect([plane.requests, writes < 20]).toEqual([200, true])
  const again = await HeldCalls.open(folder, plane, true, new StateSeal('ek_test'))
  await Promise.all(digests.map((digest) => again.settle(held(digest), undefined)))
  expect(plane.requests).toBe(200)
})

it('an agent that repeats held calls sends at most 1,000 of them a minute to the control plane, and stops no other agent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const plane = takesAll()
  let nowMs = 5
  const heldCalls = await HeldCalls.open(folder, plane, true, new StateSeal('ek_test'), new AgentRequests(() => nowMs))
  const settle = (call = held('a')) => heldCalls.settle(call, undefined)
  for (let n = 0; n < 1000; n++) expect(await settle()).toMatchObject({ effect: 'require_approval' })
  const asked = plane.asked
  const refused = 'more than 1000 requests to the control plane within a minute'
  await expect(settle()).rejects.toThrow(refused)
  await expect(settle(held('b'))).rejects.toThrow(refused)
  expect(plane.asked).toBe(asked)
  const other = { ...profile, agentId: randomUUID() } as ActiveProfile
  expect(await settle({ ...held('a'), profile: other })).toMatchObject({ effect: 'require_approval' })
  nowMs += 60_000
  expect(await settle()).toMatchObject({ effect: 'require_approval' })
})

describe('an approval of a call that is not sent', () => {
  const approvedCall = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const plane = takesAll()
    const heldCalls = await HeldCalls.open(folder, plane, true, new StateSeal('ek_test'))
    const settle = (call = held('a')) => heldCalls.settle(call, undefined)
    await settle()
    plane.approveAll()
    const passed = await settle()
    if (!passed.passed) throw new Error('the approved call did not pass')
    return { settle, passed, plane }
  }
  const isPassing = async (settled: Promise<Settled>) => (await settled).passed

  it('lets the same call pass once', async () => {
    const { settle, passed } = await approvedCall()
    passed.giveBack()
    expect([await isPassing(settle(held('b'))), await isPassing(settle()), await isPassing(settle())]).toEqual([
      false,
      true,
      false,
    ])
    passed.giveBack()
    expect(await isPassing(settle())).toBe(false)
  })

  it.each([
    ['the profile', { profile: { ...profile, seq: 2 } }],
    ['the next stop of the agent', { stops: 1 }],
  ])('ends with %s', async (_, later) => {
    const { settle, passed } = await approvedCall()
    passed.giveBack()
    expect(await isPassing(settle({ ...held('a'), ...later }))).toBe(false)
    expect(await isPassing(settle())).toBe(false)
  })

  it('lets nothing pass while the control plane cannot be reached', async () => {
    const { settle, passed, plane } = await approvedCall()
    passed.giveBack()
    const { ask } = plane
    plane.ask = () => Promise.reject(new ControlPlaneAway('gone'))
    await expect(settle()).rejects.toThrow('gone')
    plane.ask = ask
    expect(await isPassing(settle())).toBe(true)
  })
})

it('the answer for a held call has the reason of the rule, at the first call and while the approval is pending', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const heldCalls = await HeldCalls.open(folder, takesAll(), true, new StateSeal('ek_test'))
  for (const end of ['', '.']) {
    const { reason, approval } = await heldCalls.settle(
      { ...held('a'), reason: `payments need a second person${end}` },
      undefined,
    )
    expect(reason).toBe(
      `payments need a second person; a person must approve this call: make the same call again once approval ${approval.approvalId} is given`,
    )
  }
})

it('the people who decide see who calls, as far as the caller says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const plane = takesAll()
  const heldCalls = await HeldCalls.open(folder, plane, true, new StateSeal('ek_test'))
  await heldCalls.settle({ ...held('a'), claims: { sessionId: 'sess-1', onBehalfOf: 'Ada' } }, undefined)
  expect(plane.last).toMatchObject({ session_id: 'sess-1', on_behalf_of: 'Ada' })
  await heldCalls.settle(held('b'), undefined)
  expect(plane.last).not.toHaveProperty('session_id')
  expect(plane.last).not.toHaveProperty('on_behalf_of')
})
