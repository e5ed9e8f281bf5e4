import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a folder for this process alone; null when another holds it. The lock is the operating system's, taken through an
 * open SQLite transaction: it ends with the process, however that ends, so none is ever left behind.
 */
export function lockFolder(folder: string): { release(): void } | null {
  const lock = new DatabaseSync(join(folder, 'lock'))
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === busy) return null
    throw error
  }
  return { release: () => lock.close() }
}

const busy = 5
