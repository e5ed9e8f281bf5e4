import { text } from 'node:stream/consumers'
import { type Client, createClient } from '@mandate/sdk/client'
import { isUnauthorized, MandateError } from '@mandate/sdk/mandate-error'
import type { Answer } from '@mandate/sdk/operation'
import { tokensOf } from '@mandate/sdk/session'
import { changeSessions } from '../connection/change-sessions.ts'
import { normalized, noteRetry } from '../connection/connect.ts'
import { readEnvironment } from '../invocation/environment.ts'
import { Failure } from '../invocation/failure.ts'
import { invocation } from '../invocation/invocation.ts'
import { ask, askSecret } from '../output/ask.ts'
import { note } from '../output/note.ts'
import { roleText } from '../output/role-text.ts'
import { tokenOf } from './account-commands.ts'

export interface LoginOptions {
  url?: string
  email?: string
  passwordStdin?: boolean
  otp?: string
  mailToken?: string
}

const localUrl = 'http://127.0.0.1:8080'
const passwordHint = 'give the password on standard input with --password-stdin'
const otpHint = 'give the one-time password with --otp'

/** Signs in and stores the session for later commands. Does not store the password. */
export async function login({
  url: given,
  email: named,
  passwordStdin = false,
  otp,
  mailToken,
}: LoginOptions): Promise<void> {
  const environment = readEnvironment()
  const url = controlPlaneFor(given)
  // Fails before the user types a password, if the session cannot be stored.
  await changeSessions(environment.configDir, () => {})
  note(`Signing in at ${url}`)
  const email = named ?? (await ask('E-mail: ', `give your address with --email; ${passwordHint}`))
  const password = passwordStdin ? await passwordFromStdin() : await askSecret('Password: ', passwordHint)
  const client = createClient({ url, onRetry: noteRetry })
  const mailed = mailToken === undefined ? {} : { mail_token: tokenOf(mailToken, 'sign-in') }
  const credentials = { email: email.trim(), password, ...mailed }
  const { session, user } = await signIn(client, credentials, otp, !passwordStdin)
  await changeSessions(environment.configDir, (file) => {
    file.sessions[url] = { ...tokensOf(session), email: user.email }
    file.current = url
  })
  note(`Signed in as ${user.email} (${roleText(user)})`)
  if (environment.apiKey !== undefined) note('MANDATE_API_KEY is set, so commands use it instead of this session')
}

/** Returns the control plane to send a password to. Warns about a connection that is not encrypted. */
export function controlPlaneFor(given: string | undefined): string {
  const url = normalized(given ?? readEnvironment().url ?? localUrl)
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
    note(`warning: the connection to ${url} is not encrypted; others on the network can read the password`)
  }
  return url
}

/** Asks for a password, which may be a new one. @throws Failure if the two answers differ */
export async function askNewPassword(): Promise<string> {
  const password = await askSecret('Password: ', passwordHint)
  if ((await askSecret('Password again: ', passwordHint)) !== password)
    throw new Failure('the passwords differ', { exitCode: 2 })
  return password
}

async function signIn(
  client: Client,
  body: { email: string; password: string; mail_token?: string },
  otp: string | undefined,
  mayAsk: boolean,
): Promise<Answer<'signIn'>> {
  try {
    return await client.call('signIn', { body: { ...body, ...(otp !== undefined && { otp: otp.trim() }) } })
  } catch (error) {
    if (error instanceof MandateError && error.status === 429) {
      throw new Failure(error.message, {
        hint: 'if a link was mailed to you, run the command again with --mail-token and this link',
      })
    }
    if (!isUnauthorized(error)) throw error
    if (error.code === 'mfa_required' && otp === undefined) {
      if (!mayAsk) {
        throw new Failure('a one-time password is required', { hint: otpHint, exitCode: 2 })
      }
      return await signIn(client, body, await askSecret('One-time password: ', otpHint), false)
    }
    throw new Failure(`the sign-in was refused: ${error.message}`, {
      hint: 'check the address; you can reset a forgotten password on the sign-in page',
    })
  }
}

export async function passwordFromStdin(): Promise<string> {
  const password = (await text(invocation().stdin)).replace(/\r?\n$/, '')
  if (password === '') throw new Failure('standard input contains no password', { exitCode: 2 })
  return password
}
