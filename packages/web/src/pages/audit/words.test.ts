import { expect, it } from 'vitest'
import {
  periodFilter,
  personsOf,
  startOf,
  timesOf,
  trailClause,
  verificationClause,
  verificationNote,
  waitingClause,
} from './words.ts'

const now = Date.parse('2026-11-03T12:00:00Z')
const plain = (text: string | undefined) => text?.replaceAll('\u00a0', ' ')
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const last = { at: '2026-11-03T11:59:00Z', valid: true, entries: 1_284_000, took_ms: 2140, by: null }

it('says how far the trail is sealed', () => {
  expect(plain(trailClause({ entries: 1, sealed_through: null } as never, now))).toBe('1 entry, none sealed yet')
  expect(plain(trailClause({ entries: 1_284_113, sealed_through: '2026-11-03T11:59:30Z' } as never, now))).toBe(
    `1,284,113 entries, sealed through ${clock.format(Date.parse('2026-11-03T11:59:30Z'))}`,
  )
  expect(plain(trailClause({ entries: 2, sealed_through: '2026-03-03T11:59:30Z' } as never, now))).toBe(
    '2 entries, sealed through 3 Mar',
  )
  expect(plain(waitingClause({ waiting: 113 } as never))).toBe('113 entries wait for the next seal.')
  expect(waitingClause({ waiting: 0 } as never)).toBeUndefined()
})

it('says what the last verification found, and who asked for it', () => {
  expect(verificationClause({ last_verification: null } as never, now)).toMatch(/not been verified/)
  expect(verificationClause({ last_verification: last } as never, now)).toMatch(/was intact/)
  expect(verificationClause({ last_verification: { ...last, valid: false } } as never, now)).toMatch(/NOT intact/)
  expect(plain(verificationNote({ last_verification: last } as never))).toBe(
    '1,284,000 entries in 2.1 s, by the schedule',
  )
  expect(
    plain(verificationNote({ last_verification: { ...last, by: { user_id: 'u', name: 'Mara' } } } as never)),
  ).toMatch(/by Mara$/)
})

it('begins a period at midnight, and ignores an unknown period', () => {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  expect(startOf('today', now)).toBe(new Date(midnight).toISOString())
  expect(startOf('7d', now)).toBe(new Date(midnight - 6 * 24 * 3_600_000).toISOString())
  expect(startOf('ever', now)).toBeUndefined()
})

it('has a period of two times, which a period that ends now replaces', () => {
  const from = '2026-11-01T09:00:00.000Z'
  expect(timesOf({ from, to: '2026-11-02T09:00:00.000Z' }, now)).toEqual({ from, to: '2026-11-02T09:00:00.000Z' })
  expect(timesOf({ since: 'today', from }, now)).toEqual({ from: startOf('today', now), to: undefined })
  expect(periodFilter({}).value).toBeUndefined()
  expect(periodFilter({ since: '7d' }).value).toBe('7d')
  const own = periodFilter({ from })
  expect(own.options.find(({ value }) => value === own.value)?.text).toMatch(/^since 1 Nov/)
})

it('offers the people who are there, and those who were removed', () => {
  const users = [{ id: 'u1', display_name: '', email: 'm@norrvik.example' }]
  const removals = [
    { resource: { type: 'user', id: 'u2', name: 'Bob' } },
    { resource: { type: 'user', id: null, name: 'x' } },
  ]
  const known = [
    { value: 'u1', text: 'm@norrvik.example' },
    { value: 'u2', text: 'Bob (removed)' },
  ]
  expect(personsOf(users, removals, 'u2', { u2: 'Bob' })).toEqual(known)
  expect(personsOf(users, removals, 'u3', {})).toEqual(known)
  expect(personsOf(users, removals, 'u3', { u3: 'Petra' })).toEqual([...known, { value: 'u3', text: 'Petra' }])
})

it('offers the removed people whose names have a text, and keeps the removed person of the link with any text', () => {
  const removals = ['Bob', 'Petra'].map((name) => ({ resource: { type: 'user', id: name, name } }))
  const bob = { value: 'Bob', text: 'Bob (removed)' }
  const petra = { value: 'Petra', text: 'Petra (removed)' }
  expect(personsOf([], removals, undefined, {}, ' bO')).toEqual([bob])
  expect(personsOf([], removals, 'Petra', { Petra: 'petra@norrvik.example' }, 'bob')).toEqual([bob, petra])
})
