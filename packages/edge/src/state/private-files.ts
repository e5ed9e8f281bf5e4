import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, open, readFile, rename, rm, stat } from 'node:fs/promises'
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

/** Creates a file with its whole text, also if the machine stops in between. Leaves a file that another process created meanwhile. */
async function createFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}-${randomUUID()}.new`
  try {
    await writeNewFile(beside, text)
    await link(beside, path).catch(async (error: NodeJS.ErrnoException) => {
      // Some file systems have no links.
      if (error.code !== 'EEXIST' && !(await exists(path))) await rename(beside, path)
    })
  } finally {
    await rm(beside, { force: true })
  }
  await syncFolder(dirname(path))
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** Reads a secret from a file that the edges of one state folder share. Creates a random secret if there is no such file. @throws */
export async function readOrMakeSecret(file: string, prefix = ''): Promise<string> {
  const made = `${prefix}${randomBytes(32).toString('hex')}`
  if (!(await exists(file))) await createFile(file, made)
  const kept = (await readFile(file, 'utf8')).trim()
  if (kept.length < 32)
    throw new Error(`${file} contains no secret: remove the file, and the edge creates a new secret`)
  return kept
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
