import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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
    const { current, sessions } = JSON.parse(await readFile(file, 'utf8')) as SessionFile
    return { ...(current !== undefined && { current }), sessions: { ...sessions } }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { sessions: {} }
    throw new Failure(`cannot read ${file}: ${(error as Error).message}`, {
      hint: `delete ${file}, then run \`mandate login\``,
    })
  }
}
