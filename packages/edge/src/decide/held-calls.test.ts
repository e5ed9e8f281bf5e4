import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Approval } from '@mandate/contract/approvals'
import { expect, it, onTestFinished } from 'vitest'
import type { ActiveProfile } from '../carry/read-profile.ts'
import type { Asked, ControlPlane } from '../control-plane/control-plane.ts'
import { StateSeal } from '../state/state-seal.ts'
import { type HeldCall, HeldCalls } from './held-calls.ts'

const policyId = randomUUID()
const agentId = randomUUID()
const profile = { agentId, policyId, policyVersion: 1, policyHash: 'hash' } as ActiveProfile
const held = (digest: string): HeldCall => ({
  profile,
  tool: 'mcp:a/b',
  args: {},
  digest,
  rule: null,
  context: {},
  reason: 'payments need a second person',
})

const pending = { status: 'pending', expires_at: '2100-01-01T00:00:00.000Z', requested_at: '2026-01-01T00:00:00.000Z' }
const nothing = { environment_id: null, arguments: null, rule_id: null, rule_name: null, comment: null }
const open = { resolved_by: null, resolved_at: null, consumed_at: null, assigned_role: 'manager', agent_name: 'agent' }

/** A control plane that accepts each request for an approval. */
function takesAll(): ControlPlane & { requests: number; last: unknown } {
  const approvals = new Map<string, Approval>()
  return {
    requests: 0,
    last: undefined,
    async ask({ path, body }: Asked) {
      if (body === undefined) return { status: 200, body: approvals.get(path.split('/').at(-1) as string) }
      this.requests++
      this.last = body
      const asked = body as Approval & { approval_id: string }
      const approval = { ...nothing, ...open, ...pending, ...asked, id: asked.approval_id } as Approval
      approvals.set(approval.id, approval)
      return { status: 201, body: approval }
    },
  }
}

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

it('the answer for a held call has the reason of the rule, at the first call and while the approval is pending', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-held-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const heldCalls = await HeldCalls.open(folder, takesAll(), true, new StateSeal('ek_test'))
  for (const _ of ['asks', 'waits']) {
    const { reason, approval } = await heldCalls.settle(held('a'), undefined)
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
