import { randomBytes } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { chmod, chown, lstat, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathOf } from '../invocation/invocation.ts'

type Content = string | AsyncIterable<Uint8Array>

/**
 * Writes a whole file. Keeps the links to the file, its mode, its owner and its group. The write is atomic, except if another file cannot take
 * the place of the file. Then the file itself is written: if it is a device or a pipe, such as /dev/stdout, if a link leads to a file that does
 * not exist, if the file has several hard links, if it is mounted, if its folder is not writable, or if another file cannot get its owner and group.
 * @param mode the mode of a new file
 */
export async function replaceFile(path: string, content: Content, mode = 0o666): Promise<void> {
  const whole = await realpath(pathOf(path)).catch(() => pathOf(path))
  const old = (await stat(whole).catch(absent)) ?? (await lstat(whole).catch(absent))
  const write = async (to: string, written = content) => {
    await writeFile(to, written, { mode }).catch((error) => {
      throw Object.assign(error, { path })
    })
  }
  if (old && (!old.isFile() || old.nlink > 1)) return await write(whole)
  const temporary = join(dirname(whole), `.${randomBytes(8).toString('hex')}.tmp`)
  /** Returns false if the file exists and another file must not be next to it or in its place. */
  const isAllowed = (error: NodeJS.ErrnoException) => {
    if (!old || !refusals.has(error.code ?? '')) throw Object.assign(error, { path })
    return false
  }
  if (!(await openOnce(temporary, 'wx', mode).catch(isAllowed))) return await write(whole)
  try {
    await write(temporary)
    const mayReplace = !old || (await giveTo(temporary, old)) || !(await openOnce(whole, 'a').catch(() => false))
    if (mayReplace && (await rename(temporary, whole).then(() => true, isAllowed))) return
    await write(whole, createReadStream(temporary))
  } finally {
    await rm(temporary, { force: true })
  }
}

const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'])

/** Gives a file the owner, the group and the mode of another file. @returns false if only root can give the file away */
async function giveTo(path: string, { uid, gid, mode }: Stats): Promise<boolean> {
  // A member of the group can set the group alone.
  await chown(path, uid, gid)
    .catch(() => chown(path, -1, gid))
    .catch(() => {})
  // The mode is set last, because a change of the owner clears bits of the mode.
  await chmod(path, mode & 0o7777)
  const given = await stat(path)
  return given.uid === uid && given.gid === gid
}

const openOnce = async (path: string, flag: 'wx' | 'a', mode?: number): Promise<true> => {
  await (await open(path, flag, mode)).close()
  return true
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
