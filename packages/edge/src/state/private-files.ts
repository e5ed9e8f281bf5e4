import { randomUUID } from 'node:crypto'
import { chmod, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Makes a folder that only its owner can enter; one that was there already becomes so. */
export async function privateFolder(path: string): Promise<string> {
  await makeFolder(path, 0o700)
  await chmod(path, 0o700)
  return path
}

/**
 * Replaces a file's content as a whole: whoever reads sees the old text or the new one, also after a loss of power. Of several
 * that replace it at once, in whichever processes, the last one's text stays.
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

/** Makes the names of a folder's files last. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The JSON in a file; undefined when there is no such file or no JSON in it. */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
