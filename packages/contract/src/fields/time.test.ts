import fc from 'fast-check'
import { expect, test } from 'vitest'
import { date, timestamp } from './fields.ts'
import { parseDay, parseTime } from './time.ts'

const anyTime = fc.record({
  ms: fc.integer({ min: Date.parse('0002-01-01T00:00Z'), max: Date.parse('9998-12-31T00:00Z') }),
  offset: fc.integer({ min: -14 * 60, max: 14 * 60 }),
})
const two = (number: number) => String(number).padStart(2, '0')
const zoneOf = (offset: number) =>
  `${offset < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`

test('a time has the same meaning in every zone, and without a zone it is UTC', () => {
  fc.assert(
    fc.property(anyTime, ({ ms, offset }) => {
      const utc = new Date(ms).toISOString()
      const shifted = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
      expect(parseTime(utc)).toBe(ms)
      expect(parseTime(utc.slice(0, -1))).toBe(ms)
      expect(parseTime(shifted + zoneOf(offset))).toBe(ms)
      for (const text of [shifted + zoneOf(offset), utc.slice(0, -1)]) expect(timestamp.parse(text)).toBe(utc)
      expect(parseTime(utc.slice(0, 10))).toBe(Date.parse(utc.slice(0, 10)))
    }),
  )
})

test('a day is a date or the time at which it begins in UTC, in every zone', () => {
  fc.assert(
    fc.property(anyTime, ({ ms, offset }) => {
      const day = new Date(ms).toISOString().slice(0, 10)
      const start = new Date(Date.parse(day) + offset * 60_000).toISOString().slice(0, -1) + zoneOf(offset)
      for (const text of [day, `${day}T00:00`, `${day}T00:00:00Z`, start]) expect(date.parse(text)).toBe(day)
      const isStart = ms % (24 * 60 * 60_000) === 0
      expect(date.safeParse(new Date(ms).toISOString()).success).toBe(isStart)
    }),
  )
  for (const text of ['2026-11-27T00:01', '2026-11-27T00:00+01:00', '2026-11-27T24:00', '2026-11-31', ''])
    expect(parseDay(text)).toBeUndefined()
})

test('accepts a date only if the calendar has it', () => {
  const any = (max: number) => fc.integer({ min: 0, max })
  fc.assert(
    fc.property(any(9999), any(14), any(33), (year, month, day) => {
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
      const time = new Date(0)
      time.setUTCFullYear(year, month - 1, day)
      expect(parseTime(text) !== undefined).toBe(time.toISOString().startsWith(text))
    }),
  )
})

test('rejects every text that another reader may understand in another way', () => {
  const refused = ['junk', '2026-11-27junk', '2026-11-27T24:00Z', '2026-12-31T23:59:60Z', '2026-W48-5', '2026-331']
  refused.push('12026-01-01', '+012026-01-01', '2026-11-27t00:00z', '2026-11-27 00:00', '2026-11-27T00', ' 2026-11-27')
  refused.push('2026-11-27T00:00+14:01', '2026-11-27T00:00+0100', '2026-11-27T00:00+01:60', '2026-11-27Z', '20261127')
  for (const text of refused) {
    expect(parseTime(text), text).toBeUndefined()
    expect(timestamp.safeParse(text).success, text).toBe(false)
  }
  const noise = fc.stringMatching(/^[^0-9.]{1,5}$/)
  fc.assert(
    fc.property(noise, (end) => {
      if (end !== 'Z') expect(parseTime(`2026-11-27T00:00${end}`)).toBeUndefined()
      expect(parseTime(`2026-11-27${end}`)).toBeUndefined()
    }),
  )
})
