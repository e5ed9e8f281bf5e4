import { statfs } from 'node:fs/promises'

// PostgreSQL writes its log in segments of 16 MiB and stops when it cannot make the next one.
const leastBytes = 17 * 1024 * 1024
const rememberedMs = 1_000

/** The free space of the disk that holds the embedded database. */
export interface DiskRoom {
  /** Bytes that PostgreSQL can still use; null if the database is not embedded, or its folder cannot be read. */
  freeBytes(): Promise<number | null>
  /** Whether there is too little for PostgreSQL to go on; false if that is not known. */
  isFull(): Promise<boolean>
}

/** Looks at the file system of `folder` once a second at most; without a folder nothing is known. */
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
