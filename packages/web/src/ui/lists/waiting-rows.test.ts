import { expect, it } from 'vitest'
import { waitingOf } from './waiting-rows.ts'

const rows = (text: string) => [...text].map((id) => ({ id }))

it('holds back the rows above those that were shown', () => {
  expect(waitingOf(rows('yzabc'), ['a', 'b', 'c'])).toBe(2)
  expect(waitingOf(rows('abc'), ['a', 'b', 'c'])).toBe(0)
})

it('still holds them back after the first shown row has left the list', () => {
  expect(waitingOf(rows('yzbc'), ['a', 'b', 'c'])).toBe(2)
})

it('shows all rows of a list that was empty, or that has none of the shown rows', () => {
  expect(waitingOf(rows('abc'), [])).toBe(0)
  expect(waitingOf(rows('abc'), ['x'])).toBe(0)
})
