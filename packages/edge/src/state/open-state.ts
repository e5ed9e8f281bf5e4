import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFault } from '../file-fault.ts'
import { lockFolder } from './lock-folder.ts'
import { privateFolder } from './private-files.ts'

/**
 * The folders of one running edge. Several edges may share a state folder. Each edge then has its own numbered subfolder,
 * called its seat.
 */
export interface EdgeState {
  /** The folder that all edges share: the pinned signing keys and the local tokens. */
  shared: string
  /** The folder of this process only: profiles, heartbeat number, spool. */
  seat: string
  /** Returns the folders of all other seats, in use or not. */
  others(): Promise<string[]>
  /** Returns the seats of edges that have ended. Each seat stays locked until it is released. */
  abandoned(onUnusable: (seat: string, error: Error) => void): Promise<AbandonedSeat[]>
  release(): void
}

/** The seat of an edge that has ended. It stays locked until it is released. */
export interface AbandonedSeat {
  seat: string
  spool: string
  release(): void
}

const mostSeats = 64

/**
 * Opens a state folder and locks the first seat (numbered subfolder) that no other edge uses.
 * @throws if all seats are in use or the folder cannot be written
 */
export async function openState(folder: string): Promise<EdgeState> {
  const shared = await privateFolder(folder).catch((error) => {
    const text = `the state folder ${folder} cannot be used: ${fileFault(error) ?? error.message}; set MANDATE_EDGE_STATE to a folder that you can write to`
    throw Object.assign(new Error(text), { code: error.code })
  })
  const seats = await privateFolder(join(shared, 'seats'))
  const unusable: Error[] = []
  for (let number = 1; number <= mostSeats; number++) {
    const seat = await privateFolder(join(seats, String(number)))
    const lock = lockIfUsable(seat, (_, error) => unusable.push(error))
    if (lock)
      return {
        shared,
        seat,
        others: () => otherSeats(seats, seat),
        abandoned: (onUnusable) => findAbandoned(seats, seat, onUnusable),
        release: lock.release,
      }
  }
  if (unusable[0]) throw unusable[0]
  throw new Error(
    `the state folder ${folder} is used by ${mostSeats} edges, which is the maximum: stop one of them, or use another folder`,
  )
}

async function otherSeats(seats: string, own: string): Promise<string[]> {
  const entries = await readdir(seats, { withFileTypes: true })
  // A seat (the folder of one edge) is always a subfolder. Other programs may create files here, such as the settings of a
  // file manager.
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(seats, name))
    .filter((seat) => seat !== own)
}

async function findAbandoned(
  seats: string,
  own: string,
  onUnusable: (seat: string, error: Error) => void,
): Promise<AbandonedSeat[]> {
  const found: AbandonedSeat[] = []
  for (const seat of await otherSeats(seats, own)) {
    const lock = lockIfUsable(seat, onUnusable)
    if (lock) found.push({ seat, spool: join(seat, 'spool'), release: lock.release })
  }
  return found
}

/** A seat whose lock cannot be used must not keep an edge from the other seats. */
function lockIfUsable(seat: string, onUnusable: (seat: string, error: Error) => void): ReturnType<typeof lockFolder> {
  try {
    return lockFolder(seat)
  } catch (error) {
    onUnusable(seat, error as Error)
    return null
  }
}
