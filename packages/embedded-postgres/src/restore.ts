import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { finishRestore } from './finish-restore.ts'
import { type Layout, makeDataDir } from './layout.ts'
import { lockDataDir } from './owner-lock.ts'
import { stopLeftover } from './postmaster.ts'
import { unpackArchive } from './read-archive.ts'
import type { Manifest } from './write-archive.ts'

/** The target of a restore already holds something, and `force` was not given. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty'
}

/**
 * Puts a backup's content into `dataDir`, which must be empty or missing; with `force` what is there under the same names is
 * replaced. The archive is unpacked aside and verified whole before anything is touched; a crash afterwards is finished
 * by the next start. Throws ArchiveDamaged, TargetNotEmpty, or EmbeddedInUse while a server runs there.
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

async function refuseNonEmpty(layout: Layout): Promise<void> {
  const names = (await readdir(layout.dataDir)).filter((name) => join(layout.dataDir, name) !== layout.lock)
  if (names.length) {
    throw new TargetNotEmpty(
      `${layout.dataDir} is not empty (${basename(names[0]!)}); restoring would replace what is there`,
    )
  }
}
