import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder } from '@mandate/embedded-postgres/make-folder'

/**
 * Writes a message into `mail/` of the data folder and returns the file's path. File names sort by time and contain the address:
 * `20260131T235959123Z-someone@example.com-1a2b.eml`. Only the owner can read the files, because their links are secrets.
 */
export async function writeMailFile(dataDir: string, to: string, text: string): Promise<string> {
  const folder = join(resolve(dataDir), 'mail')
  await makeFolder(folder, 0o700)
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  const address = to.replaceAll(/[^\p{L}\p{N}@._+-]/gu, '_').slice(0, 60)
  const file = join(folder, `${time}-${address}-${randomBytes(2).toString('hex')}.eml`)
  // The file is first written under another name. A program that watches the folder therefore only sees complete messages.
  const draft = `${file}.part`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
  return file
}
