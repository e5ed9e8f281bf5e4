import { expect, test } from 'vitest'
import { timeOf } from './expiry.ts'

const now = Date.parse('2026-01-01T00:00:00.000Z')

test.each([
  ['90d', '2026-04-01T00:00:00.000Z'],
  ['12h', '2026-01-01T12:00:00.000Z'],
  ['4w', '2026-01-29T00:00:00.000Z'],
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T10:00', '2030-01-31T10:00:00.000Z'],
  ['2030-01-31T10:00:00+02:00', '2030-01-31T08:00:00.000Z'],
])('parses %s as %s', (text, time) => {
  expect(timeOf(text, now)).toBe(time)
})

test.each(['', 'soon', '2026-02-31', '2030-01-31junk', '2030-01-31T24:00', '90', '-1d', '1y', '2030-13-45', '5'])(
  'rejects "%s"',
  (text) => {
    expect(() => timeOf(text, now)).toThrow('--expires takes')
  },
)
