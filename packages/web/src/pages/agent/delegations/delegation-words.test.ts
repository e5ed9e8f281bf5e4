import { expect, it } from 'vitest'
import { delegationName, stateAt } from './delegation-words.ts'

const at = Date.parse('2026-11-23T10:00:00.000Z')

it('shows an active delegation as expired from the moment that its time is over', () => {
  const delegation = { state: 'active', expires_at: '2026-11-23T10:00:00.000Z' } as const
  expect(stateAt(delegation, at - 1)).toBe('active')
  expect(stateAt(delegation, at)).toBe('expired')
})

it('keeps the state of a delegation that ended before its time', () => {
  expect(stateAt({ state: 'ended', expires_at: '2026-11-23T10:00:00.000Z' }, at + 1)).toBe('ended')
})

it('names a delegation by the names of its chain', () => {
  const chain = ['Ana', 'support-triage', 'mail-writer'].map((name) => ({ name }))
  expect(delegationName({ chain: chain as never })).toBe('delegation of Ana to support-triage to mail-writer')
})
