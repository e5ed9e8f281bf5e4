import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultRetry, retryDelay } from './retry.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

describe('whether a call is retried', () => {
  test.each([
    [429, false, true],
    [429, true, true],
    [503, true, true],
    [503, false, false],
    [0, true, true],
    [0, false, false],
    [500, true, false],
    [502, true, false],
    [404, true, false],
    [200, true, false],
  ])('status %i, repeatable %s: %s', (status, repeatable, again) => {
    expect(retryDelay({ status, attempt: 0, repeatable }, defaultRetry, 0.5, now) !== undefined).toBe(again)
  })

  test('not more often than the configured number of retries', () => {
    const failed = { status: 429, repeatable: true }
    expect(retryDelay({ ...failed, attempt: 2 }, defaultRetry, 0.5, now)).toBeDefined()
    expect(retryDelay({ ...failed, attempt: 3 }, defaultRetry, 0.5, now)).toBeUndefined()
    expect(retryDelay({ ...failed, attempt: 0 }, { ...defaultRetry, retries: 0 }, 0.5, now)).toBeUndefined()
  })

  test('not if Retry-After exceeds the configured limit', () => {
    const failed = { status: 429, attempt: 0, repeatable: true }
    expect(retryDelay({ ...failed, retryAfter: '61' }, defaultRetry, 0, now)).toBeUndefined()
    expect(retryDelay({ ...failed, retryAfter: '60' }, defaultRetry, 0, now)).toBe(60_000)
  })
})

describe('the wait', () => {
  test('uses Retry-After in seconds or as a date, and ignores other values', () => {
    const failed = { status: 429, attempt: 0, repeatable: true }
    expect(retryDelay({ ...failed, retryAfter: '7' }, defaultRetry, 0, now)).toBe(7_000)
    expect(retryDelay({ ...failed, retryAfter: new Date(now + 9_000).toUTCString() }, defaultRetry, 0, now)).toBe(9_000)
    expect(retryDelay({ ...failed, retryAfter: new Date(now - 9_000).toUTCString() }, defaultRetry, 0, now)).toBe(0)
    expect(retryDelay({ ...failed, retryAfter: 'soon' }, defaultRetry, 0, now)).toBe(0)
  })

  test('is Retry-After plus a random backoff with a limit', () => {
    const attempts = fc.record({
      attempt: fc.nat(50),
      seconds: fc.option(fc.nat(60)),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    fc.assert(
      fc.property(attempts, ({ attempt, seconds, random }) => {
        const retryAfter = seconds === null ? null : String(seconds)
        const options = { ...defaultRetry, retries: 100 }
        const waitMs = retryDelay({ status: 429, attempt, retryAfter, repeatable: false }, options, random, now)!
        const asked = (seconds ?? 0) * 1000
        expect(waitMs).toBeGreaterThanOrEqual(asked)
        expect(waitMs).toBeLessThanOrEqual(asked + Math.min(250 * 2 ** attempt, 8_000))
      }),
    )
  })
})
