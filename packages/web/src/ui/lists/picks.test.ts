import { expect, it } from 'vitest'
import { hasAll, unlistedOf, withPicks } from './picks.ts'

const row = (id: string) => ({ id, name: `${id}-bot` })
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const all = withPicks(new Map(), ['a', 'b', 'c', 'd'].map(row), true)
const filtered = [row('b'), row('e')]

it('selects only the rows of the list after a filter, and takes only these out', () => {
  expect([...withPicks(new Map(), filtered, true).keys()]).toEqual(['b', 'e'])
  expect([...withPicks(all, filtered, false).keys()]).toEqual(['a', 'c', 'd'])
  expect([...withPicks(all, filtered, true).keys()]).toEqual(['a', 'b', 'c', 'd', 'e'])
})

it('does not say that all rows are selected while as many other rows are', () => {
  expect(hasAll(all, idsOf(filtered))).toBe(false)
  expect(hasAll(all, ['b'])).toBe(true)
  expect(hasAll(all, [])).toBe(false)
})

it('counts the selected rows that the list does not show', () => {
  expect(unlistedOf(all, filtered)).toBe(3)
  expect(unlistedOf(all, ['a', 'b', 'c', 'd'].map(row))).toBe(0)
})
