import { execFileSync } from 'node:child_process'
import { open, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './mandate-process.ts'

/** Whether the process may mount file systems, which needs root. */
export const mayMount = process.getuid?.() === 0

/** Mounts a small file system in memory. Needs root. */
export async function smallDisk(sizeMb = 256): Promise<string> {
  const folder = await temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=0755`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return folder
}

/** Fills a disk completely. Returns a function that makes room again. `name` is the file that takes the room. */
export async function fillDisk(folder: string, name = 'filler'): Promise<() => Promise<void>> {
  const path = join(folder, name)
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

/** How many files a disk takes beyond those that it has, after `limitFiles`. */
const spareFiles = 100

/** Lets a small disk take only a few more files. Returns a function that ends this. */
export async function limitFiles(folder: string): Promise<() => void> {
  const { files, ffree } = await statfs(folder)
  const allow = (count: number) => void execFileSync('mount', ['-o', `remount,nr_inodes=${count}`, folder])
  allow(files - ffree + spareFiles)
  return () => allow(files)
}

/** Makes empty files until a disk takes no more. Returns a function that removes them. Use `limitFiles` before. */
export async function fillFiles(folder: string, name: string): Promise<() => Promise<void>> {
  const made: string[] = []
  try {
    for (;;) {
      const path = join(folder, `${name}-${made.length}`)
      await writeFile(path, '')
      made.push(path)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
  return async () => void (await Promise.all(made.map((path) => rm(path))))
}
