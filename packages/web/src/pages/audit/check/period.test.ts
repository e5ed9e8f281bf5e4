import { expect, it } from 'vitest'
import type { Entry } from '../entry-sentence.ts'
import { periodOf } from './period.ts'

const start = Date.parse('2026-11-03T12:00:00.000Z')

/** An entry of a minute after the start, with a number. */
function entry(minute: number, seq: number | undefined, created = start + minute * 60_000): Entry {
  const hex = (start + minute * 60_000).toString(16).padStart(12, '0')
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(minute).padStart(12, '0')}`
  return { id, seq, created_at: new Date(created).toISOString() } as Entry
}

it('begins with the oldest loaded entry and ends after the newest', () => {
  const loaded = [entry(3, undefined), entry(2, 8), entry(0, 5)]
  const times = { from: '2026-11-03T12:00:00.000Z', to: '2026-11-03T12:03:00.001Z' }
  expect(periodOf(loaded)).toEqual({ ...times, entries: loaded, left: 0 })
})

it('has the newest entries of a list that goes back too far', () => {
  const loaded = [entry(9, 20), entry(8, 12), entry(2, 11), entry(0, 10), entry(1, 1)]
  const { from, entries, left } = periodOf(loaded, 9)
  expect(from).toBe('2026-11-03T12:08:00.000Z')
  expect([entries.length, left]).toEqual([2, 3])
})

it('has the changed time of an entry, unless the trail is too long for it', () => {
  const loaded = [entry(2, 3), entry(1, 2, start - 9e9), entry(0, 1)]
  expect(periodOf(loaded, 3).from).toBe(new Date(start - 9e9).toISOString())
  expect(periodOf(loaded, 2).from).toBe('2026-11-03T12:02:00.000Z')
  expect(periodOf([entry(2, 9), entry(1, 8, start - 9e9)], 5)).toMatchObject({
    from: '2026-11-03T12:02:00.000Z',
    left: 0,
  })
})

it('is a period in any case', () => {
  const odd = { ...entry(0, 1), created_at: '+010000-01-01T00:00:00.000Z' }
  for (const { from, to } of [periodOf([odd]), periodOf([{ ...odd, created_at: '' }])]) expect(from < to).toBe(true)
})
