import { isUtf8 } from 'node:buffer'
import { lstat, readFile } from 'node:fs/promises'
import { fileFault } from '@mandate/edge/file-fault'
import { Failure } from './failure.ts'
import { pathOf } from './invocation.ts'

/** Reads a text file, without the byte order mark that some editors write. @throws Failure if the file cannot be read or is not in UTF-8 */
export async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(pathOf(path)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new Failure(`cannot read ${path}: ${fileFault(error) ?? error.message}`)
    const isLink = await lstat(pathOf(path)).then(
      () => true,
      () => false,
    )
    throw new Failure(isLink ? `${path} is a link to a file that does not exist` : `file not found: ${path}`)
  })
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder().decode(bytes)
  throw new Failure(`${path}:${lineOfOther(bytes)}: the file is not text in UTF-8; save it with this encoding`)
}

/** The first line that is not text in UTF-8. */
function lineOfOther(bytes: Buffer): number {
  let line = 1
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf('\n', start)
    const part = bytes.subarray(start, end < 0 ? bytes.length : end)
    if (!isUtf8(part) || part.includes(0) || end < 0) return line
    start = end + 1
  }
  return line
}
