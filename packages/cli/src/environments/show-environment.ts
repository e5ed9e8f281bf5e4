import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { findEnvironment } from '../find/find-environment.ts'
import type { OutputOptions } from '../output/format.ts'
import { type ListOptions, showList, showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'

type Environment = Schema<'Environment'>

export async function listEnvironments(options: ListOptions): Promise<void> {
  const { client } = await connect()
  const columns: Column<Environment>[] = [
    { title: 'SLUG', value: ({ slug }) => slug },
    { title: 'NAME', value: ({ name }) => name },
    { title: 'IS_PRODUCTION', value: ({ is_production }) => (is_production ? 'yes' : 'no') },
    { title: 'GOVERNANCE_MODE', value: ({ governance_mode }) => governance_mode },
    { title: 'TOOL_PINNING', value: ({ tool_pinning }) => tool_pinning },
    { title: 'KEEP_ARGUMENTS_FOR_REPLAY', value: (one) => (one.keep_arguments_for_replay ? 'yes' : 'no') },
    { title: 'ID', value: ({ id }) => id },
  ]
  await showList(eachOf(client, 'listEnvironments'), options, columns, 'No environments.')
}

export async function showEnvironment(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const environment_id = await findEnvironment(client, named)
  showOne(await client.call('getEnvironment', { path: { environment_id } }), options, environmentFields)
}

export async function previewDeletion(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const environment_id = await findEnvironment(client, named)
  showOne(await client.call('previewEnvironmentDeletion', { path: { environment_id } }), options, [
    { title: 'Reports kept', value: ({ reports_kept }) => reports_kept },
    { title: 'Live share links', value: ({ live_share_links }) => live_share_links },
    { title: 'Keys revoked', value: ({ api_keys }) => api_keys },
    { title: 'Live agents', value: ({ agents }) => agents },
    { title: 'Reports in the list', value: ({ reports_listed }) => reports_listed },
  ])
}

export const environmentFields: Column<Environment>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Slug', value: ({ slug }) => slug },
  { title: 'Production', value: ({ is_production }) => (is_production ? 'yes' : 'no') },
  { title: 'Mode', value: ({ governance_mode }) => governance_mode },
  { title: 'Tool pinning', value: ({ tool_pinning }) => tool_pinning },
  { title: 'Keeps arguments', value: (one) => (one.keep_arguments_for_replay ? 'yes' : 'no') },
  { title: 'Created', value: ({ created_at }) => `${minute(created_at)} UTC` },
  { title: 'Id', value: ({ id }) => id },
]
