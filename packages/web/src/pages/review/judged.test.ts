import { expect, it } from 'vitest'
import { judgedNow, otherAssigned, seenPolicy } from './judged.ts'

const policy = { id: 'p', name: 'Files', version: 3 }
const running = { policy_id: 'q', version: 7, content_hash: 'a' }
const subject = { policy_id: 'p', approved: null, running }
const onboarding = { kind: 'onboarding', subject } as const
const change = { kind: 'change', subject } as const

it('while the agent is not read, it is not known which version an approval approves', () => {
  expect(judgedNow(onboarding, undefined)).toBeUndefined()
  expect(judgedNow(onboarding, { policy: null })).toBeNull()
  expect(judgedNow(onboarding, { policy })).toEqual({ policy_id: 'p', version: 3 })
})

it('a change review is about what ran, whatever the agent has now', () => {
  expect(judgedNow(change, undefined)).toMatchObject({ policy_id: 'q', version: 7 })
})

it('a change review says that another version is assigned than the one that ran', () => {
  const text = otherAssigned(change, running, { policy, frozen: true })
  expect(text).toBe('Files, version 3 is assigned now. It will run when the freeze ends, and needs its own approval.')
  expect(otherAssigned(change, running, { policy, frozen: false })).toContain('It will run when an edge gets it')
  expect(otherAssigned(change, running, { policy: { ...policy, id: 'q', version: 7 }, frozen: true })).toBeUndefined()
  expect(otherAssigned(change, running, undefined)).toBeUndefined()
  expect(otherAssigned(onboarding, running, { policy, frozen: true })).toBeUndefined()
})

it('an approval names the version that the person looked at, or that there was none', () => {
  expect(seenPolicy(onboarding, 'approved', { policy_id: 'p', version: 3 })).toEqual({
    policy: { policy_id: 'p', version: 3 },
  })
  expect(seenPolicy({ kind: 'attestation' }, 'attested', null)).toEqual({ policy: null })
  expect(seenPolicy(onboarding, 'rejected', { policy_id: 'p', version: 3 })).toEqual({})
  expect(seenPolicy(change, 'approved', running)).toEqual({})
})
