import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from './lock-folder.ts'
import { privateFolder } from './private-files.ts'

/** The folders of one running edge. Several may share a state folder: each takes a seat of its own in it. */
export interface EdgeState {
  /** Shared by all edges of the state folder: the pinned signing key, the local tokens. */
  shared: string
  /** This process's own: profiles, sequence number, spool. */
  seat: string
  /** Spools of seats that nobody sits on, each held until released. */
  abandoned(): Promise<{ spool: string; release(): void }[]>
  release(): void
}

const mostSeats = 64

/** Opens a state folder, taking its first free seat. @throws when all are taken or it cannot be written */
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
    // Other programs leave files behind, such as a file manager its settings.
    if (seat === own || !entry.isDirectory()) continue
    const lock = lockFolder(seat)
    if (lock) found.push({ spool: join(seat, 'spool'), release: lock.release })
  }
  return found
}
