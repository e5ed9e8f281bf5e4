import { expect, it } from 'vitest'
import { errorOfField, tooLong } from './field-errors.ts'
import { plansWith } from './plans.ts'
import { asOf, clockTime, datedTime, duration, relativeTime, secondsTime, timeAhead, timeLeft } from './times.ts'
import { counted, numberOf, onlyGranted, ownRole } from './words.ts'

it('names the plans that include a feature', () => {
  expect(plansWith('pro')).toBe('The plans Pro and Enterprise include it.')
  expect(plansWith('enterprise')).toBe('The plan Enterprise includes it.')
  expect(plansWith('later')).toBeUndefined()
})

it('numbers have separators, and counts that stopped have a plus sign', () => {
  expect(numberOf(1284)).toBe('1,284')
  expect(numberOf(10_000, 10_000)).toBe('10,000+')
  expect(numberOf(9_999, 10_000)).toBe('9,999')
})

it('a number and its noun do not part, and the plural fits', () => {
  expect(counted(1, '# agent runs', '# agents run')).toBe('1\u00a0agent runs')
  expect(counted(2, '# agent runs', '# agents run')).toBe('2\u00a0agents run')
  expect(counted(0, '# call waits', '# calls wait')).toBe('0\u00a0calls wait')
})

it.each([
  [0, '0 s'],
  [48_000, '48 s'],
  [108_000, '1 min 48 s'],
  [120_000, '2 min'],
  [7_800_000, '2 h 10 min'],
  [86_400_000, '1 day'],
  [4 * 86_400_000, '4 days'],
])('%i ms are %s', (milliseconds, text) => {
  expect(duration(milliseconds)).toBe(text)
})

it('the own role says that it is read-only', () => {
  expect(ownRole({ role: 'manager', read_only: true }, 'Norrvik Supply')).toBe('manager of Norrvik Supply, read-only')
  expect(ownRole({ role: 'manager', read_only: true })).toBe('manager, read-only')
  expect(ownRole({ role: 'owner', read_only: false }, 'Norrvik Supply')).toBe('owner of Norrvik Supply')
})

it('numbers say when they were counted, to the second', () => {
  expect(asOf(new Date(2026, 10, 23, 14, 2, 11).toISOString())).toBe('as of 14:02:11')
})

it('times are relative to now', () => {
  const now = new Date(2026, 10, 23, 14, 31).getTime()
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()
  expect(relativeTime(new Date(now - 12_000).toISOString(), now)).toBe('12 s ago')
  expect(relativeTime(at(2026, 10, 23, 9, 5), now)).toBe('09:05')
  expect(relativeTime(at(2026, 10, 22, 9, 5), now)).toBe('yesterday, 09:05')
  expect(relativeTime(at(2026, 10, 3, 9, 5), now)).toBe('3 Nov')
  expect(relativeTime(at(2025, 10, 3, 9, 5), now)).toBe('3 Nov 2025')
  expect(relativeTime(new Date(now + 108_000).toISOString(), now)).toBe('in 1 min 48 s')
})

it('a time of a column has its seconds, and its date if it is not today', () => {
  const now = new Date(2026, 10, 23, 14, 31).getTime()
  const at = (year: number, month: number, day: number) => new Date(year, month, day, 9, 5, 7).toISOString()
  expect(secondsTime(at(2026, 10, 23), now)).toBe('09:05:07')
  expect(secondsTime(at(2026, 10, 22), now)).toBe('22 Nov, 09:05:07')
  expect(secondsTime(at(2025, 10, 3), now)).toBe('3 Nov 2025, 09:05:07')
})

it('a point in time of another year has its year', () => {
  const now = new Date(2026, 10, 23, 14, 31).getTime()
  const at = (year: number, month: number, day: number) => new Date(year, month, day, 9, 5).toISOString()
  expect(clockTime(at(2026, 10, 23), now)).toBe('09:05')
  expect(clockTime(at(2026, 10, 3), now)).toBe('3 Nov, 09:05')
  expect(clockTime(at(2025, 10, 23), now)).toBe('23 Nov 2025, 09:05')
  expect(clockTime(at(2027, 0, 3), now)).toBe('3 Jan 2027, 09:05')
  expect(datedTime(at(2026, 10, 23), now)).toBe('23 Nov, 09:05')
  expect(datedTime(at(2025, 10, 23), now)).toBe('23 Nov 2025, 09:05')
})

it('an error is shown at the field that it names', () => {
  const fields = ['email', 'password'] as const
  expect(errorOfField(new Error('password must be at least 10 characters'), fields)).toEqual({
    of: { password: 'password must be at least 10 characters' },
    rest: undefined,
  })
  expect(errorOfField(new Error('passwords are leaked'), fields).rest).toBe('passwords are leaked')
  expect(errorOfField(undefined, fields)).toEqual({ of: {}, rest: undefined })
})

it.each([
  [1, '1 s'],
  [5400, '6 s'],
  [108_000, '1 min 48 s'],
  [59.6 * 60_000, '1 h'],
  [7 * 86_400_000 - 4000, '7 days'],
  [6.4 * 86_400_000, '6 days'],
])('%i milliseconds are left as %s', (milliseconds, text) => {
  expect(timeLeft(milliseconds)).toBe(text)
})

it('a time ahead is never now', () => {
  const now = Date.parse('2026-11-23T14:00:00Z')
  expect(timeAhead('2026-11-23T14:00:05.400Z', now)).toBe('in 6 s')
  expect(timeAhead('2026-11-23T13:59:48Z', now)).toBe('12 s ago')
})

it('says how long a text may be, and how long it is', () => {
  expect(tooLong('x'.repeat(450), 200)).toBe('At most 200 characters; this has 450.')
  expect(tooLong('x'.repeat(200), 200)).toBeUndefined()
  expect(tooLong('x', undefined)).toBeUndefined()
})

it('tells only a person with limited access that there may be more', () => {
  expect(onlyGranted({ access_scope: 'scoped' })).toMatch(/^You see only what you were granted\./)
  expect(onlyGranted({ access_scope: 'all' })).toBeUndefined()
})
