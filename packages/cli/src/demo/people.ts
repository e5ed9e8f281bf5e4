import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { session, tokensOf } from '@mandate/sdk/session'
import { eventually, expectThat } from './expect-that.ts'
import type { Stage } from './stage.ts'

/** The people of the demonstration, each with their own session. */
export interface People {
  /** The owner. She writes the policy and registers the agents. */
  olivia: Client
  /** A manager, who approves Olivia's requests. */
  mel: Client
  developmentId: string
  /** The password of all people of the demonstration. */
  password: string
}

/** The address with which the owner signs in. */
export const ownerEmail = 'olivia@acme.example'

/** Registers an organization and adds a second person, because nobody can approve their own request. */
export async function gatherPeople({ folder, signal, narrator }: Stage, url: string): Promise<People> {
  const open = createClient({ url })
  const signedIn = (opened: Schema<'Session'>) =>
    createClient({
      url,
      credential: session({
        tokens: tokensOf(opened),
        refresh: async (refresh_token) => tokensOf((await open.call('refresh', { body: { refresh_token } })).session),
      }),
    })
  const password = randomBytes(18).toString('base64url')
  await narrator.step('An organization and its people')
  const registered = await open.call('register', {
    body: { email: ownerEmail, password, display_name: 'Olivia', organization: 'Acme' },
  })
  const olivia = signedIn(registered.session)
  const { data: environments } = await olivia.call('listEnvironments')
  const names = environments.map(({ slug }) => slug).join(' and ')
  narrator.say(`Olivia registers the organization Acme and is its owner. It starts with the environments ${names}.`)
  const email = 'mel@acme.example'
  await olivia.call('inviteUser', { path: { id: registered.tenant.id }, body: { email, role: 'manager' } })
  const token = await eventually('an invitation is mailed', signal, () => mailedToken(join(folder, 'mail'), email))
  const joined = await open.call('acceptInvitation', { body: { token, password, display_name: 'Mel' } })
  expectThat(joined.user.role === 'manager' && joined.user.status === 'active', 'Mel is an active manager')
  narrator.say('She invites Mel, who joins as a manager by the link in the mail.')
  const development = environments.find(({ slug }) => slug === 'development')
  expectThat(development !== undefined, 'the organization has an environment named `development`')
  return { olivia, mel: signedIn(joined.session), developmentId: development.id, password }
}

/** Reads the token of the invitation mailed to `address`. Returns undefined until the mail arrives. */
async function mailedToken(folder: string, address: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  const mail = names.find((name) => name.includes(address) && name.endsWith('.eml'))
  return mail && /\/join\?token=([\w-]+)/.exec(await readFile(join(folder, mail), 'utf8'))?.[1]
}
