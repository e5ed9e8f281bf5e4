import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { labelPattern } from '@mandate/contract/words/policy-words'
import { z } from 'zod'
import type { Clock } from '../carry/freshness.ts'
import { makePrivateFolder } from '../state/make-folder.ts'
import { privateFolder, readJsonFile, replaceFile } from '../state/private-files.ts'
import type { SharedClock } from '../state/shared-clock.ts'

/** A session that no call used for this long has ended. */
export const sessionLifeMs = 24 * 60 * 60_000
/** How often the time of the last call is written at most. */
const touchMs = 60_000
/** How often sessions that have ended are deleted at most. */
const cleanUpMs = 60 * 60_000
const keyPattern = /^[A-Za-z0-9._-]{1,200}$/
/** Maximum number of labels of a session. */
export const mostLabels = 50
/** Maximum number of sessions of an agent that callers separate by `session_id`. */
const mostSessionsOfAgent = 10_000
const lastCall = '.last-call'
/** Both have a character for each call. The larger one counts, so that a file that a crash has cut lowers no count. */
const callCounts = ['.calls', '.calls-again']
/** A folder that was changed this shortly ago may change again without a new time. */
const coarseMs = 100
/** A smaller change of the wall clock is no jump. */
const smallestJumpMs = 1000

/** Thrown if a session would have more labels than it can have. A label that is left out would open rules that ask for it. */
export class TooManyLabels extends Error {
  override readonly name = 'TooManyLabels'

  constructor() {
    super(`a session has at most ${mostLabels} labels`)
  }
}

export interface SessionOptions {
  clock: Clock
  /** Without it, a wall clock that was set ahead ends sessions at the next start of an edge. The time in which the machine sleeps does not count. */
  sharedClock?: SharedClock | null
  /** Whether labels and counts are forced to the disk, so that a power failure loses none. */
  isSynced?: boolean
  mostSessions?: number
}

interface Known {
  labels: ReadonlySet<string>
  /** The time of the folder when the labels were read. Another process may have added labels since then. */
  folderMs: number
  readMs: number
  touchedMs: number
}

/**
 * The labels of sessions and the numbers of their calls, on disk for as long as a session lives. All edges of one state folder share
 * them. A label is an empty file in the folder of its session, and the number of calls is the size of a file. So several processes can
 * write at the same time, and a restart loses nothing. The names of the folders are keys of sessions (`sessionKey`).
 */
export class Sessions {
  private readonly folder: string
  private readonly clock: Clock
  private readonly isSynced: boolean
  private readonly mostSessions: number
  /** Wall clock time minus monotonic time at the start. */
  private readonly offsetMs: number
  private readonly known = new Map<string, Known>()
  /** The largest number of calls that was seen of a session, with the folder that it was in. */
  private readonly counted = new Map<string, { inode: number; calls: number }>()
  /** How many sessions each agent has that a `session_id` separates. */
  private separated: Map<string, number>
  private cleanedMs: number

  private constructor(
    folder: string,
    names: readonly string[],
    { clock, isSynced = false, mostSessions = mostSessionsOfAgent }: SessionOptions,
  ) {
    const { wallMs, monotonicMs } = clock()
    this.folder = folder
    this.clock = clock
    this.isSynced = isSynced
    this.mostSessions = mostSessions
    this.offsetMs = wallMs - monotonicMs
    this.cleanedMs = monotonicMs
    this.separated = separatedOf(names)
  }

  /** Opens the store in the folder that the edges share, and deletes sessions that have ended. */
  static async open(shared: string, options: SessionOptions): Promise<Sessions> {
    const folder = await privateFolder(join(shared, 'sessions'))
    const { wallMs } = options.clock()
    if (options.sharedClock) await followClock(join(shared, 'sessions-clock.json'), folder, wallMs, options.sharedClock)
    const names = await deleteEnded(folder, (touchedMs) => wallMs - touchedMs > sessionLifeMs)
    return new Sessions(folder, names, options)
  }

  /**
   * Returns the key of the session that a call belongs to: `key`, or that of the agent if the agent has too many sessions. The session of the
   * agent then gets the labels and the calls of all of them.
   */
  resolve(agentId: string, key: string): string {
    if (key === agentId || (this.separated.get(agentId) ?? 0) < this.mostSessions) return key
    return modifiedMs(this.folderOf(key)) === null ? agentId : key
  }

  /** Returns the labels of a session, and notes that a call uses it. */
  use(key: string): ReadonlySet<string> {
    const known = this.read(key)
    if (known === null) return none
    if (Math.abs(this.now() - known.touchedMs) > touchMs) this.touch(key)
    return known.labels
  }

  /** Returns the labels of a session. */
  labels(key: string): ReadonlySet<string> {
    return this.read(key)?.labels ?? none
  }

  /** Returns how many calls of a session were counted. */
  calls(key: string): number {
    if (this.read(key) === null) return 0
    const folder = this.folderOf(key)
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino ?? 0
    const sizes = callCounts.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    const before = this.counted.get(key)
    const calls = Math.max(...sizes, before?.inode === inode ? before.calls : 0)
    if (calls > 0) this.remember(key, { inode, calls })
    return calls
  }

  /**
   * Gives labels to a session. They are on disk when this returns.
   * @throws TooManyLabels if the session would have more than `mostLabels`. It then gets none of them
   */
  add(key: string, labels: Iterable<string>): void {
    const given = [...labels].filter((label) => labelPattern.test(label))
    if (given.length === 0) return
    const has = this.labels(key)
    const wanted = given.filter((label) => !has.has(label))
    if (wanted.length === 0) return
    if (has.size + new Set(wanted).size > mostLabels) throw new TooManyLabels()
    const folder = this.begin(key)
    for (const label of wanted) writeFileSync(join(folder, label), '', { mode: 0o600 })
    this.touch(key)
    if (this.isSynced) syncFolder(folder)
    this.known.delete(key)
  }

  /** Counts a call of a session. The count is on disk when this returns. */
  count(key: string): void {
    const folder = this.begin(key)
    const isFirst = this.isSynced && modifiedMs(join(folder, callCounts[1] as string)) === null
    for (const name of callCounts) {
      const file = openSync(join(folder, name), 'a', 0o600)
      try {
        writeSync(file, '.')
        if (this.isSynced) fsyncSync(file)
      } finally {
        closeSync(file)
      }
    }
    this.touch(key)
    if (isFirst) syncFolder(folder)
  }

  /** Makes the folder of a session. If the last session of this key has ended, its folder is put aside. */
  private begin(key: string): string {
    const folder = this.folderOf(key)
    const touchedMs = touchedAt(folder)
    if (touchedMs !== null && this.hasEnded(touchedMs)) {
      putAside(folder, touchedMs)
      this.known.delete(key)
    }
    if (makePrivateFolder(folder)) {
      if (this.isSynced) syncFolder(this.folder)
      const agentId = agentOf(key)
      if (agentId !== null) this.separated.set(agentId, (this.separated.get(agentId) ?? 0) + 1)
      this.touch(key)
      this.cleanUp()
    }
    return folder
  }

  private now(): number {
    return this.clock().wallMs
  }

  /**
   * Whether a session has ended that a call used last at this time. Both clocks must say so: a wall clock that jumps ahead ends no session of a
   * running edge.
   */
  private hasEnded(touchedMs: number): boolean {
    const { wallMs, monotonicMs } = this.clock()
    return Math.min(wallMs, monotonicMs + this.offsetMs) - touchedMs > sessionLifeMs
  }

  private remember(key: string, seen: { inode: number; calls: number }): void {
    if (this.counted.size >= mostKnown) this.counted.clear()
    this.counted.set(key, seen)
  }

  private read(key: string): Known | null {
    const folder = this.folderOf(key)
    const folderMs = modifiedMs(folder)
    if (folderMs === null) return null
    const known = this.known.get(key)
    const isSame = known?.folderMs === folderMs && known.readMs - folderMs > coarseMs
    if (isSame && !this.hasEnded(known.touchedMs)) return known
    const readMs = Date.now()
    const touchedMs = touchedAt(folder) ?? folderMs
    if (this.hasEnded(touchedMs)) return null
    const labels = new Set(namesIn(folder).filter((name) => labelPattern.test(name)))
    const found = { labels, folderMs, readMs, touchedMs }
    if (this.known.size >= mostKnown) this.known.clear()
    this.known.set(key, found)
    return found
  }

  private touch(key: string): void {
    const now = this.now()
    const file = join(this.folderOf(key), lastCall)
    try {
      utimesSync(file, now / 1000, now / 1000)
    } catch {
      writeFileSync(file, '', { mode: 0o600 })
      utimesSync(file, now / 1000, now / 1000)
    }
    const known = this.known.get(key)
    if (known) known.touchedMs = now
  }

  private cleanUp(): void {
    const { monotonicMs } = this.clock()
    if (monotonicMs - this.cleanedMs < cleanUpMs) return
    this.cleanedMs = monotonicMs
    // A failure leaves folders that are read as ended.
    deleteEnded(this.folder, (touchedMs) => this.hasEnded(touchedMs)).then(
      (names) => {
        this.separated = separatedOf(names)
      },
      () => {},
    )
  }

  private folderOf(key: string): string {
    if (!keyPattern.test(key)) throw new TypeError(`${JSON.stringify(key)} is not a key of a session`)
    return join(this.folder, key)
  }
}

const none: ReadonlySet<string> = new Set()
const mostKnown = 10_000

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function modifiedMs(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
}

/** Returns when a call last used the session of a folder. Null if there is no such folder. */
function touchedAt(folder: string): number | null {
  return modifiedMs(join(folder, lastCall)) ?? modifiedMs(folder)
}

const asideMark = '~'

/**
 * Renames the folder of a session that has ended. The name contains the time of the last call. So if two processes do this at once, the
 * second rename fails, and leaves the new session of the first process in place.
 */
function putAside(folder: string, touchedMs: number): void {
  try {
    renameSync(folder, `${folder}${asideMark}${Math.floor(touchedMs)}`)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Puts ended sessions aside, and deletes those that are aside for an hour. Returns the keys of the others. */
async function deleteEnded(folder: string, hasEnded: (touchedMs: number) => boolean): Promise<string[]> {
  const live: string[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.includes(asideMark)) {
      const aside = await stat(path).catch(() => null)
      if (aside && Date.now() - aside.ctimeMs > cleanUpMs) await rm(path, { recursive: true, force: true })
      continue
    }
    const touchedMs = touchedAt(path)
    if (touchedMs !== null && hasEnded(touchedMs)) putAside(path, touchedMs)
    else live.push(name)
  }
  return live
}

const LastStart = z.object({ boot: z.string(), offset_ms: z.number() })

/**
 * If the wall clock was set since the last start of an edge, moves the times of the last calls by the same amount. Otherwise live sessions would seem
 * to have ended, or ended sessions would live on. `file` has the wall clock time at which the machine started, as the last start of an edge saw it.
 * Only times since then were written by the earlier wall clock, so only these are moved.
 */
async function followClock(file: string, folder: string, wallMs: number, { boot, ms }: SharedClock): Promise<void> {
  const offsetMs = Math.round(wallMs - ms())
  const { data: before } = LastStart.safeParse(await readJsonFile(file))
  const fromMs = before?.boot === boot ? before.offset_ms : offsetMs
  const jumpMs = offsetMs - fromMs
  for (const name of Math.abs(jumpMs) > smallestJumpMs ? await readdir(folder) : []) {
    const last = join(folder, name, lastCall)
    const touchedMs = modifiedMs(last)
    if (touchedMs === null || touchedMs < fromMs || touchedMs > fromMs + ms()) continue
    // A running edge may have written this time by the clock that was set back.
    if (jumpMs < 0 && touchedMs <= wallMs) continue
    // Another edge may put the session aside meanwhile.
    await utimes(last, (touchedMs + jumpMs) / 1000, (touchedMs + jumpMs) / 1000).catch(() => {})
  }
  await replaceFile(file, JSON.stringify({ boot, offset_ms: offsetMs }))
}

/** Returns the agent of a session that a `session_id` separates. Null for the session of an agent. */
function agentOf(key: string): string | null {
  const at = key.indexOf('.')
  return at < 0 ? null : key.slice(0, at)
}

function separatedOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const agentId of keys.map(agentOf)) if (agentId !== null) counts.set(agentId, (counts.get(agentId) ?? 0) + 1)
  return counts
}

/** Forces the names in a folder to the disk. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
