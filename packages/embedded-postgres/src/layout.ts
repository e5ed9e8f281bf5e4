import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** The paths of an embedded database in its data folder. */
export type Layout = ReturnType<typeof layoutOf>

/** Returns the paths in `dataDir` (absolute, symlinks resolved). Does not access the disk. */
export function layoutOf(dataDir: string) {
  return {
    dataDir,
    /** the PostgreSQL cluster, owned by the account PostgreSQL runs as */
    cluster: join(dataDir, 'pg'),
    /** passwords of the two database roles, 0600 */
    credentials: join(dataDir, 'database.json'),
    /** one claim file per process that holds or wants the folder */
    lock: join(dataDir, 'lock'),
    /** the preferred folder for the unix socket */
    run: join(dataDir, 'run'),
    log: join(dataDir, 'pg.log'),
    /** a copy of the PostgreSQL binaries, if the installed ones cannot be run */
    binaries: join(dataDir, '.postgres'),
    /** an archive that is being unpacked; useless after a crash */
    unpacking: join(dataDir, '.unpacking'),
    /** an unpacked and verified archive; after a crash the next start completes the restore */
    verified: join(dataDir, '.verified'),
  }
}

/** Creates the data folder with mode 0700 if it does not exist. Parents get the default mode. Resolves with the layout. */
export async function makeDataDir(dataDir: string): Promise<Layout> {
  await makeFolder(dataDir, 0o700)
  return layoutOf(await realpath(dataDir))
}
