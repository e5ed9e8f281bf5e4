import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { UnusableDataFolder } from './unusable-data-folder.ts'

/** The paths of an embedded database inside its data folder. */
export type Layout = ReturnType<typeof layoutOf>

/** Returns the paths of the database files in `dataDir`. `dataDir` must be an absolute path without symbolic links. */
export function layoutOf(dataDir: string) {
  return {
    dataDir,
    /** the PostgreSQL cluster, owned by the account that PostgreSQL runs as */
    cluster: join(dataDir, 'pg'),
    /** the file with the passwords of the two database roles, mode 0600 */
    credentials: join(dataDir, 'database.json'),
    /** the folder with one claim file per process that holds or wants the data folder */
    lock: join(dataDir, 'lock'),
    /** the preferred folder of the unix socket */
    run: join(dataDir, 'run'),
    log: join(dataDir, 'pg.log'),
    /** a copy of the PostgreSQL programs, used if the installed programs cannot be run */
    binaries: join(dataDir, '.postgres'),
    /** an archive while it is being unpacked; after a crash it is incomplete and is deleted */
    unpacking: join(dataDir, '.unpacking'),
    /** an unpacked and verified archive; after a crash, the next start completes the restore */
    verified: join(dataDir, '.verified'),
  }
}

/**
 * Creates the data folder with mode 0700 if it does not exist. Missing parent folders get the default mode. Resolves with the
 * layout.
 * @throws UnusableDataFolder if PostgreSQL cannot use a folder with this path
 */
export async function makeDataDir(dataDir: string): Promise<Layout> {
  // PostgreSQL writes the path as one line into postmaster.pid.
  if (/[\r\n]/.test(dataDir)) {
    throw new UnusableDataFolder(
      `the path of the data folder ${JSON.stringify(dataDir)} contains a line break; set DATA_DIR to another folder`,
    )
  }
  await makeFolder(dataDir, 0o700)
  return layoutOf(await realpath(dataDir))
}
