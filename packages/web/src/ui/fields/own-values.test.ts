import { expect, it } from 'vitest'
import { OwnValues } from './own-values.ts'

it('knows each value that the field applied, once, also if newer ones were applied meanwhile', () => {
  const own = new OwnValues()
  own.add('a')
  own.add('ab')
  expect(own.take('a')).toBe(true)
  expect(own.take('ab')).toBe(true)
  expect(own.take('a')).toBe(false)
})

it('forgets values that a newer one has overtaken', () => {
  const own = new OwnValues()
  own.add('a')
  own.add('ab')
  expect(own.take('ab')).toBe(true)
  expect(own.take('a')).toBe(false)
})

it('does not know a value from elsewhere', () => {
  const own = new OwnValues()
  own.add('a')
  expect(own.take('of a link')).toBe(false)
})
