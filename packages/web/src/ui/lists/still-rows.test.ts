import { expect, it } from 'vitest'
import { stillRows } from './still-rows.ts'

const rowsOf = (text: string) => [...text].map((id) => ({ id }))
const shownOf = (rows: string, known: string) => {
  const { shown, waiting } = stillRows(rowsOf(rows), new Set(known))
  return [shown.map(({ id }) => id).join(''), waiting]
}

it('a row that arrives above or between known rows waits', () => {
  expect(shownOf('xabyc', 'abc')).toEqual(['abc', 2])
})

it('the rows of the next page do not wait', () => {
  expect(shownOf('abcde', 'abc')).toEqual(['abcde', 0])
  expect(shownOf('abc', '')).toEqual(['abc', 0])
})

it('a row that leaves the list takes no other row out', () => {
  expect(shownOf('xbc', 'abc')).toEqual(['bc', 1])
  expect(shownOf('xy', 'abc')).toEqual(['xy', 0])
})
