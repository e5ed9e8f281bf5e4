import { expect, it } from 'vitest'
import { excludingText } from './filters.ts'

const two = ['Lifecycle Retired', 'Drift Drift']

it('names the filters without which the list has rows', () => {
  expect(excludingText(two, [true, false], 2)).toBe(
    'The filter Lifecycle Retired excludes the rows: without it, some match.',
  )
  expect(excludingText(two, [true, true], 2)).toBe(
    'Each of these filters excludes the rows: Lifecycle Retired, Drift Drift.',
  )
})

it('says that no single filter is to blame only if it was asked about each of them', () => {
  expect(excludingText(two, [false, false], 2)).toMatch(/^Leaving out one filter is not enough/)
  expect(excludingText(two, [false, false], 3)).toBe('')
  expect(excludingText(two, [false, undefined], 2)).toBe('')
  expect(excludingText(two, [null, false], 2)).toBe('')
})
