import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'pg'
import { inject } from 'vitest'

const MIGRATIONS = ['0002-identity.sql', '0013-spent-sign-in-attempts.sql'].map(
  (file) => new URL(`../../db/migrations/${file}`, import.meta.url),
)

export type IdentityDatabase = { pool: Pool; drop(): Promise<void> }

/**
 * Creates a temporary database that has only the identity schema. It is created on the server of the test run, or on the server
 * at `TEST_PG_URL`. Its pool uses the role of the application.
 */
export async function createIdentityDatabase(): Promise<IdentityDatabase> {
  const serverUrl = process.env.TEST_PG_URL ?? inject('ownerUrl')
  const name = `identity_${randomUUID().replaceAll('-', '')}`
  const server = new Pool({ connectionString: serverUrl, max: 1 })
  await server.query(
    `do $$ begin create role mandate_app; exception when duplicate_object or unique_violation then null; end $$`,
  )
  await server.query(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const owner = new Pool({ connectionString: url.href, max: 1 })
  for (const migration of MIGRATIONS) await owner.query(await readFile(migration, 'utf8'))
  await owner.end()
  const pool = new Pool({ connectionString: url.href, max: 12, options: '-c role=mandate_app' })
  return {
    pool,
    async drop() {
      await pool.end()
      await dropWhenIdle(server, name)
      await server.end()
    },
  }
}

/** PostgreSQL needs a moment to notice that the connections of the pool are closed. */
async function dropWhenIdle(server: Pool, name: string, triesLeft = 100): Promise<void> {
  try {
    await server.query(`drop database ${name}`)
  } catch (error) {
    const inUse = error instanceof Error && 'code' in error && error.code === '55006'
    if (!inUse || triesLeft === 0) throw error
    await setTimeout(20)
    await dropWhenIdle(server, name, triesLeft - 1)
  }
}
