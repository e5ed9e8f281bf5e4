import { expect, it } from 'vitest'
import { stillCalls } from './still-calls.ts'

const callsOf = (ids: string) => [...ids].map((id) => ({ id }))
const still = (held: string, isWhole: boolean, now: string) => {
  const { shown, added } = stillCalls({ calls: callsOf(held), isWhole }, callsOf(now))
  return [shown.map(({ id }) => id).join(''), added]
}

it('keeps a call that waits no more', () => {
  expect(still('abc', true, 'ac')).toEqual(['abc', 0])
})

it('counts a new call, wherever its time puts it', () => {
  expect(still('abc', true, 'abcn')).toEqual(['abc', 1])
  expect(still('abc', true, 'anbcm')).toEqual(['abc', 2])
  expect(still('abc', false, 'nabc')).toEqual(['abc', 1])
})

it('does not count a call that moves up from the next page', () => {
  expect(still('abc', false, 'bcd')).toEqual(['abcd', 0])
  expect(still('abc', false, 'nbcd')).toEqual(['abcd', 1])
  expect(still('abc', false, 'def')).toEqual(['abcdef', 0])
})
