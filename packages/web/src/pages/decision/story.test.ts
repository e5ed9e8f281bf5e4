import { expect, it } from 'vitest'
import { type Approval, conditionText, type Decision, proofOf, storyOf, waitedFor } from './story.ts'

const decision = {
  effect: 'require_approval',
  mode: 'enforce',
  rule: { id: 'r', name: 'Refunds' },
  policy: { id: 'p', name: 'Support', version: 1, content_hash: null },
  denied_because: null,
} as Decision
const approval = (status: Approval['status'], resolved_at: string | null = '2026-03-02T08:01:31.000Z') =>
  ({ status, requested_at: '2026-03-02T08:00:00.000Z', resolved_at, ended_because: null }) as Approval

it('the story says who decided and what a person did', () => {
  expect(storyOf(decision, undefined)).toEqual(['A rule held this call'])
  expect(storyOf(decision, approval('rejected'))).toEqual([
    'A rule held this call',
    'a person denied it after 1 min 31 s',
  ])
  expect(storyOf({ ...decision, effect: 'deny' }, approval('rejected'))[0]).toBe('A rule held this call')
  expect(storyOf(decision, approval('approved'))[1]).toBe(
    'a person approved it after 1 min 31 s, and the approval is not used',
  )
  expect(storyOf(decision, approval('consumed'))[1]).toBe('a person approved it after 1 min 31 s')
  expect(storyOf(decision, approval('pending', null))[1]).toBe('nobody has decided yet')
  expect(storyOf(decision, approval('expired', null))[1]).toBe('nobody used an approval in time')
  const ended = { ...approval('expired', null), ended_because: 'suspended' } as const
  expect(storyOf(decision, ended)[1]).toBe('its approval ended because the agent was suspended')
})

it('without a rule the default effect decided, and without a policy the edge', () => {
  expect(storyOf({ ...decision, effect: 'deny', rule: null }, undefined)).toEqual([
    'The default effect of the policy denied this call',
  ])
  expect(storyOf({ ...decision, effect: 'deny', rule: null, policy: null }, undefined)).toEqual([
    'The edge denied this call',
    'because the agent had no policy in force or was stopped',
  ])
})

it('a denial without the policy says why the edge denied the call', () => {
  const denied = { ...decision, effect: 'deny' } as const
  expect(storyOf({ ...denied, rule: null, denied_because: 'frozen' }, undefined)).toEqual([
    'The edge denied this call',
    'because the agent was frozen',
  ])
  expect(storyOf({ ...denied, denied_because: 'rejected' }, undefined)[1]).toBe('because a person denied it')
  expect(storyOf({ ...denied, denied_because: 'rejected' }, approval('rejected'))).toEqual([
    'A rule held this call',
    'a person denied it after 1 min 31 s',
  ])
  expect(storyOf({ ...denied, mode: 'monitor', denied_because: 'content' }, undefined)[0]).toBe(
    'The edge would deny this call',
  )
})

it('in the mode monitor the call passed', () => {
  expect(storyOf({ ...decision, mode: 'monitor', effect: 'deny' }, undefined)).toEqual([
    'A rule would deny this call',
    'but it passed, because the mode is monitor',
  ])
})

it('the receipt proves only what the signed record has', () => {
  expect(proofOf({ integrity: 'signed', approval_id: null })).toBe('the receipt proves what the edge recorded')
  expect(proofOf({ integrity: 'signed', approval_id: 'a' })).toMatch(/the id of the approval only$/)
  expect(proofOf({ integrity: 'broken', approval_id: 'a' })).toMatch(/records before it are missing$/)
  expect(proofOf({ integrity: 'unsigned', approval_id: 'a' })).toBe('no receipt proves it')
})

it('a condition is written as the policy has it', () => {
  expect(conditionText({ path: 'args.currency', op: 'in', value: ['eur', 'sek'] })).toBe('args.currency in eur, sek')
  expect(waitedFor(approval('pending', null))).toBeUndefined()
})
