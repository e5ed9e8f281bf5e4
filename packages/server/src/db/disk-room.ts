import { statfs } from 'node:fs/promises'

// PostgreSQL writes its write-ahead log in files of 16 MiB. It stops if it cannot create the next file.
const leastBytes = 17 * 1024 * 1024
const rememberedMs = 1_000

/** The free space of the disk that holds the embedded database. */
export interface DiskRoom {
  /**
   * Number of bytes that PostgreSQL can still use. Null if the database is not embedded, or if its folder cannot be read.
   */
  freeBytes(): Promise<number | null>
  /** True if there is too little space for PostgreSQL to continue. False if the space is unknown. */
  isFull(): Promise<boolean>
}

/**
 * Returns a reader of the free space on the file system of `folder`. It reads the disk at most once a second. Without a folder,
 * the free space is unknown.
 */
export function createDiskRoom(folder: string | undefined): DiskRoom {
  let known: { at: number; free: Promise<number | null> } | undefined
  const freeBytes = (): Promise<number | null> => {
    if (folder === undefined) return Promise.resolve(null)
    if (!known || performance.now() - known.at > rememberedMs) known = { at: performance.now(), free: readFree(folder) }
    return known.free
  }
  return {
    freeBytes,
    async isFull() {
      const free = await freeBytes()
      return free !== null && free < leastBytes
    },
  }
}

async function readFree(folder: string): Promise<number | null> {
  return await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
}
