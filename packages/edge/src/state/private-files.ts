import { randomUUID } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Creates a folder that only its owner can enter. If the folder exists, changes its mode. */
export async function privateFolder(path: string): Promise<string> {
  await makeFolder(path, 0o700)
  await chmod(path, 0o700)
  return path
}

/**
 * Replaces a file atomically: readers see either the old text or the new text, also after a power failure. If several
 * processes replace the file at the same time, the last replacement stays.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}-${randomUUID()}.new`
  try {
    await writeNewFile(beside, text)
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs the entries of a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Reads JSON from a file. Returns undefined if the file does not exist or is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
