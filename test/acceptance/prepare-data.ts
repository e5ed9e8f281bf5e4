import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchMandate } from './mandate-process.ts'

let folder: string | undefined

/** Makes the data folder that `dataFolder` copies: a database with the schema and without data. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'mandate-prepared-'))
  process.env.MANDATE_TEST_PREPARED = join(folder, 'data')
  const server = await launchMandate({ DATA_DIR: process.env.MANDATE_TEST_PREPARED })
  await server.stop()
}

export async function teardown(): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true })
}
