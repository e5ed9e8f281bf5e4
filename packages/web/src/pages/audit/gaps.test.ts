import { expect, it } from 'vitest'
import { gapReason, gapsOf, gapText } from './gaps.ts'

const entries = (...numbers: (number | undefined)[]) =>
  numbers.map((seq, index) => ({ id: `e${index}`, ...(seq !== undefined && { seq }) }))

it('finds the numbers that a list skips, and puts each gap under the entry above it', () => {
  expect([...gapsOf(entries(undefined, 9, 8, 5, 3))]).toEqual([
    ['e2', { from: 6, to: 7 }],
    ['e3', { from: 4, to: 4 }],
  ])
  expect(gapText({ from: 6, to: 7 })).toBe('Entries 6 to 7 are')
  expect(gapText({ from: 4, to: 4 })).toBe('Entry 4 is')
})

it('finds no gap where entries are only in another order, and none after the last entry', () => {
  expect(gapsOf(entries(9, 7, 8, 6)).size).toBe(0)
  expect(gapsOf(entries(12)).size).toBe(0)
  expect(gapsOf([]).size).toBe(0)
})

it('names every reason why entries may be missing', () => {
  expect(gapReason({ isAll: false, hasFilters: false, seesEverything: true })).toBe(
    'what edges report about agents is only in the tab All',
  )
  expect(gapReason({ isAll: true, hasFilters: true, seesEverything: false })).toBe(
    'the filters leave them out, or you may see only the entries about your agents and policies',
  )
})
