import { createClient } from '@mandate/sdk/client'
import { isUnauthorized, MandateError } from '@mandate/sdk/mandate-error'
import { forgetSession } from '../connection/change-sessions.ts'
import { normalized } from '../connection/connect.ts'
import { readSessions } from '../connection/session-file.ts'
import { storedCredential } from '../connection/stored-credential.ts'
import { readEnvironment } from '../invocation/environment.ts'
import { Failure } from '../invocation/failure.ts'
import { note } from '../output/note.ts'

/** Ends the session at the control plane and deletes the stored session, even if the control plane cannot be reached. */
export async function logout(): Promise<void> {
  const { configDir, url: given } = readEnvironment()
  const { current, sessions } = await readSessions(configDir)
  const url = given === undefined ? current : normalized(given)
  if (url === undefined || !sessions[url]) {
    note('You are not signed in, so there is no session to end.')
    return
  }
  const ended = await endSession(configDir, url)
  await forgetSession(configDir, url)
  note(`Signed out of ${url}`)
  if (!ended) note('The control plane could not be reached; the session there stays valid until it expires.')
}

async function endSession(configDir: string, url: string): Promise<boolean> {
  const stored = (await readSessions(configDir)).sessions[url]
  if (!stored) return true
  const client = createClient({ url, credential: storedCredential(configDir, url, stored), retry: { retries: 0 } })
  try {
    // This call refreshes the session if needed. A refresh during `signOut` would replace the token that `signOut` revokes.
    await client.call('getSession')
    const { refresh_token } = (await readSessions(configDir)).sessions[url] ?? stored
    await client.call('signOut', { body: { refresh_token } })
    return true
  } catch (error) {
    if (error instanceof Failure) return true
    if (error instanceof MandateError) return isUnauthorized(error)
    throw error
  }
}
