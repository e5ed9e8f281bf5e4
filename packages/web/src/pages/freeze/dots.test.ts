import { expect, it } from 'vitest'
import { endOf, placeDots, quantile } from './dots.ts'

it('the axis ends at a round value that holds every time', () => {
  expect(endOf([])).toBe(500)
  expect(endOf([499, 501])).toBe(1000)
  expect(endOf([90_000])).toBe(60_000)
})

it('quantiles are times that occurred', () => {
  expect(quantile([], 0.5)).toBeUndefined()
  expect(quantile([300, 100, 200], 0.5)).toBe(200)
  expect(quantile([100, 200], 0.99)).toBe(200)
})

it('dots at one place are stacked, and stay inside a low chart', () => {
  const dots = placeDots(Array(50).fill(250), { width: 500, height: 100, lastMs: 500 })
  expect(new Set(dots.map(({ x }) => x))).toEqual(new Set([250]))
  expect(new Set(dots.map(({ y }) => y)).size).toBe(50)
  for (const { y } of dots) expect(y).toBeGreaterThan(0)
})

it('a time after the end of the axis is drawn at its end', () => {
  expect(placeDots([90_000], { width: 500, height: 100, lastMs: 60_000 })[0]?.x).toBe(500)
})
