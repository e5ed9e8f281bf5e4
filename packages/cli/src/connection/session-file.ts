import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { makeFolder } from '@mandate/edge/state/make-folder'
import type { SessionTokens } from '@mandate/sdk/session'
import { Failure } from '../invocation/failure.ts'

/** The session of one user at one control plane. */
export interface StoredSession extends SessionTokens {
  email: string
}

/** Sessions by the URL of their control plane. `current` is the URL in use. */
export interface SessionFile {
  current?: string
  sessions: Record<string, StoredSession>
}

const fileIn = (configDir: string) => join(configDir, 'sessions.json')

/** @throws Failure if the file exists but cannot be read or parsed */
export async function readSessions(configDir: string): Promise<SessionFile> {
  const file = fileIn(configDir)
  try {
    const { current, sessions } = JSON.parse(await readFile(file, 'utf8')) as SessionFile
    return { ...(current !== undefined && { current }), sessions: { ...sessions } }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { sessions: {} }
    throw new Failure(`cannot read ${file}: ${(error as Error).message}`, {
      hint: `delete ${file}, then run \`mandate login\``,
    })
  }
}

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
