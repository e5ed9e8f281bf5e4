import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileFault } from '../file-fault.ts'

/**
 * Locks a folder for this process. Returns null if another process holds the lock. The lock is an open SQLite transaction.
 * The operating system releases it when the process ends, so no stale lock can remain.
 * @throws Error that names the file of the lock if it is no file, or is damaged
 */
export function lockFolder(folder: string): { release(): void } | null {
  const file = join(folder, 'lock')
  try {
    makePrivate(file)
  } catch (error) {
    if (!['EISDIR', 'ELOOP'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    throw new Error(
      `cannot lock the folder ${folder}: ${file} cannot be opened, because ${fileFault(error)}; delete it`,
    )
  }
  const lock = new DatabaseSync(file)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === busy) return null
    if ([notDatabase, corrupt].includes(Number((error as { errcode?: number }).errcode)))
      throw new Error(`cannot lock the folder ${folder}: the file ${file} is damaged; delete it`)
    throw error
  }
  return { release: () => lock.close() }
}

/** Creates the file before SQLite does. SQLite would make the file readable by everyone. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

// Codes of SQLite.
const busy = 5
const corrupt = 11
const notDatabase = 26
