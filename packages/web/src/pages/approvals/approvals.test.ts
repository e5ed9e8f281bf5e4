import { expect, it } from 'vitest'
import { askedBy, conditionText } from '../../words/condition-words.ts'
import { approvedLook, endedAt, endedMeanwhile, endedSince, nextOf, nobodyDecided, stateOf } from './approval-state.ts'
import { hitsOf } from './conditions.ts'
import { recordsAgainMs, shownRecords } from './shown-records.ts'

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

it('a person who was about to decide reads who was first', () => {
  const denied = { status: 'rejected', resolved_at: '2026-11-23T14:27:00.000Z', ended_because: null } as const
  expect(endedMeanwhile(denied, 'Ines Varmaux')).toBe(
    'Ines Varmaux decided the call meanwhile: Denied. Your decision does not count.',
  )
  expect(endedMeanwhile({ ...expired, ended_because: 'frozen' }, undefined)).toBe(
    'The call ended meanwhile: Ended by a stop. Your decision does not count.',
  )
  expect(endedMeanwhile(denied, 'you')).toBe('Your decision arrived: Denied.')
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

it('a call that was requested yesterday and decided today is among the calls of today', () => {
  const today = '2026-11-23T00:00:00.000Z'
  const [before, after] = ['2026-11-22T23:58:00.000Z', '2026-11-23T00:03:00.000Z']
  const row = (id: string, more: object) => ({ ...expired, requested_at: before, ended_because: null, id, ...more })
  const rows = [
    row('decided today', { status: 'rejected', resolved_at: after }),
    row('decided yesterday', { status: 'consumed', resolved_at: before }),
    row('expired today', { expires_at: after, ended_because: 'time' }),
    row('asked yesterday, ended by a stop', { ended_because: 'frozen' }),
    row('asked today, ended by a stop', { requested_at: after, ended_because: 'frozen' }),
  ]
  expect(endedSince(rows, today).map(({ id }) => id)).toEqual([
    'decided today',
    'expired today',
    'asked today, ended by a stop',
  ])
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
  expect(askedBy({ op: 'in', value: ['eur', 'usd'] })).toBe('one of "eur", "usd"')
  expect(askedBy({ op: 'exists', value: false })).toBe('does not exist')
})

it('conditions that decide differently have different words', () => {
  const asked = [20_000, '20000', true, 'true'].map((value) => askedBy({ op: 'eq', value }))
  expect(asked).toEqual(['is 20000', 'is "20000"', 'is true', 'is "true"'])
  expect(askedBy({ op: 'in', value: ['a, b'] })).toBe('one of "a, b"')
  expect(askedBy({ op: 'in', value: ['a', 'b'] })).toBe('one of "a", "b"')
  expect(askedBy({ op: 'eq', value: 'eur', absent: true })).toBe('is "eur" or absent')
  expect(askedBy({ op: 'eq', value: 'eur or absent' })).toBe('is "eur or absent"')
})

it('a path that could be read as words is in quotes', () => {
  expect(conditionText({ path: 'args.amount', op: 'gt', value: 5 })).toBe('args.amount above 5')
  expect(conditionText({ path: 'args.beløp_i-nok', op: 'gt', value: 5 })).toBe('args.beløp_i-nok above 5')
  expect(conditionText({ path: 'args.a above 1, and args.b', op: 'gt', value: 5 })).toBe(
    '"args.a above 1, and args.b" above 5',
  )
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
    ['to', 'the rule asks: is "NO"'],
  ])
})

it.each([
  ['pending', null, '2026-11-23T14:00:00.000Z', 'p', 'a', 'As approved'],
  ['pending', null, '2026-11-23T14:00:00.000Z', 'p', 'b', 'Not the approved version'],
  ['pending', null, '2026-11-23T14:00:00.000Z', 'q', 'a', 'Not the approved version'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:00:00.000Z', 'p', 'a', 'Was as approved'],
  ['rejected', '2026-11-23T14:27:00.000Z', '2026-11-23T14:00:00.000Z', 'p', 'b', 'Was not the approved version'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:30:00.000Z', 'p', 'b', 'What was approved then is not known'],
  ['consumed', '2026-11-23T14:27:00.000Z', '2026-11-23T14:30:00.000Z', 'p', 'a', 'What was approved then is not known'],
  ['consumed', '2026-11-23T14:27:00.000Z', null, 'p', 'a', undefined],
] as const)(
  'a held call that is %s, decided at %s, with a version approved at %s of the policy %s with the hash %s: %s',
  (...[status, resolved_at, approved_at, id, content_hash, word]) => {
    const times = { requested_at: '2026-11-23T14:20:00.000Z', expires_at: '2026-11-23T14:42:00.000Z' }
    const approval = { status, resolved_at, ended_because: null, policy_id: 'p', policy_hash: 'a', ...times }
    expect(approvedLook(approval, { id, content_hash, approved_at })?.word).toBe(word)
  },
)

it('the first held call and the call that passed are among the decisions that are shown', () => {
  const repeated = ['h5', 'h4', 'h3', 'h2', 'h1'].map((id) => ({ id, effect: 'require_approval' as const }))
  const passed = { id: 'p', effect: 'allow' as const }
  const ids = (records: { id: string; effect: 'allow' | 'require_approval' }[]) => {
    const { shown, more } = shownRecords(records)
    return [shown.map(({ id }) => id).join(' '), more]
  }
  expect(ids([passed, ...repeated])).toEqual(['p h5 h1', 3])
  expect(ids(repeated)).toEqual(['h5 h4 h1', 2])
  expect(ids([passed, ...repeated.slice(-1)])).toEqual(['p h1', 0])
  expect(ids([])).toEqual(['', 0])
})

it('the decisions of a used approval are read again soon, until its edge has reported the call', () => {
  const usedAt = '2026-11-23T14:27:00.000Z'
  const now = Date.parse(usedAt) + 60_000
  const held = [{ effect: 'require_approval' as const }]
  const soon = recordsAgainMs(held, usedAt, now)
  expect(soon).toBeLessThan(recordsAgainMs(held, null, now))
  expect(recordsAgainMs([], usedAt, now)).toBe(soon)
  expect(recordsAgainMs([{ effect: 'allow' }, ...held], usedAt, now)).toBeGreaterThan(soon)
  expect(recordsAgainMs(held, usedAt, now + 3_600_000)).toBeGreaterThan(soon)
})
