import { expect, it } from 'vitest'
import { startsFirst } from './starts-first.ts'

it('puts the exact name first, then the names that start with the text', () => {
  const names = ['old-stock', 'stock-keeper', 'Stock', 'in-stock', 'stock-counter']
  const found = startsFirst(
    names.map((name) => ({ name })),
    'stock',
  )
  expect(found.map(({ name }) => name)).toEqual(['Stock', 'stock-keeper', 'stock-counter', 'old-stock', 'in-stock'])
})
