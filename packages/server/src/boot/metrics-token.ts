import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@mandate/embedded-postgres/make-folder'
import type { Config } from '../config.ts'
import { StartFailure } from './failure.ts'

const shape = /^[\x21-\x7e]{16,}$/

/**
 * The bearer token of `/metrics`: the configured one; with the embedded database else the one in `metrics-token` of the data
 * folder (0600), which is created if it is missing. With `DATABASE_URL` and no configured token the result is undefined.
 */
export async function loadMetricsToken(
  config: Pick<Config, 'metricsToken' | 'databaseUrl' | 'dataDir'>,
): Promise<string | undefined> {
  if (config.metricsToken !== undefined || config.databaseUrl !== undefined) return config.metricsToken
  const file = join(config.dataDir, 'metrics-token')
  try {
    await makeFolder(config.dataDir, 0o700)
    // Never replaces a file that is there.
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new StartFailure(`${file} cannot be written: ${error}`)
  }
  const token = (await readFile(file, 'utf8')).trim()
  if (!shape.test(token))
    throw new StartFailure(`${file} holds no token; delete it, and the next start makes a new one`)
  await chmod(file, 0o600)
  return token
}
