import { lstat, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { copyCluster } from './archive/copy-cluster.ts'
import { type ArchiveWriter, createArchive } from './archive/write-archive.ts'
import { connectEmbedded } from './connect-embedded.ts'
import { type Layout, layoutOf } from './layout.ts'
import { makeFolder } from './make-folder.ts'
import { EmbeddedInUse } from './owner-lock.ts'
import { startEmbedded } from './start-embedded.ts'

const patienceMs = 30_000

/** The result of a backup. `bytes` is the size of the archive in bytes. */
export type BackupSummary = { to: string; files: number; bytes: number }

/**
 * Writes the data folder (database, secrets, mail) to one gzipped tar file at `to`, with mode 0600. A running server continues
 * to work. If no server runs, it starts PostgreSQL for the backup.
 * @throws if `to` exists, if there is no embedded database, or if a step fails. No file is left behind in these cases
 */
export async function backupEmbedded(options: { dataDir: string; to: string }): Promise<BackupSummary> {
  const layout = layoutOf(await realpath(options.dataDir))
  if (!(await exists(layout.cluster)) && !(await exists(layout.verified))) {
    throw new Error(`There is no embedded database in ${layout.dataDir}`)
  }
  const to = resolve(options.to)
  if (await exists(to)) throw new Error(`${to} already exists`)
  await makeFolder(dirname(to))
  const draft = `${to}.partial-${process.pid}`
  const archive = createArchive(draft)
  try {
    await using database = await reachDatabase(layout)
    const postgresVersion = await copyCluster(archive, layout.cluster, database.ownerUrl)
    await addNeighbours(archive, layout, [to, draft])
    const { files } = await archive.finish({ postgresVersion })
    await rename(draft, to)
    return { to, files: Object.keys(files).length, bytes: (await stat(to)).size }
  } catch (error) {
    archive.abandon()
    await rm(draft, { force: true })
    throw error
  }
}

async function reachDatabase(layout: Layout): Promise<{ ownerUrl: string } & AsyncDisposable> {
  for (const deadline = Date.now() + patienceMs; ; await pause(200)) {
    const running = await connectEmbedded(layout.dataDir)
    if (running) return { ...running, async [Symbol.asyncDispose]() {} }
    try {
      const started = await startEmbedded({ dataDir: layout.dataDir })
      return { ownerUrl: started.ownerUrl, [Symbol.asyncDispose]: started.stop }
    } catch (error) {
      // Another process is starting or stopping the database of this data folder, so this loop tries again.
      if (!(error instanceof EmbeddedInUse) || Date.now() > deadline) throw error
    }
  }
}

/**
 * Adds the files of the data folder to the archive, except the database cluster. The caller adds the cluster. Leaves out other
 * archives, and files that matter only while the database runs.
 */
async function addNeighbours(archive: ArchiveWriter, layout: Layout, own: string[]): Promise<void> {
  const passing = [layout.cluster, layout.lock, layout.run].map((path) => basename(path))
  const isOurs = (name: string) =>
    passing.includes(name) || name.startsWith('.') || name.startsWith('pg.') || name.endsWith('.tar.gz')
  for (const name of await readdir(layout.dataDir)) {
    if (!isOurs(name)) await addTree(archive, layout.dataDir, name, own)
  }
}

async function addTree(archive: ArchiveWriter, root: string, name: string, except: string[]): Promise<void> {
  const path = join(root, name)
  const found = await lstat(path).catch(() => null)
  if (!found || except.includes(path)) return
  if (found.isDirectory()) {
    await archive.addDirectory(name)
    for (const inner of await readdir(path)) await addTree(archive, root, `${name}/${inner}`, except)
  } else if (found.isFile()) {
    await archive.addFile(name, path)
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
