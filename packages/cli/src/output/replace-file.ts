import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathOf } from '../invocation/invocation.ts'

type Content = string | AsyncIterable<Uint8Array>

/**
 * Writes a whole file. Keeps the links to the file, its mode and its owner. The write is atomic, except if another file cannot take the place of
 * the file: if it is a device or a pipe, such as /dev/stdout, if a link leads to a file that does not exist, or if the file has several hard links.
 * @param mode the mode of a new file
 */
export async function replaceFile(path: string, content: Content, mode = 0o666): Promise<void> {
  const whole = await realpath(pathOf(path)).catch(() => pathOf(path))
  const old = (await stat(whole).catch(absent)) ?? (await lstat(whole).catch(absent))
  const write = async (to: string, flag: 'w' | 'wx') => {
    await writeFile(to, content, { flag, mode }).catch((error) => {
      throw Object.assign(error, { path })
    })
  }
  if (old && (!old.isFile() || old.nlink > 1)) return await write(whole, 'w')
  const temporary = join(dirname(whole), `.${randomBytes(8).toString('hex')}.tmp`)
  try {
    await write(temporary, 'wx')
    if (old) {
      // Only root can give a file away. The mode is set last, because a change of the owner clears bits of the mode.
      await chown(temporary, old.uid, old.gid).catch(() => {})
      await chmod(temporary, old.mode & 0o7777)
    }
    await rename(temporary, whole)
  } finally {
    await rm(temporary, { force: true })
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
