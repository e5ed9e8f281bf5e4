import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { layoutOf } from './layout.ts'
import { makeFolder } from './make-folder.ts'
import { processStart } from './process-identity.ts'

const heartbeatMs = 1000
const foreignWatchMs = 4 * heartbeatMs
const contentionLimitMs = 10_000

/**
 * Thrown if another live process owns the data folder. `pid` is the id of that process. The data folder was not changed.
 */
export class EmbeddedInUse extends Error {
  override readonly name = 'EmbeddedInUse'
  readonly pid: number
  readonly dataDir: string

  constructor(pid: number, dataDir: string) {
    super(
      `The embedded database in ${dataDir} is in use by process ${pid}. ` +
        'Stop that process first, or choose another data folder.',
    )
    this.pid = pid
    this.dataDir = dataDir
  }
}

/** A lock on a data folder. `release` may be called twice. */
export type OwnerLock = { release(): Promise<void> }

/**
 * Makes this process the only owner of `dataDir`.
 *
 * Every process first creates a claim file with its own name, and then looks for claim files of other processes. If two
 * processes race, at least one of them sees the other's claim. A claim is removed only by its own process, or after that
 * process has died. Two processes can therefore never both own the folder. A single lock file could not guarantee this, because
 * two processes could take over a stale lock at the same time.
 * @throws EmbeddedInUse
 */
export async function lockDataDir(dataDir: string): Promise<OwnerLock> {
  const folder = layoutOf(dataDir).lock
  await makeFolder(folder, 0o700)
  const me = ownName()
  const deadline = Date.now() + contentionLimitMs
  for (;;) {
    await announce(folder, me, dataDir)
    const rival = await findRival(folder, me).catch(async (error: unknown) => {
      await withdraw(folder, me)
      throw error
    })
    if (!rival) return hold(folder, me)
    await withdraw(folder, me)
    if (rival.owns || Date.now() > deadline) throw new EmbeddedInUse(rival.pid, dataDir)
    await pause(10 + Math.random() * 60)
  }
}

async function announce(folder: string, me: string, dataDir: string): Promise<void> {
  try {
    await writeFile(join(folder, `${me}.claim`), '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new EmbeddedInUse(process.pid, dataDir)
    throw error
  }
}

async function withdraw(folder: string, me: string): Promise<void> {
  for (const suffix of ['owner', 'claim']) await rm(join(folder, `${me}.${suffix}`), { force: true, recursive: true })
}

async function hold(folder: string, me: string): Promise<OwnerLock> {
  await writeFile(join(folder, `${me}.owner`), '', { mode: 0o600 })
  const beat = setInterval(() => {
    const now = new Date()
    utimes(join(folder, `${me}.claim`), now, now).catch(() => {})
  }, heartbeatMs)
  beat.unref()
  return {
    async release() {
      clearInterval(beat)
      await withdraw(folder, me)
    },
  }
}

async function findRival(folder: string, me: string): Promise<{ pid: number; owns: boolean } | null> {
  const names = await readdir(folder)
  for (const name of names) {
    const [claim, suffix] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.'))]
    if (suffix !== '.claim' || claim === me) continue
    if (await isLive(folder, claim)) {
      return { pid: Number.parseInt(claim, 10), owns: names.includes(`${claim}.owner`) }
    }
    await withdraw(folder, claim)
  }
  return null
}

async function isLive(folder: string, claim: string): Promise<boolean> {
  const [pid, started, where] = claim.split('-')
  if (where === machineMark()) {
    const now = processStart(Number(pid))
    return now !== null && (now === 'unknown' || started === 'unknown' || now === started)
  }
  // A process of another container or machine cannot be looked up here. It is alive if the modification time of its claim file
  // changes.
  const before = await beatOf(folder, claim)
  if (before === null) return false
  await pause(foreignWatchMs)
  const after = await beatOf(folder, claim)
  return after !== null && after !== before
}

async function beatOf(folder: string, claim: string): Promise<number | null> {
  return stat(join(folder, `${claim}.claim`)).then(
    (found) => found.mtimeMs,
    () => null,
  )
}

function ownName(): string {
  return `${process.pid}-${processStart(process.pid)}-${machineMark()}`
}

/**
 * Returns a mark for the combination of machine, boot and container. Among processes with the same mark, each pid belongs to
 * only one process.
 */
function machineMark(): string {
  const parts = [hostname()]
  if (process.platform === 'linux') {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), readlinkSync('/proc/self/ns/pid'))
  }
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)
}
