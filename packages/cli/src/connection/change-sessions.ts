import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder } from '@mandate/edge/state/make-folder'
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
export async function changeSessions<T>(configDir: string, change: (file: SessionFile) => Promise<T> | T): Promise<T> {
  await makeFolder(configDir, 0o700)
  const release = await lock(join(configDir, 'sessions.lock'))
  try {
    const file = await readSessions(configDir)
    const result = await change(file)
    const temporary = join(configDir, `.sessions-${randomBytes(6).toString('hex')}`)
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, fileIn(configDir))
    return result
  } finally {
    await release()
  }
}

// How old a lock file must be to count as stale. No refresh takes this long, so the command that created the file has died.
const staleMs = 60_000

async function lock(file: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await (await open(file, 'wx', 0o600)).close()
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > staleMs) await rm(file, { force: true })
    else await pause(50)
  }
}
