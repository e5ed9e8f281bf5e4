import { describe, expect, it } from 'vitest'
import { limitText, secondsOf, windowParts } from './limit-words.ts'

describe('a limit in words', () => {
  it.each([
    [1, 1, 'at most once in 1 second'],
    [2, 90, 'at most 2 times in 90 seconds'],
    [10, 3600, 'at most 10 times in 1 hour'],
    [5, 86_400, 'at most 5 times in 24 hours'],
    [3, 5400, 'at most 3 times in 90 minutes'],
  ])('%i in %i seconds: %s', (count, window_s, text) => expect(limitText({ count, window_s })).toBe(text))
})

it('a window is written in the longest unit without a fraction, and read back', () => {
  for (const seconds of [1, 59, 60, 3599, 3600, 7200, 86_400]) {
    const { length, unit } = windowParts(seconds)
    expect(secondsOf(length, unit)).toBe(seconds)
  }
  expect(windowParts(7200)).toMatchObject({ length: 2, unit: 'hours' })
})
