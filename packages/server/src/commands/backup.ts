import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type BackupSummary, backupEmbedded } from '@mandate/embedded-postgres/backup'
import { readOperatorConfig } from '../config.ts'

/** Writes the embedded database and the other files of the data folder into an archive at `to`. */
export async function backup(to: string): Promise<BackupSummary> {
  const { databaseUrl, dataDir } = readOperatorConfig()
  if (databaseUrl) throw new Error('with DATABASE_URL, back up with the tools of that PostgreSQL, such as pg_dump')
  await access(dataDir).catch(() => {
    throw new Error(`there is no data folder at ${resolve(dataDir)}; set DATA_DIR`)
  })
  return await backupEmbedded({ dataDir, to })
}
