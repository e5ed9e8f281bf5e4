import { httpAddressFault } from '@mandate/edge/http-address'
import { type Client, createClient } from '@mandate/sdk/client'
import { apiKey, type Credential } from '@mandate/sdk/credential'
import type { RetryNotice } from '@mandate/sdk/send'
import { type Environment, readEnvironment } from '../invocation/environment.ts'
import { Failure, usageFailure } from '../invocation/failure.ts'
import { note } from '../output/note.ts'
import { fetchOverHttp } from './fetch-over-http.ts'
import { readSessions } from './session-file.ts'
import { storedCredential } from './stored-credential.ts'

export interface Connection {
  url: string
  client: Client
  credential: Credential
  /** The kind of credential that commands use. */
  via: 'api_key' | 'session'
}

/**
 * Connects to the control plane with `MANDATE_URL` and `MANDATE_API_KEY`, or otherwise with the session from `mandate login`.
 * @throws Failure if there is neither
 */
export async function connect(environment: Environment = readEnvironment()): Promise<Connection> {
  if (environment.apiKey !== undefined) {
    if (environment.url === undefined) {
      throw usageFailure(
        'MANDATE_API_KEY is set but MANDATE_URL is not',
        'set MANDATE_URL to the control plane of the key',
      )
    }
    return connection(environment.url, 'api_key', keyOf(environment.apiKey))
  }
  const { current, sessions } = await readSessions(environment.configDir)
  const url = environment.url === undefined ? current : normalized(environment.url)
  const stored = url === undefined ? undefined : sessions[url]
  if (url === undefined || !stored) {
    throw new Failure(`not signed in${url === undefined ? '' : ` at ${url}`}`, {
      hint: 'run `mandate login`, or set MANDATE_URL and MANDATE_API_KEY',
    })
  }
  return connection(url, 'session', storedCredential(environment.configDir, url, stored))
}

/** Connects with the session from `mandate login`. @throws Failure if an API key is set, because only people may call the operation */
export async function connectInPerson(): Promise<Connection> {
  const connected = await connect()
  if (connected.via === 'api_key')
    throw usageFailure('this command needs a session, not an API key', 'unset MANDATE_API_KEY and run `mandate login`')
  return connected
}

/** Returns the URL of the control plane that `connect` would use. The caller sends requests without a credential to it. */
export async function connectAnonymously(environment: Environment = readEnvironment()): Promise<{ url: string }> {
  const url = environment.url ?? (await readSessions(environment.configDir)).current
  if (url === undefined) throw usageFailure('no control plane is configured', 'set MANDATE_URL')
  return { url: normalized(url) }
}

/** Normalizes the control plane's URL, which is the key of a stored session. @throws Failure if it is not an http or https URL */
export function normalized(address: string): string {
  const fault = httpAddressFault(address)
  if (fault !== undefined) throw usageFailure(`${address} is not an http or https address`, `it ${fault}`)
  const parsed = new URL(address)
  if (parsed.username !== '' || parsed.password !== '')
    throw usageFailure('the address of the control plane must not contain a user or a password')
  return (parsed.origin + parsed.pathname).replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

/** Prints a note before a retry that waits a second or longer, so that a command does not seem to hang. */
export function noteRetry({ status, waitMs }: RetryNotice): void {
  if (waitMs < 1_000) return
  const why = status === 429 ? 'too many requests' : status === 0 ? 'no response' : `response status ${status}`
  note(`${why}; retrying in ${Math.ceil(waitMs / 1000)} s`)
}

function connection(url: string, via: Connection['via'], credential: Credential): Connection {
  const at = normalized(url)
  const client = createClient({ url: at, credential, onRetry: noteRetry, callFetch: fetchOverHttp })
  return { url: at, via, credential, client }
}

function keyOf(key: string): Credential {
  try {
    return apiKey(key.trim())
  } catch {
    throw usageFailure('MANDATE_API_KEY is not a valid key')
  }
}
