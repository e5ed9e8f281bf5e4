import { expect, test } from 'vitest'
import { readableDeadline, readableTime } from './readable-time.ts'

const now = '2026-11-22T07:23:10.123Z'

test('a time shows day, year, minutes and time zone', () => {
  expect(readableTime(now)).toBe('22 Nov 2026, 07:23 UTC')
})

test.each([
  ['2026-11-22T07:38:10.123Z', '22 Nov, 07:38 UTC (in 15 minutes)'],
  ['2026-11-22T07:23:30.000Z', '22 Nov, 07:23 UTC (in 1 minute)'],
  ['2026-11-22T10:23:10.123Z', '22 Nov, 10:23 UTC (in 3 hours)'],
  ['2026-12-01T07:23:10.123Z', '1 Dec, 07:23 UTC (in 9 days)'],
])('a deadline shows the remaining time: %s', (at, text) => {
  expect(readableDeadline(at, now)).toBe(text)
})
