import { expect, it } from 'vitest'
import { instantOf, localText } from './local-time.ts'
import { periodFilter, timesText } from './period.ts'
import { rangeOf } from './spans.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = Date.parse('2026-11-23T14:31:00.000Z')
const ago = (length: number) => new Date(now - length).toISOString()

it.each([
  ['an hour', hour, minute, 'minute'],
  ['six hours', 6 * hour, 15 * minute, 'minute'],
  ['two days', 2 * day, hour, 'hour'],
  ['ten days', 10 * day, 6 * hour, 'hour'],
  ['a month', 30 * day, day, 'day'],
  ['a year', 365 * day, 7 * day, 'day'],
])('a period of %s that ends now has bars that fit it', (_name, length, every, bucket) => {
  const range = rangeOf(ago(length), undefined, now)
  expect(range).toMatchObject({ to: undefined, every, bucket })
  expect((now - (range?.from ?? 0)) / every).toBeLessThanOrEqual(62)
})

it('an early hour is counted by the hour, because minutes are kept for two days', () => {
  expect(rangeOf(ago(5 * day), ago(5 * day - hour), now)).toMatchObject({ every: hour, bucket: 'hour' })
  expect(rangeOf(ago(60 * day), ago(60 * day - hour), now)).toMatchObject({ every: day, bucket: 'day' })
})

it('a period without a start is the day before its end', () => {
  expect(rangeOf(undefined, ago(day), now)).toMatchObject({
    from: Date.parse('2026-11-21T14:00:00.000Z'),
    bucket: 'hour',
  })
})

it.each([
  [undefined, undefined],
  ['no time', undefined],
  [ago(hour), ago(2 * hour)],
  [ago(-hour), undefined],
])('there is no range from %s to %s', (from, to) => {
  expect(rangeOf(from, to, now)).toBeUndefined()
})

it('a time is the same after it was shown in a field', () => {
  const at = '2026-11-23T14:31:00.000Z'
  expect(instantOf(localText(at))).toBe(at)
  expect(localText('no time')).toBe('')
  expect(instantOf('')).toBeUndefined()
})

it('the filter names the period of the address', () => {
  const shown = (period: Parameters<typeof periodFilter>[0]) => {
    const { value, options } = periodFilter(period)
    return options.find((option) => option.value === value)?.text
  }
  expect(shown({ within: 'hour' })).toBe('the last hour')
  expect(shown({ within: undefined })).toBeUndefined()
  expect(shown({ within: undefined, from: ago(day), to: ago(hour) })).toBe(timesText(ago(day), ago(hour)))
  expect(timesText(ago(day), undefined)).toMatch(/^since /)
  expect(timesText(undefined, ago(day))).toMatch(/^before /)
})
