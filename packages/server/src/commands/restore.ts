import { resolve } from 'node:path'
import { restoreEmbedded, TargetNotEmpty } from '@mandate/embedded-postgres/archive/restore'
import { readOperatorConfig } from '../config.ts'

/** Restores an archive into the data folder and returns the folder's path. */
export async function restore(from: string, force: boolean): Promise<{ dataDir: string }> {
  const { databaseUrl, dataDir } = readOperatorConfig()
  if (databaseUrl) throw new Error('with DATABASE_URL, restore with the tools of that PostgreSQL, such as pg_restore')
  try {
    await restoreEmbedded({ from, dataDir, force })
  } catch (error) {
    if (error instanceof TargetNotEmpty) throw new Error(`${error.message}; use --force to do so`)
    throw error
  }
  return { dataDir: resolve(dataDir) }
}
