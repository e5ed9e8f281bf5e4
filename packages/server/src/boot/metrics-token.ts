import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@mandate/embedded-postgres/make-folder'
import type { Config } from '../config.ts'
import { StartFailure } from './failure.ts'

const shape = /^[\x21-\x7e]{16,}$/

/**
 * Returns the bearer token of `/metrics`. A token from the configuration has priority. If none is configured and the database
 * is embedded, the token is read from the file `metrics-token` in the data folder. The file has mode 0600 and is created if it
 * is missing. With `DATABASE_URL` and without a configured token, the result is undefined.
 */
export async function loadMetricsToken(
  config: Pick<Config, 'metricsToken' | 'databaseUrl' | 'dataDir'>,
): Promise<string | undefined> {
  if (config.metricsToken !== undefined || config.databaseUrl !== undefined) return config.metricsToken
  const file = join(config.dataDir, 'metrics-token')
  try {
    await makeFolder(config.dataDir, 0o700)
    // The flag `wx` makes the write fail if the file exists, so an existing token is never replaced.
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new StartFailure(`${file} cannot be written: ${error}`)
  }
  const token = (await readFile(file, 'utf8')).trim()
  if (!shape.test(token))
    throw new StartFailure(`${file} contains no token; delete the file, and the next start creates a new token`)
  await chmod(file, 0o600)
  return token
}
