import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { connectionUrls, newCredentials } from './credentials.ts'

test.each(['require', 'verify-full', 'prefer'])('connections use no TLS, also with PGSSLMODE=%s', (mode) => {
  vi.stubEnv('PGSSLMODE', mode)
  const urls = Object.values(connectionUrls(newCredentials(), '/tmp/mandate'))
  expect(urls.map((connectionString) => new pg.Client({ connectionString }).ssl)).toEqual([false, false])
  vi.unstubAllEnvs()
})
