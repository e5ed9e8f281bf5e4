import type { Schema } from '@mandate/sdk'
import { counted } from '../../words/words.ts'

export type Credential = Schema<'Credential'>
export type Kind = Credential['kind']

export const kindNames: Record<Kind, string> = {
  bearer: 'Bearer token',
  header: 'Header',
  basic: 'User name and password',
  environment: 'Environment variable',
  oauth_client_credentials: 'OAuth client',
}

export const secretNames: Record<Kind, string> = {
  bearer: 'Token',
  header: 'Value of the header',
  basic: 'Password',
  environment: 'Value of the variable',
  oauth_client_credentials: 'Client secret',
}

interface Setting {
  name: string
  label: string
  hint?: string
}

/** The settings of each kind, in the order of the form. */
export const settings: Record<Kind, readonly Setting[]> = {
  bearer: [],
  header: [{ name: 'header', label: 'Name of the header', hint: 'Such as X-Api-Key.' }],
  basic: [{ name: 'username', label: 'User name' }],
  environment: [
    {
      name: 'variable',
      label: 'Name of the variable',
      hint: 'For tool servers that the edge starts, such as API_KEY.',
    },
  ],
  oauth_client_credentials: [
    { name: 'token_url', label: 'Token URL', hint: 'Where the edge gets tokens for the client.' },
    { name: 'client_id', label: 'Client ID' },
    { name: 'scope', label: 'Scope', hint: 'Leave it empty if the server needs none.' },
  ],
}

/** The settings to send: those of the kind that are not empty. */
export function configOf(kind: Kind, given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = settings[kind].map(({ name }) => [name, (given[name] ?? '').trim()] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}

/** What readers are told of the settings in one line. */
export const settingOf = ({ config }: Pick<Credential, 'config'>) =>
  config.header ?? config.username ?? config.variable ?? config.client_id ?? '–'

export const fineOf = (credentials: number) =>
  credentials === 0
    ? 'No credential is stored.'
    : counted(credentials, '# credential is stored.', '# credentials are stored.')
