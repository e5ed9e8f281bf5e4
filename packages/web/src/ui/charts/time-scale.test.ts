import { expect, it } from 'vitest'
import { gather, niceMaximum, stackHeights } from './time-scale.ts'

it('an axis ends at a number that is easy to read', () => {
  expect(niceMaximum(2750, 3)).toEqual({ maximum: 3000, step: 1000 })
  expect(niceMaximum(52, 1)).toEqual({ maximum: 100, step: 100 })
  expect(niceMaximum(14, 3)).toEqual({ maximum: 15, step: 5 })
  expect(niceMaximum(2, 3)).toEqual({ maximum: 3, step: 1 })
  expect(niceMaximum(0, 3)).toEqual({ maximum: 3, step: 1 })
})

it('a small value can still be seen', () => {
  expect(stackHeights([42_118, 1, 0], 42_118, 180)).toEqual([180, 1.5, 0])
})

it('buckets are added up', () => {
  const bucket = (start: number, allow: number) => ({ start, counts: { allow } })
  expect(gather([bucket(5, 1), bucket(6, 2), bucket(7, 4)], 6)).toEqual([bucket(5, 1), bucket(6, 6)])
  expect(gather([], 6)).toEqual([])
})
