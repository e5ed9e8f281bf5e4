import { execFileSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './mandate-process.ts'

/** Whether the process may mount file systems, which needs root. */
export const mayMount = process.getuid?.() === 0

/** Mounts a file system of 256 MiB in memory. Needs root. */
export async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=0755', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Fills a disk completely. Returns a function that makes room again. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'filler')
  const file = await open(path, 'w')
  for (const size of [1 << 20, 4096]) {
    const chunk = Buffer.alloc(size, 1)
    try {
      for (;;) await file.write(chunk)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  await file.close()
  return () => rm(path)
}
