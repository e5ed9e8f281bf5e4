import { execFileSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './mandate-process.ts'

/** Mounting needs root. */
export const mayMount = process.getuid?.() === 0

/** A file system of its own in memory, 256 MiB; needs root. */
export async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=0755', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Leaves no byte of a disk free. Returns what makes room again. */
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
