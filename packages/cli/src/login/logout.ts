import { createClient } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import { normalized } from '../connection/connect.ts'
import { changeSessions, readSessions } from '../connection/session-file.ts'
import { storedCredential } from '../connection/stored-credential.ts'
import { readEnvironment } from '../environment.ts'
import { Failure } from '../failure.ts'
import { note } from '../output/note.ts'

/** Ends the session at the control plane and forgets it here. It is forgotten even where the control plane cannot be told. */
export async function logout(): Promise<void> {
  const { configDir, url: given } = readEnvironment()
  const { current, sessions } = await readSessions(configDir)
  const url = given === undefined ? current : normalized(given)
  if (url === undefined || !sessions[url]) {
    note('Nobody is signed in.')
    return
  }
  const told = await endSession(configDir, url)
  await changeSessions(configDir, (file) => {
    delete file.sessions[url]
    if (file.current === url) delete file.current
  })
  note(`Signed out at ${url}`)
  if (!told) note('The control plane could not be told; the session there runs out by itself.')
}

async function endSession(configDir: string, url: string): Promise<boolean> {
  const stored = (await readSessions(configDir)).sessions[url]
  if (!stored) return true
  const client = createClient({ url, credential: storedCredential(configDir, url, stored), retry: { retries: 0 } })
  try {
    // Makes sure of a valid access token first: a refresh would replace the token that is to be ended.
    await client.call('getSession')
    const { refresh_token } = (await readSessions(configDir)).sessions[url] ?? stored
    await client.call('signOut', { body: { refresh_token } })
    return true
  } catch (error) {
    if (error instanceof Failure) return true
    if (error instanceof MandateError) return error.status === 401
    throw error
  }
}
