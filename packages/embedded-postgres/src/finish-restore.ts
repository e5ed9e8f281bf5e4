import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from './layout.ts'

/**
 * Puts a verified, unpacked archive in place. Run by the restore itself and again by the next start, so that a crash
 * half way is rolled forward: what was moved is no longer in `verified`, what was not replaces what stands in its place.
 * Only for who holds the data folder's lock.
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
