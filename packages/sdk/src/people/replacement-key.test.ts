import { expect, test } from 'vitest'
import { replacementKey } from './replacement-key.ts'

const now = Date.parse('2026-11-03T12:00:00.250Z')
const key = { name: 'ci', scopes: ['agents:read'], created_at: '2026-08-05T12:00:00.040Z' }

test('has the name, the scopes and the environment of the key, and does not expire if the key does not', () => {
  expect(replacementKey(key, now)).toEqual({ name: 'ci', scopes: ['agents:read'] })
  expect(replacementKey({ ...key, scopes: [], environment_id: 'e' }, now)).toEqual({
    name: 'ci',
    scopes: [],
    environment_id: 'e',
  })
})

test('lives as long as the key, from now on', () => {
  // 90 days, less the time between the client and the server.
  const expires_at = '2026-11-03T12:00:00.000Z'
  expect(replacementKey({ ...key, expires_at }, now)).toMatchObject({ expires_at: '2027-02-01T12:00:00.250Z' })
})
