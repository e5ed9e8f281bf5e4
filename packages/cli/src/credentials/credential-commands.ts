import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Argument, type Command } from 'commander'
import { connect } from '../connection/connect.ts'
import { environmentsForSlugs, findEnvironment, slugOf } from '../find/find-environment.ts'
import { onlyOne } from '../find/find-one.ts'
import { usageFailure } from '../invocation/failure.ts'
import { pairOf } from '../options/key-value.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { readSecret, type SecretOptions, withSecret } from '../output/read-secret.ts'
import { type ListOptions, showDone, showList, withList } from '../output/show.ts'
import { minute } from '../output/table.ts'

type Credential = Schema<'Credential'>

const kinds: readonly Credential['kind'][] = ['bearer', 'header', 'basic', 'environment', 'oauth_client_credentials']
const configHelp = 'settings that are not secret: header, username, variable, or token_url, client_id and scope'
const inEnvironment = 'the environment of the credential, if several have the name'

interface OfEnvironment {
  environment?: string
}

/** Adds `credentials …` for the secrets of tools. */
export function addCredentialCommands(program: Command): void {
  const credentials = program.command('credentials').description('secrets of tools, which edges use for agents')
  withList(credentials.command('list').description('list credentials, without their secrets'))
    .option('--environment <slug>', 'only credentials of this environment')
    .action(listCredentials)
  withSecret(withOutput(credentials.command('create <name>').description('store a credential; asks for the secret')))
    .addArgument(new Argument('<kind>').choices(kinds))
    .requiredOption('--environment <slug>', 'the environment whose edges use it')
    .option('--config <key=value...>', configHelp)
    .action(createCredential)
  withSecret(withOutput(credentials.command('update <credential>').description('change a credential')))
    .option('--environment <slug>', inEnvironment)
    .option('--name <name>', 'a new name')
    .option('--config <key=value...>', `all ${configHelp}`)
    .option('--new-secret', 'also replace the secret; asks for it. Needed if token_url names another server')
    .action(updateCredential)
  withSecret(withOutput(credentials.command('rotate <credential>').description('replace the secret; asks for it')))
    .option('--environment <slug>', inEnvironment)
    .action(rotateCredential)
  credentials
    .command('delete <credential>')
    .description('delete a credential that no edge used in the last 24 hours')
    .option('--environment <slug>', inEnvironment)
    .option('--force', 'delete it although it was used; edges then deny the calls that need it')
    .action(deleteCredential)
}

async function listCredentials({ environment, ...options }: ListOptions & OfEnvironment): Promise<void> {
  const { client } = await connect()
  const columns = async () => {
    const environments = await environmentsForSlugs(client)
    return [
      { title: 'NAME', value: ({ name }: Credential) => name },
      { title: 'KIND', value: ({ kind }: Credential) => kind },
      { title: 'ENVIRONMENT', value: ({ environment_id }: Credential) => slugOf(environments, environment_id) },
      { title: 'CONFIG', value: ({ config }: Credential) => settingsOf(config) },
      { title: 'VERSION', value: ({ version }: Credential) => version },
      { title: 'LAST_USED_AT (UTC)', value: ({ last_used_at }: Credential) => minute(last_used_at) },
      { title: 'ID', value: ({ id }: Credential) => id },
    ]
  }
  const query = environment === undefined ? {} : { environment_id: await findEnvironment(client, environment) }
  await showList(eachOf(client, 'listCredentials', { query }), options, columns, 'No credentials.')
}

const settingsOf = (config: Credential['config']) =>
  Object.entries(config)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ') || null

interface Created extends OutputOptions, SecretOptions {
  environment: string
  config?: string[]
}

async function createCredential(name: string, kind: Credential['kind'], options: Created): Promise<void> {
  const { environment, config = [], secretStdin, ...output } = options
  const { client } = await connect()
  const environment_id = await findEnvironment(client, environment)
  const secret = await readSecret({ secretStdin })
  const body = { name, kind, environment_id, config: configOf(config), secret }
  const credential = await client.call('createCredential', { body })
  showDone(`${name} is stored; edges of ${environment} can use it.`, credential, output)
}

const configOf = (words: readonly string[]) => Object.fromEntries(words.map((word) => pairOf('--config', word)))

interface Updated extends OutputOptions, OfEnvironment, SecretOptions {
  name?: string
  config?: string[]
  newSecret?: true
}

async function updateCredential(named: string, options: Updated): Promise<void> {
  const { name, config, environment, newSecret, secretStdin, ...output } = options
  const isNewSecret = newSecret || secretStdin
  if (name === undefined && config === undefined && !isNewSecret)
    throw usageFailure('give --name, --config or --new-secret')
  const { client } = await connect()
  const path = { credential_id: await credentialId(client, named, environment) }
  const body = {
    ...(name !== undefined && { name }),
    ...(config && { config: configOf(config) }),
    ...(isNewSecret && { secret: await readSecret({ secretStdin }) }),
  }
  const credential = await client.call('updateCredential', { path, body })
  showDone(`The credential ${credential.name} is saved (version ${credential.version}).`, credential, output)
}

type Rotated = OutputOptions & OfEnvironment & SecretOptions

async function rotateCredential(named: string, { environment, secretStdin, ...output }: Rotated): Promise<void> {
  const { client } = await connect()
  const path = { credential_id: await credentialId(client, named, environment) }
  const credential = await client.call('rotateCredential', {
    path,
    body: { secret: await readSecret({ secretStdin }) },
  })
  showDone(`${credential.name} has a new secret (version ${credential.version}).`, credential, output)
}

async function deleteCredential(
  named: string,
  { environment, force }: OfEnvironment & { force?: true },
): Promise<void> {
  const { client } = await connect()
  const path = { credential_id: await credentialId(client, named, environment) }
  await client.call('deleteCredential', { path, query: force ? { force } : {} })
  note(`The credential ${named} is deleted.`)
}

async function credentialId(client: Client, named: string, environment: string | undefined): Promise<string> {
  if (isUuid(named)) return named
  const query = environment === undefined ? {} : { environment_id: await findEnvironment(client, environment) }
  const all: Credential[] = []
  for await (const credential of eachOf(client, 'listCredentials', { query })) all.push(credential)
  const found = all.filter(({ name }) => name === named)
  const known = all.map(({ name }) => name)
  const environments = found.length > 1 ? await environmentsForSlugs(client) : []
  return onlyOne('credential', named, found, ({ environment_id }) => slugOf(environments, environment_id), known).id
}
