import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ageMs, recalled } from './freshness.ts'

const ms = fc.integer({ min: 0, max: 4e12 })

test('an age is at least the age by each clock', () => {
  fc.assert(
    fc.property(ms, ms, ms, ms, (wallMs, monotonicMs, laterWall, laterMonotonic) => {
      const age = ageMs({ wallMs, monotonicMs }, { wallMs: laterWall, monotonicMs: laterMonotonic })
      expect(age).toBeGreaterThanOrEqual(laterMonotonic - monotonicMs)
      expect(age).toBeGreaterThanOrEqual(laterWall - wallMs)
    }),
  )
})

test('a stored instant has its age from the wall clock and then ages by the monotonic clock', () => {
  fc.assert(
    fc.property(ms, fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 1e9 }), (wallMs, age, later) => {
      const now = { wallMs: wallMs + age, monotonicMs: 12 }
      const since = recalled(wallMs, now)
      expect(since && ageMs(since, now)).toBe(age)
      const jumped = { wallMs: 0, monotonicMs: 12 + later }
      expect(since && ageMs(since, jumped)).toBeGreaterThanOrEqual(age + later)
    }),
  )
})

test.each([
  ['from a time that has not come', 1_000_000_000, 1_000_000_000 - 61_000],
  ['of no time', Number.NaN, 1_000_000_000],
])('the age of a stored instant %s is unknown', (_, wallMs, nowMs) => {
  expect(recalled(wallMs, { wallMs: nowMs, monotonicMs: 0 })).toBeNull()
})
