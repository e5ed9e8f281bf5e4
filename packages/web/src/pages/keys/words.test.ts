import { expect, it } from 'vitest'
import { clausesOf, fineOf, isUnlimited, newerOf, stateOf } from './words.ts'

const now = Date.parse('2026-11-03T12:00:00Z')

it.each([
  [{}, 'Active'],
  [{ expires_at: '2026-11-03T12:00:01Z' }, 'Active'],
  [{ expires_at: '2026-11-03T12:00:00Z' }, 'Expired'],
  [{ expires_at: '2026-11-01T12:00:00Z', revoked_at: '2026-10-01T12:00:00Z' }, 'Revoked'],
])('a key with %j shows %s', (key, word) => {
  expect(stateOf(key as never, now).word).toBe(word)
})

it.each([
  [[], true],
  [['*'], true],
  [['agents:read'], false],
])('scopes %j are unlimited: %j', (scopes, expected) => {
  expect(isUnlimited({ scopes })).toBe(expected)
})

it('says which keys should go, and leaves out zero', () => {
  expect(clausesOf({ active: 3, unused: 0, old: 0 })).toEqual([])
  expect(clausesOf({ active: 3, unused: 2, old: 1 }).map(({ text }) => text.replace('\u00a0', ' '))).toEqual([
    '2 keys were not used for 30 days',
    '1 key is older than 90 days',
  ])
  expect(fineOf({ active: 0, unused: 0, old: 0 })).toBe('There is no active API key.')
})

const key = { name: 'ci', scopes: ['agents:read', 'audit:read'], created_at: '2026-08-01T12:00:00.000Z' }

it('finds the newest key that replaces a key', () => {
  const first = { ...key, created_at: '2026-11-01T12:00:00.000Z', scopes: ['audit:read', 'agents:read'] }
  const second = { ...key, created_at: '2026-11-02T12:00:00.000Z' }
  expect(newerOf([first, second, key] as never, key as never)).toBe(second)
  expect(newerOf([first, key] as never, key as never)).toBe(first)
})

it.each([
  { created_at: '2026-07-01T12:00:00.000Z' },
  { name: 'ci-release' },
  { scopes: ['agents:read'] },
  { environment_id: 'e' },
])('a key with %j replaces no key that is different', (other) => {
  const newer = { ...key, created_at: '2026-11-02T12:00:00.000Z', ...other }
  expect(newerOf([newer] as never, key as never)).toBeUndefined()
})
