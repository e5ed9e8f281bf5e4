import { createClient } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { tokensOf } from '@mandate/sdk/session'
import { changeSessions } from '../connection/change-sessions.ts'
import { connectAnonymously, normalized, noteRetry } from '../connection/connect.ts'
import { readEnvironment } from '../invocation/environment.ts'
import { ask } from '../output/ask.ts'
import { note } from '../output/note.ts'
import { roleText } from '../output/role-text.ts'
import { tokenOf } from './account-commands.ts'
import { askNewPassword, controlPlaneFor, passwordFromStdin } from './login.ts'

export interface RegisterOptions {
  url?: string
  email?: string
  organization?: string
  name?: string
  passwordStdin?: boolean
}

/** Creates an organization whose owner is the caller, and stores the session for later commands. */
export async function register({ url: given, name, passwordStdin = false, ...fields }: RegisterOptions): Promise<void> {
  const url = controlPlaneFor(given)
  await changeSessions(readEnvironment().configDir, () => {})
  note(`Registering at ${url}`)
  const email = fields.email ?? (await ask('E-mail: ', 'give your address with --email'))
  const organization =
    fields.organization ?? (await ask('Organization: ', 'give the name of your organization with --organization'))
  const password = passwordStdin ? await passwordFromStdin() : await askNewPassword()
  const client = createClient({ url, onRetry: noteRetry })
  const body = { email: email.trim(), organization, password, ...(name !== undefined && { display_name: name }) }
  const { session, user, tenant } = await client.call('register', { body })
  await keep(url, session, user)
  note(`${tenant.name} is registered. Signed in as ${user.email} (${roleText(user)})`)
}

export interface AcceptOptions {
  name?: string
  otp?: string
  passwordStdin?: boolean
}

/** Accepts an invitation, and keeps the session. The person chooses a password, or proves an existing account with its password. */
export async function acceptInvitation(
  link: string,
  { name, otp, passwordStdin = false }: AcceptOptions,
): Promise<void> {
  const token = tokenOf(link, 'join')
  const url = await controlPlaneOf(link)
  await changeSessions(readEnvironment().configDir, () => {})
  const client = createClient({ url, onRetry: noteRetry })
  const invitation = await client.call('previewInvitation', { body: { token } })
  note(`${invitation.organization} invites ${invitation.email} as ${roleText(invitation)}`)
  const password = passwordStdin ? await passwordFromStdin() : await askNewPassword()
  const more = { ...(name !== undefined && { display_name: name }), ...(otp !== undefined && { otp: otp.trim() }) }
  const { session, user } = await client.call('acceptInvitation', { body: { token, password, ...more } })
  await keep(url, session, user)
  note(`Signed in as ${user.email} (${roleText(user)})`)
}

/**
 * Returns the control plane of an invitation. A person who was invited has usually no session and has set nothing. So unless
 * `MANDATE_URL` is set, the link itself says where the control plane is.
 */
export async function controlPlaneOf(given: string): Promise<string> {
  const link = URL.parse(given.trim().replace(/^[<("'“]+/, ''))
  if (link === null) return (await connectAnonymously()).url
  const ofLink = normalized(link.origin + link.pathname.replace(/\/join\/*$/, ''))
  if (readEnvironment().url === undefined) return ofLink
  const { url } = await connectAnonymously()
  if (url !== ofLink) note(`The link is of ${ofLink}; MANDATE_URL sends the request to ${url}`)
  return url
}

async function keep(url: string, session: Schema<'Session'>, { email }: Schema<'User'>): Promise<void> {
  await changeSessions(readEnvironment().configDir, (file) => {
    file.sessions[url] = { ...tokensOf(session), email }
    file.current = url
  })
}
