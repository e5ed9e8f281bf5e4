import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { type PolicyFile, readPolicyFile } from './policy-file.ts'
import { isPolicyFile } from './policy-paths.ts'

/** A file that a pull may write to. */
export interface KnownFile {
  path: string
  /** The policy that the file is of; undefined if it has not been pushed yet. */
  id: string | undefined
  /** Undefined if the file is invalid. */
  file: PolicyFile | undefined
  /** Why the file is invalid. */
  fault: string | undefined
}

/** Reads a file, valid or not. @throws Failure if it is not there */
export async function readKnownFile(path: string): Promise<KnownFile> {
  try {
    const file = await readPolicyFile(path)
    return { path, id: file.content.id, file, fault: undefined }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const text = await readFile(path, 'utf8').catch(() => {
      throw error
    })
    return { path, id: idIn(text), file: undefined, fault: error.message }
  }
}

/** The policy files of a folder, valid or not. */
export async function knownFilesIn(folder: string): Promise<KnownFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return await Promise.all(names.filter(isPolicyFile).map((name) => readKnownFile(join(folder, name))))
}

/** The policy's id in the text of a file that cannot be parsed. A push writes it at the beginning of a line. */
function idIn(text: string): string | undefined {
  return /^id:\s*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})["']?\s*(?:#.*)?$/im.exec(text)?.[1]?.toLowerCase()
}
