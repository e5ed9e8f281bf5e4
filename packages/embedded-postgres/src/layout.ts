import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Where everything of an embedded database stands inside its data folder. */
export type Layout = ReturnType<typeof layoutOf>

/** Names the paths inside `dataDir` (absolute, symlinks resolved). Touches nothing. */
export function layoutOf(dataDir: string) {
  return {
    dataDir,
    /** the PostgreSQL cluster, owned by the account PostgreSQL runs as */
    cluster: join(dataDir, 'pg'),
    /** passwords of the two database roles, 0600 */
    credentials: join(dataDir, 'database.json'),
    /** one claim file per process that holds or wants the folder */
    lock: join(dataDir, 'lock'),
    /** preferred home of the unix socket */
    run: join(dataDir, 'run'),
    log: join(dataDir, 'pg.log'),
    /** a copy of the PostgreSQL binaries, only where the installed ones cannot be run */
    binaries: join(dataDir, '.postgres'),
    /** an archive being unpacked; worthless after a crash */
    unpacking: join(dataDir, '.unpacking'),
    /** an archive unpacked and verified; a crash from here on is rolled forward */
    verified: join(dataDir, '.verified'),
  }
}

/** Makes the data folder where it is missing, 0700 but not its parents, and resolves to its layout. */
export async function makeDataDir(dataDir: string): Promise<Layout> {
  await makeFolder(dataDir, 0o700)
  return layoutOf(await realpath(dataDir))
}
