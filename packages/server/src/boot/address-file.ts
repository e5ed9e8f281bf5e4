import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'

const fileIn = (dataDir: string) => join(dataDir, 'address')

/** Writes the address of the running server into its data folder, so that programs beside it find it whatever its port is. */
export async function writeAddress(dataDir: string, url: string, log: Logger): Promise<void> {
  // The server runs without the file too, for example if its data folder is read-only.
  await writeFile(fileIn(dataDir), `${url}\n`).catch((error: Error) =>
    log.warn({ reason: error.message }, 'cannot write the address of the server into the data folder'),
  )
}

export async function removeAddress(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true }).catch(() => {})
}
