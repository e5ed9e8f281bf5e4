import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Embedded, startEmbedded } from '@mandate/embedded-postgres/start-embedded'
import type { TestProject } from 'vitest/node'
import { migrate } from '../db/schema/migrate.ts'
import { queryOnce, withDatabase } from './database-urls.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the test database server, with the role that owns the tables. */
    ownerUrl: string
  }
}

/** Starts one real PostgreSQL for the test run, with a migrated template database that every test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  if (given) {
    await prepareTemplate(given)
    project.provide('ownerUrl', given)
    return async () => {}
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'mandate-test-'))
  const embedded: Embedded = await startEmbedded({ dataDir, durable: false, settings: { max_connections: '300' } })
  await prepareTemplate(embedded.ownerUrl)
  project.provide('ownerUrl', embedded.ownerUrl)
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function prepareTemplate(ownerUrl: string): Promise<void> {
  await queryOnce(ownerUrl, 'drop database if exists mandate_template')
  await queryOnce(ownerUrl, 'create database mandate_template')
  await migrate(withDatabase(ownerUrl, 'mandate_template'))
}
