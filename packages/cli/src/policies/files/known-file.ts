import { readFile } from 'node:fs/promises'
import { Failure } from '../../invocation/failure.ts'
import { pathOf } from '../../invocation/invocation.ts'
import { type PolicyFile, readPolicyFile } from './policy-file.ts'
import { filesBelow } from './policy-paths.ts'

/** An existing policy file that a pull may update. */
export interface KnownFile {
  path: string
  /** The file's policy id; undefined if the file has not been pushed yet. */
  id: string | undefined
  /** Undefined if the file is invalid. */
  file: PolicyFile | undefined
  /** Why the file is invalid. */
  fault: string | undefined
}

/** Reads a policy file, valid or not. @throws Failure if it does not exist */
export async function readKnownFile(path: string): Promise<KnownFile> {
  try {
    const file = await readPolicyFile(path)
    return { path, id: file.content.id, file, fault: undefined }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const text = await readFile(pathOf(path), 'utf8').catch(() => {
      throw error
    })
    return { path, id: idIn(text), file: undefined, fault: error.message }
  }
}

/** The paths of the policy files in a folder and its subfolders. Returns an empty list if the folder does not exist. */
export async function pathsIn(folder: string): Promise<string[]> {
  return await filesBelow(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/**
 * Finds the policy id in an invalid policy file. Looks for a line that starts with `id:`, because `mandate policies push`
 * writes the id in such a line.
 */
function idIn(text: string): string | undefined {
  return /^\uFEFF?id:\s*["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})["']?\s*(?:#.*)?$/im
    .exec(text)?.[1]
    ?.toLowerCase()
}
