import { expect, it } from 'vitest'
import { askedBy } from '../../words/condition-words.ts'
import { approvedLook, endedAt, nextOf, nobodyDecided, stateOf } from './approval-state.ts'
import { hitsOf } from './conditions.ts'

const expired = { status: 'expired', resolved_at: null, expires_at: '2026-11-23T14:42:00.000Z' } as const

it.each([
  ['pending', null, 'Waiting'],
  ['approved', '2026-11-23T14:27:00.000Z', 'Approved, not used'],
  ['consumed', '2026-11-23T14:27:00.000Z', 'Approved, used'],
  ['rejected', '2026-11-23T14:27:00.000Z', 'Denied'],
  ['expired', null, 'Expired'],
  ['expired', '2026-11-23T14:27:00.000Z', 'Approved, not used'],
] as const)('a held call that is %s, decided at %s, reads %s', (status, resolved_at, word) => {
  expect(stateOf({ status, resolved_at, ended_because: null }).word).toBe(word)
})

it('an expired call is not said to be denied', () => {
  expect(nextOf({ ...expired, ended_because: null })).toBe(
    'Nobody decided before the time was over or the agent was stopped. If the agent repeats the call, it is decided again.',
  )
  expect(nobodyDecided({ ended_because: 'time' })).toBe('Nobody decided before the time was over.')
})

it('a call that nobody decided ended at its due time, and the end of a stopped one is not known', () => {
  expect(endedAt({ ...expired, ended_because: 'time' })).toBe(expired.expires_at)
  expect(endedAt({ ...expired, ended_because: 'frozen' })).toBeUndefined()
  const approved = { ...expired, status: 'approved', resolved_at: '2026-11-23T14:30:00.000Z' } as const
  expect(endedAt({ ...approved, ended_because: null })).toBe(approved.resolved_at)
})

it('a call that a stop ended says so, and not that the time was over', () => {
  const ended = { ...expired, ended_because: 'frozen' } as const
  expect(stateOf(ended).word).toBe('Ended by a stop')
  expect(nobodyDecided(ended)).toBe('Ended because the agent was frozen.')
  expect(nextOf({ ...ended, resolved_at: expired.expires_at })).toBe(
    'Ended because the agent was frozen. The call is decided again if the agent repeats it.',
  )
})

it('a denied call says until when it stays denied', () => {
  const denied = { ...expired, status: 'rejected', ended_because: null } as const
  const at = Date.parse(denied.expires_at)
  expect(nextOf(denied, at - 60_000)).toMatch(
    /The same call stays denied until \d\d:\d\d\. If the agent repeats it after that, a/,
  )
  expect(nextOf(denied, at)).toBe('The call did not pass. If the agent repeats it now, a person is asked again.')
})

it('conditions are written as words', () => {
  expect(askedBy({ op: 'gt', value: 20_000 })).toBe('above 20000')
  expect(askedBy({ op: 'in', value: ['eur', 'usd'] })).toBe('one of eur, usd')
  expect(askedBy({ op: 'exists', value: false })).toBe('does not exist')
})

it('an argument that the rule looks at says why', () => {
  const hits = hitsOf([
    { path: 'args.amount', op: 'gt', value: 20_000 },
    { path: 'args.amount', op: 'lt', value: 90_000 },
    { path: 'args.to.country', op: 'eq', value: 'NO' },
    { path: 'environment.slug', op: 'eq', value: 'production' },
  ])
  expect([...hits]).toEqual([
    ['amount', 'the rule asks: above 20000 and below 90000'],
    ['to', 'the rule asks: is NO'],
  ])
})

it.each([
  ['pending', null, '2026-11-23T14:00:00.000Z', 'a', 'As approved'],
  ['pending', null, '2026-11-23T14:00:00.000Z', 'b', 'Not the approved version'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:00:00.000Z', 'a', 'Was as approved'],
  ['rejected', '2026-11-23T14:27:00.000Z', '2026-11-23T14:00:00.000Z', 'b', 'Was not the approved version'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:30:00.000Z', 'b', 'Another version was approved later'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:30:00.000Z', 'a', 'Approved later'],
] as const)(
  'a held call that is %s, decided at %s, with a version approved at %s with the hash %s: %s',
  (...[status, resolved_at, approved_at, content_hash, word]) => {
    const times = { requested_at: '2026-11-23T14:20:00.000Z', expires_at: '2026-11-23T14:42:00.000Z' }
    const approval = { status, resolved_at, ended_because: null, policy_hash: 'a', ...times }
    expect(approvedLook(approval, { content_hash, approved_at })?.word).toBe(word)
  },
)
