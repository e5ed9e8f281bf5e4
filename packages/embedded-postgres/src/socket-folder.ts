import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import type { Layout } from './layout.ts'

/** The port in the name of the socket file. Nothing listens on TCP. */
export const socketPort = 5432
const longestSocketPath = process.platform === 'linux' ? 107 : 103

/**
 * Creates the empty folder of the unix socket, with mode 0700 and owned by the account. It is in the data folder if its path
 * is short enough for a socket. Otherwise it is in the temporary folder of the system, named by a hash of the data folder.
 * @throws if another user created the folder, because that user could intercept connections
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
  // removes what a crash left; PostgreSQL would take a reused pid in the lock file of the socket for another server
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
  if (!fits) throw new Error(`No folder for the database's socket is short enough: ${candidates.join(', ')}`)
  return fits
}

function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${socketPort}`)
}
