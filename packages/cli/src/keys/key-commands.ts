import { isUuid } from '@mandate/contract/fields/is-uuid'
import { faultOfScope, resourceMeantBy, scopeResources } from '@mandate/contract/words/scopes'
import type { Client } from '@mandate/sdk/client'
import { MandateError } from '@mandate/sdk/mandate-error'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { replacementKey } from '@mandate/sdk/people/replacement-key'
import { type Command, Option } from 'commander'
import { connect } from '../connection/connect.ts'
import { allEnvironments, environmentId, findEnvironment } from '../find/find-environment.ts'
import { onlyOne } from '../find/find-one.ts'
import { Failure } from '../invocation/failure.ts'
import { timeOf } from '../options/expiry.ts'
import { type OutputOptions, withOutput } from '../output/format.ts'
import { note } from '../output/note.ts'
import { type ListOptions, showDone, showList, showOne, withList } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Key = Schema<'ApiKey'>

const scopeHelp = `such as agents:read; a key without scopes may do what you may do (resources: ${scopeResources.join(', ')})`

interface NewKey extends OutputOptions {
  environment?: string
  scope?: string[]
  expires?: string
}

/** Adds `keys …` for API keys. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys for programs')
  withList(keys.command('list').description('list keys, including revoked keys'))
    .addOption(new Option('--state <state>').choices(['active', 'expired', 'revoked']))
    .option('--unused-days <n>', 'only keys that were not used for this many days')
    .option('--older-days <n>', 'only keys that were created at least this many days ago')
    .action(listKeys)
  withOutput(keys.command('create <name>').description('create a key; it is shown once'))
    .option('--environment <slug>', 'the only environment that the key works in')
    .option('--scope <scope...>', scopeHelp)
    .option('--expires <when>', 'a time, in UTC without a zone, or a duration such as 90d or 12h')
    .action(createKey)
  withOutput(keys.command('bind <key> <environment>').description('let a key work in one environment only')).action(
    (named: string, environment: string, options: OutputOptions) => bindKey(named, environment, options),
  )
  withOutput(keys.command('unbind <key>').description('let a key work in every environment')).action(
    (named: string, options: OutputOptions) => bindKey(named, null, options),
  )
  withOutput(
    keys
      .command('rotate <key>')
      .description(
        'create a key with the same name, scopes, environment and lifetime; the old key works until you revoke it',
      ),
  ).action(rotateKey)
  withOutput(
    keys.command('revoke <key>').description('revoke a key immediately and permanently; takes its name, prefix or id'),
  ).action(async (named: string, options: OutputOptions) => {
    const { client } = await connect()
    const key_id = await keyId(client, named)
    const key = await client.call('revokeApiKey', { path: { key_id } })
    showDone(`${key.name} (${key.key_prefix}…) is revoked.`, key, options)
  })
}

interface ListKeys extends ListOptions {
  state?: 'active' | 'expired' | 'revoked'
  unusedDays?: string
  olderDays?: string
}

async function listKeys({ state, unusedDays, olderDays, ...options }: ListKeys): Promise<void> {
  const { client } = await connect()
  const query = {
    state,
    ...(unusedDays !== undefined && { unused_days: Number(unusedDays) }),
    ...(olderDays !== undefined && { older_days: Number(olderDays) }),
  }
  await showList(eachOf(client, 'listApiKeys', { query }), options, columns(), 'No keys.')
}

/** Finds a key by its id, name or prefix, and returns its id. A revoked key matches only if no other key matches. */
export async function keyId(client: Client, named: string): Promise<string> {
  return isUuid(named) ? named : (await findKey(client, named)).id
}

async function findKey(client: Client, named: string): Promise<Key> {
  const all: Key[] = []
  for await (const key of eachOf(client, 'listApiKeys')) all.push(key)
  const found = all.filter((key) => isNamed(key, named))
  const known = all.map(({ name }) => name)
  const live = found.filter(({ revoked_at }) => !revoked_at)
  const matches = live.length > 0 ? live : found
  return onlyOne('key', named, matches, (key) => `${key.key_prefix}…  ${key.name}`, known)
}

/** Accepts a key prefix with or without the `…` that lists print after it. */
function isNamed({ id, name, key_prefix }: Key, named: string): boolean {
  return id === named || name === named || key_prefix === named.replace(/(?:…|\.\.\.)$/, '')
}

async function bindKey(named: string, environment: string | null, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const environment_id = environment === null ? null : await findEnvironment(client, environment)
  const path = { key_id: await keyId(client, named) }
  const key = await client.call('bindApiKey', { path, body: { environment_id } })
  showDone(`${key.name} (${key.key_prefix}…) works in ${environment ?? 'every environment'}.`, key, options)
}

async function createKey(name: string, { environment, scope, expires, ...output }: NewKey): Promise<void> {
  const { client } = await connect()
  const body = {
    name,
    scopes: scope,
    ...(environment !== undefined && { environment_id: environmentId(await allEnvironments(client), environment) }),
    ...(expires !== undefined && { expires_at: timeOf(expires, Date.now()) }),
  }
  const key = await client.call('createApiKey', { body }).catch((error: unknown) => {
    throw withSuggestion(error, scope)
  })
  showKey(key, output)
}

function showKey(key: Schema<'NewApiKey'>, output: OutputOptions): void {
  note('The key is shown only now. Store it where the program reads it, and nowhere else.')
  showOne(key, output, [...columns().slice(0, -1), { title: 'RAW_KEY', value: () => key.raw_key }])
}

async function rotateKey(named: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const old = await findKey(client, named)
  const state = stateOf(old)
  if (state !== 'active') throw new Failure(`the key ${old.name} is ${state}; create a new key`)
  const key = await client.call('createApiKey', { body: replacementKey(old, Date.now()) })
  showKey(key, output)
  note(`The old key still works. When the new key is in use: mandate keys revoke ${old.key_prefix}`)
}

/** Adds the scope that is probably meant to the error about a scope with an unknown resource. */
function withSuggestion(error: unknown, scopes: readonly string[] = []): unknown {
  if (!(error instanceof MandateError) || error.status !== 400) return error
  const [resource = '', ...action] = scopes.find((one) => faultOfScope(one) !== null)?.split(':') ?? []
  const meant = resourceMeantBy(resource)
  if (meant === undefined || error.message.includes('did you mean')) return error
  return new Failure(error.message, { hint: `did you mean ${[meant, ...action].join(':')}?` })
}

function columns(): Column<Key>[] {
  return [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'KEY_PREFIX', value: ({ key_prefix }) => key_prefix },
    { title: 'STATE', value: stateOf, color: (key) => (stateOf(key) === 'active' ? 'green' : 'red') },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(' ') || 'all' },
    { title: 'EXPIRES_AT (UTC)', value: ({ expires_at }) => minute(expires_at) },
    { title: 'ID', value: ({ id }) => id },
    { title: 'LAST_USED_AT (UTC)', value: ({ last_used_at }) => minute(last_used_at) },
  ]
}

function stateOf({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return 'revoked'
  return expires_at && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active'
}
