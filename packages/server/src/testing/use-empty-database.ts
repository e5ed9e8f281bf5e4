import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { queryOnce, withDatabase } from './database-urls.ts'

/** Creates a database without tables before the tests of a file, and drops it after them. `owner` connects as its owner. */
export function useEmptyDatabase(): { url: string; owner: pg.Pool } {
  const name = `test_${randomBytes(8).toString('hex')}`
  const ownerUrl = inject('ownerUrl')
  const url = withDatabase(ownerUrl, name)
  // Stays open while a test is slow: another connection would have other settings, if a test sets some.
  const owner = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 })
  // The drop may end a connection that is still closing.
  owner.on('error', () => {})
  beforeAll(() => queryOnce(ownerUrl, `create database ${name}`))
  afterAll(async () => {
    await owner.end()
    await queryOnce(ownerUrl, `drop database if exists ${name} with (force)`)
  })
  return { url, owner }
}
