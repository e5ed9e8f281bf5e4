import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@mandate/contract/fields/is-record'
import { fileFault } from '@mandate/edge/file-fault'
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

export const fileIn = (configDir: string) => join(configDir, 'sessions.json')

/** @throws Failure if the file exists but cannot be read or parsed */
export async function readSessions(configDir: string): Promise<SessionFile> {
  const file = fileIn(configDir)
  try {
    const stored: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (!isSessionFile(stored)) throw new Error('another shape')
    const { current, sessions } = stored
    return { ...(current !== undefined && { current }), sessions: { ...sessions } }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { sessions: {} }
    throw new Failure(`cannot read ${file}: ${fileFault(error) ?? 'it is damaged'}`, {
      hint: `delete ${file}, then run \`mandate login\``,
    })
  }
}

function isSessionFile(value: unknown): value is SessionFile {
  if (!isRecord(value) || !isRecord(value.sessions)) return false
  if (value.current !== undefined && typeof value.current !== 'string') return false
  return Object.values(value.sessions).every(
    (session) =>
      isRecord(session) &&
      typeof session.email === 'string' &&
      typeof session.access_token === 'string' &&
      typeof session.refresh_token === 'string',
  )
}
