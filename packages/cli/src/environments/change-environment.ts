import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { findEnvironment } from '../find/find-environment.ts'
import { usageFailure } from '../invocation/failure.ts'
import { type ConfirmOptions, confirm } from '../output/confirm.ts'
import { counted } from '../output/counted.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone } from '../output/show.ts'

interface Options extends OutputOptions {
  name?: string
  slug?: string
  production?: boolean
  mode?: Schema<'Environment'>['governance_mode']
  toolPinning?: Schema<'Environment'>['tool_pinning']
  keepArguments?: boolean
}

export async function createEnvironment(name: string, options: Options): Promise<void> {
  const { slug, production, mode, toolPinning, keepArguments, ...output } = options
  const { client } = await connect()
  const settings = settingsOf({ production, mode, toolPinning, keepArguments })
  const body = { name, slug: slug ?? slugOfName(name), ...settings }
  const environment = await client.call('createEnvironment', { body })
  showDone(`${environment.name} is created; its slug is ${environment.slug}.`, environment, output)
}

export async function updateEnvironment(
  named: string,
  { production, mode, toolPinning, keepArguments, name, slug, ...output }: Options,
): Promise<void> {
  const body = { name, slug, ...settingsOf({ production, mode, toolPinning, keepArguments }) }
  if (Object.values(body).every((value) => value === undefined))
    throw usageFailure('give --name, --slug, --[no-]production, --mode, --tool-pinning or --[no-]keep-arguments')
  const { client } = await connect()
  const path = { environment_id: await findEnvironment(client, named) }
  const environment = await client.call('updateEnvironment', { path, body })
  showDone(`The settings of ${environment.name} are saved.`, environment, output)
}

function settingsOf({ production, mode, toolPinning, keepArguments }: Options) {
  return {
    is_production: production,
    governance_mode: mode,
    tool_pinning: toolPinning,
    keep_arguments_for_replay: keepArguments,
  }
}

export async function deleteEnvironment(named: string, options: ConfirmOptions): Promise<void> {
  const { client } = await connect()
  const path = { environment_id: await findEnvironment(client, named) }
  const { reports_kept, live_share_links } = await client.call('previewEnvironmentDeletion', { path })
  const reports = `${counted(reports_kept, 'report')} ${reports_kept === 1 ? 'stays' : 'stay'} with the organization`
  const links = `${counted(live_share_links, 'share link')} ${live_share_links === 1 ? 'keeps' : 'keep'} working`
  note(`${reports}; ${links}.`)
  await confirm(`Delete the environment ${named} permanently?`, options)
  await client.call('deleteEnvironment', { path })
  note(`${named} is deleted.`)
}

function slugOfName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
}
