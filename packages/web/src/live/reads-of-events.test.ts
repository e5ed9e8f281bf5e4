import { expect, it } from 'vitest'
import { mustWait } from './reads-of-events.ts'

it('reads a short list again at each event', () => {
  expect(mustWait(0, 0)).toBe(false)
  expect(mustWait(2, 0)).toBe(false)
})

it('reads at most 30 pages of a long list in a minute', () => {
  for (const pages of [3, 21, 400]) {
    expect(mustWait(pages, pages * 2_000 - 1)).toBe(true)
    expect(mustWait(pages, pages * 2_000)).toBe(false)
  }
})
