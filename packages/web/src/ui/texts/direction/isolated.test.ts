import { expect, test } from 'vitest'
import { isolated, partsOf } from './isolated.ts'

test('isolates a name from right to left, and leaves other names as they are', () => {
  expect(isolated('Mara')).toBe('Mara')
  expect(partsOf(`${isolated('ليلى')} saved version 2 of “${isolated('Refunds')}”`)).toEqual([
    '',
    'ليلى',
    ' saved version 2 of “Refunds”',
  ])
})

test('a name cannot end its own isolation', () => {
  expect(partsOf(`${isolated('a\u2069b')} left`)).toEqual(['', 'a[U+2069]b', ' left'])
  expect(partsOf(`${isolated('a\u202eb')} left`)).toEqual(['', 'a\u202eb', ' left'])
})
