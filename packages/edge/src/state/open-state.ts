import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock-folder.ts'
import { privateFolder } from './private-files.ts'

/** The folders of one running edge. Several edges may share a state folder. Each has its own seat in it. */
export interface EdgeState {
  /** Shared by all edges of the state folder: the pinned signing keys and the local tokens. */
  shared: string
  /** Used by this process only: profiles, sequence number, spool. */
  seat: string
  /** The spools of free seats. Each stays locked until it is released. */
  abandoned(): Promise<{ spool: string; release(): void }[]>
  release(): void
}

const mostSeats = 64

/** Opens a state folder and takes its first free seat. @throws if all seats are taken or the folder cannot be written */
export async function openState(folder: string): Promise<EdgeState> {
  const shared = await privateFolder(folder)
  const seats = await privateFolder(join(shared, 'seats'))
  for (let number = 1; number <= mostSeats; number++) {
    const seat = await privateFolder(join(seats, String(number)))
    const lock = lockFolder(seat)
    if (lock) return { shared, seat, abandoned: () => findAbandoned(seats, seat), release: lock.release }
  }
  throw new Error(`${mostSeats} edges already run on the state folder ${folder}`)
}

async function findAbandoned(seats: string, own: string): Promise<{ spool: string; release(): void }[]> {
  const found: { spool: string; release(): void }[] = []
  for (const entry of await readdir(seats, { withFileTypes: true })) {
    const seat = join(seats, entry.name)
    // Other programs leave files here, for example the settings of a file manager.
    if (seat === own || !entry.isDirectory()) continue
    const lock = lockFolder(seat)
    if (lock) found.push({ spool: join(seat, 'spool'), release: lock.release })
  }
  return found
}
