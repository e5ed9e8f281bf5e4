import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileFault } from '@mandate/edge/file-fault'
import { lockFolder } from '@mandate/edge/state/lock-folder'
import { makeFolder } from '@mandate/edge/state/make-folder'
import { Failure } from '../invocation/failure.ts'
import { note } from '../output/note.ts'
import { fileIn, readSessions, type SessionFile } from './session-file.ts'

/** Removes the session at a control plane from the file. */
export async function forgetSession(configDir: string, url: string): Promise<void> {
  await changeSessions(configDir, (file) => {
    delete file.sessions[url]
    if (file.current === url) delete file.current
  })
}

/**
 * Changes the session file under a lock. Replaces the file atomically; only its owner can ever read it.
 * @returns what `change` returns
 */
export async function changeSessions<T>(
  configDir: string,
  change: (file: SessionFile) => Promise<T> | T,
  times: LockTimes = { noteAfterMs: 1000, limitMs: 60_000 },
): Promise<T> {
  const temporary = join(configDir, `.sessions-${randomBytes(6).toString('hex')}`)
  const release = await lock(configDir, times).catch((error) => refuseUnwritable(configDir, error))
  try {
    const file = await readSessions(configDir)
    const handle = await open(temporary, 'wx', 0o600)
    let result: T
    try {
      // Fails on a full disk before `change` uses a refresh token, which works only once.
      await handle.writeFile(' '.repeat(textOf(file).length + spareCharacters))
      await handle.sync()
      result = await change(file)
      const text = Buffer.from(textOf(file))
      await handle.write(text, 0, text.length, 0)
      await handle.truncate(text.length)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, fileIn(configDir))
    return result
  } finally {
    await rm(temporary, { force: true })
    await release()
  }
}

/** More than a change adds to the file. */
const spareCharacters = 4096

const textOf = (file: SessionFile) => `${JSON.stringify(file, null, 2)}\n`

export interface LockTimes {
  /** How long to wait before a message says what the command waits for. */
  noteAfterMs: number
  /** How long to wait at most. Longer than a refresh takes. */
  limitMs: number
}

/**
 * Waits for the lock of the folder. The operating system releases the lock of a process that ended, so neither a leftover file nor the
 * clock can block a command.
 * @throws Failure that names the process with the lock, after the limit
 */
async function lock(configDir: string, { noteAfterMs, limitMs }: LockTimes): Promise<() => Promise<void>> {
  await makeFolder(configDir, 0o700)
  const ownerFile = join(configDir, 'lock.pid')
  const start = performance.now()
  for (let noted = false; ; ) {
    const held = lockFolder(configDir)
    if (held) {
      // Only messages use this file.
      await writeFile(ownerFile, String(process.pid), { mode: 0o600 }).catch(() => {})
      return async () => {
        await rm(ownerFile, { force: true }).catch(() => {})
        held.release()
      }
    }
    const waitedMs = performance.now() - start
    if (waitedMs >= limitMs) {
      throw new Failure(`${await ownerOf(ownerFile)} did not finish with ${fileIn(configDir)}`, {
        hint: 'end that process, then try again',
      })
    }
    if (!noted && waitedMs >= noteAfterMs) {
      note(`waiting for ${await ownerOf(ownerFile)}, which changes ${fileIn(configDir)}`)
      noted = true
    }
    await pause(50)
  }
}

/** @throws Failure that says why the folder cannot be written, and what to do */
function refuseUnwritable(configDir: string, error: NodeJS.ErrnoException & { errcode?: number }): never {
  const why = error.errcode === readOnlyDatabase ? 'the folder is read-only' : fileFault(error)
  if (!why) throw error
  throw new Failure(`cannot store a session in ${configDir}: ${why}`, {
    hint: 'set MANDATE_CONFIG_DIR to a folder that you can write to, or use MANDATE_URL and MANDATE_API_KEY without a session',
  })
}

const readOnlyDatabase = 8

async function ownerOf(file: string): Promise<string> {
  const pid = await readFile(file, 'utf8').catch(() => '')
  return /^\d{1,10}$/.test(pid) ? `the mandate command with process id ${pid}` : 'another mandate command'
}
