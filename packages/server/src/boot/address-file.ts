import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@mandate/embedded-postgres/make-folder'
import type { Logger } from 'pino'

const fileIn = (dataDir: string) => join(dataDir, 'address')

/** Writes the address of the running server into its data folder, so that programs beside it find it whatever its port is. */
export async function writeAddress(dataDir: string, url: string, log: Logger): Promise<void> {
  // The server runs without the file too, for example if its data folder is read-only.
  try {
    // With DATABASE_URL, nothing else may have made the folder.
    await makeFolder(dataDir, 0o700)
    await writeFile(fileIn(dataDir), `${url}\n`)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'cannot write the address of the server into the data folder')
  }
}

export async function removeAddress(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true }).catch(() => {})
}
