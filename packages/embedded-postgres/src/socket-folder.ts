import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import type { Layout } from './layout.ts'

/** The port number in the name of the socket file. PostgreSQL does not listen on TCP. */
export const socketPort = 5432
const longestSocketPath = process.platform === 'linux' ? 107 : 103

/**
 * Creates the folder of the unix socket, with mode 0700. Its owner is the account that runs PostgreSQL. The folder is inside
 * the data folder if its path is short enough for a unix socket. Otherwise it is in the temporary folder of the system, and its
 * name contains a hash of the data folder's path.
 * @throws if the folder exists and belongs to another user, because that user could intercept connections
 */
export async function prepareSocketFolder(layout: Layout, account: Account): Promise<string> {
  const folder = chooseFolder(layout, account)
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const found = await lstat(folder)
  if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== account.uid)) {
    throw new Error(`${folder} exists and belongs to another user; remove it, then start again`)
  }
  if (found.uid !== account.uid) await chown(folder, account.uid, account.kind === 'other' ? account.gid : 0)
  await chmod(folder, 0o700)
  // Removes the socket and its lock file, which remain after a crash. The lock file contains a pid. If another process uses
  // this pid now, PostgreSQL would not start, because it would assume that a server is running.
  for (const name of await readdir(folder)) {
    if (name.startsWith('.s.PGSQL.')) await rm(join(folder, name), { force: true })
  }
  return folder
}

function chooseFolder(layout: Layout, account: Account): string {
  const short = `mandate-${createHash('sha256').update(layout.dataDir).digest('hex').slice(0, 16)}`
  const candidates = [layout.run, join(tmpdir(), short), join('/tmp', short)]
  const fits = candidates.find(
    (folder) => Buffer.byteLength(socketIn(folder)) <= longestSocketPath && canEnter(account, dirname(folder)),
  )
  if (!fits)
    throw new Error(
      'None of these folders can contain the socket of the database, because its path is too long or PostgreSQL cannot enter ' +
        `it: ${candidates.join(', ')}. Set DATA_DIR or TMPDIR to a folder with a shorter path.`,
    )
  return fits
}

function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`)
}
