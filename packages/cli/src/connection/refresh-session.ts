import { createClient } from '@mandate/sdk/client'
import { isUnauthorized } from '@mandate/sdk/mandate-error'
import { tokensOf } from '@mandate/sdk/session'
import { Failure } from '../invocation/failure.ts'
import { changeSessions } from './change-sessions.ts'
import { fetchOverHttp } from './fetch-over-http.ts'
import type { StoredSession } from './session-file.ts'

/**
 * Replaces the access token `refused` in the session file. A refresh token works only once, so commands that run at the same time refresh
 * one after the other. The second command finds the new tokens in the file.
 */
export function refreshSession(configDir: string, url: string, refused: string): Promise<StoredSession> {
  return changeSessions(configDir, async ({ sessions }) => {
    const kept = sessions[url]
    if (!kept) throw signedOut(url)
    if (kept.access_token !== refused) return kept
    const next = { ...kept, ...(await refreshed(url, kept.refresh_token)) }
    sessions[url] = next
    return next
  })
}

async function refreshed(url: string, refresh_token: string) {
  try {
    // This request has a short timeout and no retries, because other commands wait for the lock of the session file.
    const client = createClient({ url, retry: { retries: 0 }, timeoutMs: 20_000, callFetch: fetchOverHttp })
    return tokensOf((await client.call('refresh', { body: { refresh_token } })).session)
  } catch (error) {
    if (isUnauthorized(error)) throw signedOut(url)
    throw error
  }
}

function signedOut(url: string): Failure {
  return new Failure(`the session at ${url} has ended`, { hint: 'sign in again: mandate login' })
}
