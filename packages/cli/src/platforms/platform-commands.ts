import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { Argument, type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { onlyOne } from '../find/find-one.ts'
import { Failure } from '../invocation/failure.ts'
import { pairOf } from '../options/key-value.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { askForSecret, secretFromStdin } from '../output/read-secret.ts'
import { type ListOptions, showDone, showList, withList } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Platform = Schema<'ConnectedPlatform'>

interface NewPlatform extends OutputOptions {
  name: string
  config?: string[]
  secretStdin?: boolean
  secret?: boolean
}

/** Adds `platforms …` for external services in which agents are discovered. */
export function addPlatformCommands(program: Command): void {
  const platforms = program.command('platforms').description('connected platforms, in which agents are discovered')
  withList(platforms.command('list').description('list connected platforms')).action(listPlatforms)
  withOutput(platforms.command('connect').description('connect a platform'))
    .addArgument(new Argument('<kind>').choices(['github', 'salesforce', 'm365', 'snowflake']))
    .requiredOption('--name <name>', 'the name of the connection')
    .option('--config <key=value...>', 'settings that are not secret, such as organization=acme')
    .addOption(new Option('--secret', 'ask for the secret').conflicts('secretStdin'))
    .option('--secret-stdin', 'read the secret from standard input')
    .action(connectPlatform)
  withOutput(platforms.command('sync <platform>').description('discover the agents of a platform')).action(syncPlatform)
  platforms
    .command('disconnect <platform>')
    .description('disconnect a platform; its discovered agents stay')
    .action(disconnectPlatform)
}

const columns: Column<Platform>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'LAST_SYNC_STATUS', value: (one) => one.last_sync_status, color: syncColor },
  { title: 'LAST_SYNC_AT (UTC)', value: ({ last_sync_at }) => minute(last_sync_at) },
  { title: 'LAST_ERROR', value: ({ last_error }) => last_error },
  { title: 'ID', value: ({ id }) => id },
]

function syncColor({ last_sync_status }: Platform): 'red' | undefined {
  return last_sync_status === 'failed' ? 'red' : undefined
}

async function listPlatforms(options: ListOptions): Promise<void> {
  const { client } = await connect()
  await showList(eachOf(client, 'listPlatforms'), options, columns, 'No platforms are connected.')
}

async function connectPlatform(kind: Platform['kind'], options: NewPlatform): Promise<void> {
  const { name, config = [], secretStdin = false, secret = false, ...output } = options
  const settings = Object.fromEntries(config.map((word) => pairOf('--config', word)))
  const { client } = await connect()
  const auth_secret = secretStdin ? await secretFromStdin() : secret ? await askForSecret() : undefined
  const platform = await client.call('connectPlatform', { body: { kind, name, config: settings, auth_secret } })
  showDone(`${platform.name} is connected; mandate platforms sync discovers its agents.`, platform, output)
}

async function syncPlatform(named: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { platform_id: await platformId(client, named) }
  const platform = await client.call('syncPlatform', { path })
  const message = `Synchronization of ${platform.name}: ${platform.last_sync_status ?? 'not done'}.`
  showDone(message, platform, output)
  if (platform.last_sync_status === 'failed')
    throw new Failure(platform.last_error ?? `the synchronization of ${platform.name} failed without a reported reason`)
}

async function disconnectPlatform(named: string): Promise<void> {
  const { client } = await connect()
  await client.call('disconnectPlatform', { path: { platform_id: await platformId(client, named) } })
  note(`${named} is disconnected.`)
}

async function platformId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const all: Platform[] = []
  for await (const platform of eachOf(client, 'listPlatforms')) all.push(platform)
  const found = all.filter(({ name }) => name === named)
  const known = all.map(({ name }) => name)
  return onlyOne('platform', named, found, ({ kind }) => kind, known).id
}
