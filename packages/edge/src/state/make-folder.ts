import { mkdirSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents. Only the folder itself gets `mode`. Does not use `mkdir` with `recursive`: that
 * never returns for a path such as /proc/x, where the parent exists and accepts no folders.
 * @throws the error of the file system
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (await isFolder(path)) return
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(parent))) throw error
    await makeFolder(parent)
    await makeFolder(path, mode)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Creates a folder that only its owner can enter, in a folder that exists. Returns whether the folder is new. */
export function makePrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
