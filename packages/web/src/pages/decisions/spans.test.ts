import { expect, it } from 'vitest'
import { instantOf, localText } from './local-time.ts'
import { countedIn, periodFilter, timesOf, timesText } from './period.ts'
import { endOfBar, rangeOf } from './spans.ts'

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

it('a period that is counted from its start to its end is called this period', () => {
  const range = rangeOf('2026-11-21T14:00:00.000Z', '2026-11-23T12:00:00.000Z', now)
  expect(range && countedIn(range)).toBe('In this period')
  const untilNow = rangeOf('2026-11-23T12:07:00.000Z', undefined, now)
  expect(untilNow && countedIn(untilNow)).toBe('In this period')
})

it('a period that ends in the future is counted until now', () => {
  expect(rangeOf('2026-11-23T14:00:00.000Z', '2027-11-23T14:00:00.000Z', now)).toMatchObject({
    from: Date.parse('2026-11-23T14:00:00.000Z'),
    to: undefined,
    isExact: true,
  })
})

it('a period that is counted by the hour or the day names the time that is counted', () => {
  const range = rangeOf('2026-08-27T10:15:00.000Z', '2026-09-04T08:00:00.000Z', now)
  const counted = { from: '2026-08-27T00:00:00.000Z', to: '2026-09-05T00:00:00.000Z' }
  expect(range && timesOf(range)).toEqual(counted)
  expect(range && countedIn(range)).toBe(`From ${timesText(counted.from, counted.to)}, counted by the day`)
  const untilNow = rangeOf('2026-11-20T10:15:00.000Z', undefined, now)
  expect(untilNow && countedIn(untilNow)).toBe(
    `Since ${timesText('2026-11-20T10:00:00.000Z', undefined).slice(6)}, counted by the hour`,
  )
})

it('a period without a start names the day that is counted', () => {
  const range = rangeOf(undefined, '2026-11-22T14:00:00.000Z', now)
  const text = timesText('2026-11-21T14:00:00.000Z', '2026-11-22T14:00:00.000Z')
  expect(range && countedIn(range)).toBe(`From ${text}, counted by the hour`)
})

it('a period that ends in the last bar is counted until now', () => {
  const range = rangeOf('2026-11-20T10:00:00.000Z', '2026-11-23T14:05:00.000Z', now)
  expect(range).toMatchObject({ to: undefined, isExact: false })
})

it.each([10 * hour, 3 * day, 9 * day, 40 * day, 100 * day, 700 * day])(
  'the period that a chart of %s ms counts has the same bars when a link opens it',
  (length) => {
    const range = rangeOf(ago(length + 7777), ago(12_345), now)
    const { from, to } = range ? timesOf(range) : {}
    expect(rangeOf(from, to, now)).toEqual({ ...range, isExact: true })
  },
)

it('the server keeps the counts of each bar', () => {
  for (const start of [1.9, 34.9, 100, 798.5, 2000])
    for (const end of [0, 1.5, 30])
      if (start > end) {
        const range = rangeOf(ago(start * day), ago(end * day), now)
        const kept = { minute: 2, hour: 35, day: 800 }[range?.bucket ?? 'minute']
        expect((now - (range?.from ?? 0)) / day).toBeLessThan(kept)
      }
})

it('a bar ends where the next bar starts, and the last bar with the period', () => {
  const range = rangeOf('2026-11-01T10:00:00.000Z', '2026-11-08T09:00:00.000Z', now)
  expect(range).toMatchObject({ every: 6 * hour, bucket: 'hour', isExact: true })
  const endOf = (start: string) => range && new Date(endOfBar(range, Date.parse(start))).toISOString()
  expect(endOf('2026-11-01T10:00:00.000Z')).toBe('2026-11-01T12:00:00.000Z')
  expect(endOf('2026-11-01T12:00:00.000Z')).toBe('2026-11-01T18:00:00.000Z')
  expect(endOf('2026-11-08T06:00:00.000Z')).toBe('2026-11-08T09:00:00.000Z')
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
  expect(shown({ within: 'hour', from: new Date().toISOString() })).toMatch(/^the last hour, since \d\d:\d\d$/)
  expect(shown({ within: undefined })).toBeUndefined()
  expect(shown({ within: undefined, from: ago(day), to: ago(hour) })).toBe(timesText(ago(day), ago(hour)))
  expect(timesText(ago(day), undefined)).toMatch(/^since /)
  expect(timesText(undefined, ago(day))).toMatch(/^before /)
  expect(timesText('2024-06-10T12:00:00.000Z', undefined)).toMatch(/^since 10 Jun.* 2024, \d\d:\d\d$/)
})
