import { chmodSync, closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a folder for this process alone; null when another holds it. The lock is the operating system's, taken through an
 * open SQLite transaction: it ends with the process, however that ends, so none is ever left behind.
 */
export function lockFolder(folder: string): { release(): void } | null {
  const file = join(folder, 'lock')
  makePrivate(file)
  const lock = new DatabaseSync(file)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === busy) return null
    throw error
  }
  return { release: () => lock.close() }
}

/** SQLite would make it readable by everyone. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

const busy = 5
