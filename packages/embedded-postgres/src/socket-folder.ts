import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import type { Layout } from './layout.ts'

/** PostgreSQL's name for its socket; nothing listens on TCP, so the number only completes the file name. */
export const socketPort = 5432
const longestSocketPath = process.platform === 'linux' ? 107 : 103

/**
 * Makes the folder the unix socket stands in: 0700, owned by the account, empty. Inside the data folder where the path is
 * short enough for a socket, else under the system's folder for temporary files, named by a hash of the data folder.
 * Throws when someone else made that folder first: its owner could come between Mandate and the database.
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
  // left by a crash; PostgreSQL would take a reused pid in the socket's lock file for another server
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
