import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Layout, makeDataDir } from '../layout.ts'
import { lockDataDir } from '../owner-lock.ts'
import { stopLeftover } from '../postmaster.ts'
import { unpackArchive } from './read-archive.ts'
import type { Manifest } from './write-archive.ts'

/** Thrown if the target folder of a restore is not empty and `force` was not given. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty'
}

/**
 * Restores a backup into `dataDir`. The folder must be empty or missing. With `force`, entries with the same names are
 * replaced. The complete archive is unpacked and verified before anything in `dataDir` changes. If the process crashes after
 * that, the next start completes the restore.
 * @throws ArchiveDamaged or TargetNotEmpty, or EmbeddedInUse if a server runs on the folder
 */
export async function restoreEmbedded(options: { from: string; dataDir: string; force?: boolean }): Promise<Manifest> {
  const layout = await makeDataDir(options.dataDir)
  if (!options.force) await refuseNonEmpty(layout)
  const lock = await lockDataDir(layout.dataDir)
  try {
    if (!options.force) await refuseNonEmpty(layout)
    await stopLeftover(layout, () => {})
    await finishRestore(layout)
    await mkdir(layout.unpacking, { mode: 0o700 })
    const manifest = await unpackArchive(options.from, layout.unpacking)
    await rename(layout.unpacking, layout.verified)
    await finishRestore(layout)
    return manifest
  } finally {
    await rm(layout.unpacking, { recursive: true, force: true })
    await lock.release()
  }
}

/**
 * Moves the content of a verified, unpacked archive into its final place. The restore calls this function. After a crash, the
 * next start calls it again: entries that were already moved are no longer in `verified`, and the remaining entries replace
 * existing ones. The caller must hold the lock of the data folder.
 */
export async function finishRestore(layout: Layout): Promise<void> {
  await rm(layout.unpacking, { recursive: true, force: true })
  const names = await readdir(layout.verified).catch(() => [])
  for (const name of names) {
    await rm(join(layout.dataDir, name), { recursive: true, force: true })
    await rename(join(layout.verified, name), join(layout.dataDir, name))
  }
  await rm(layout.verified, { recursive: true, force: true })
}

async function refuseNonEmpty(layout: Layout): Promise<void> {
  const names = (await readdir(layout.dataDir)).filter((name) => join(layout.dataDir, name) !== layout.lock)
  if (names.length) {
    throw new TargetNotEmpty(
      `${layout.dataDir} is not empty (${basename(names[0]!)}); restoring would replace what is there`,
    )
  }
}
