import { readFile } from 'node:fs/promises'
import { isUuid } from '@mandate/contract/fields/is-uuid'
import { isMap } from 'yaml'
import { Failure } from '../../invocation/failure.ts'
import { pathOf } from '../../invocation/invocation.ts'
import { parseYaml } from './parse-yaml.ts'
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
    const bytes = await readFile(pathOf(path)).catch(() => {
      throw error
    })
    return { path, id: idIn(decode(bytes)), file: undefined, fault: error.message }
  }
}

/** The paths of the policy files in a folder and its subfolders. Returns an empty list if the folder does not exist. */
export async function pathsIn(folder: string): Promise<string[]> {
  return await filesBelow(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** Decodes a file. Windows PowerShell writes UTF-16, with a byte order mark. */
function decode(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex')
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8').decode(bytes)
}

/**
 * Finds the policy id in an invalid policy file. If the parser could not read the id, searches for a line that starts with `id:`, or for an id as
 * the first field of a JSON object. Rules have ids too, but their lines are indented.
 */
function idIn(text: string): string | undefined {
  const root = parseYaml(text).tree.contents
  const read: unknown = isMap(root) ? root.get('id') : undefined
  const found = typeof read === 'string' && isUuid(read) ? read : writtenId.exec(text)?.[1]
  return found?.toLowerCase()
}

const writtenId =
  /(?:^|(?<![\s\S])\s*\{\s*)["']?id["']?\s*:\s*(?:!\S*\s+)?["']?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/im
