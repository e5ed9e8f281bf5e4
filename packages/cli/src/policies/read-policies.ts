import type { Input, Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { allEnvironments, environmentId, environmentsForSlugs, slugOf } from '../find/find-environment.ts'
import { policyId } from '../find/find-policy.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'
import { note } from '../output/note.ts'
import { print } from '../output/print.ts'
import { type ListOptions, showDone, showList, showOne } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { newFileText } from './files/policy-tree.ts'

export interface ListPolicies extends ListOptions {
  environment?: string
  search?: string
  sort: 'created_at' | 'name' | 'updated_at'
}

export async function listPolicies({ environment, search, sort, ...output }: ListPolicies): Promise<void> {
  const { client } = await connect()
  const environments = await (environment === undefined ? environmentsForSlugs : allEnvironments)(client)
  const query: NonNullable<Input<'listPolicies'>['query']> = {
    search,
    sort,
    include: ['rules'],
    ...(environment !== undefined && { environment_id: environmentId(environments, environment) }),
  }
  const columns: Column<Schema<'ListedPolicy'>>[] = [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'VERSION', value: ({ version }) => version },
    {
      title: 'ENVIRONMENT',
      value: (policy) => (policy.environment_id ? slugOf(environments, policy.environment_id) : 'every'),
    },
    { title: 'OVERRIDE_MODE', value: ({ override_mode }) => override_mode },
    { title: 'DEFAULT_EFFECT', value: ({ default_effect }) => default_effect },
    { title: 'RULES', value: ({ rules }) => rules?.length },
    { title: 'AGENTS', value: ({ agents }) => agents },
    { title: 'UPDATED_AT (UTC)', value: ({ updated_at }) => minute(updated_at) },
    { title: 'ID', value: ({ id }) => id },
  ]
  await showList(eachOf(client, 'listPolicies', { query }), output, columns, 'No policies.')
}

/** Prints a policy in the format of policy files. */
export async function showPolicy(named: string, options: OutputOptions): Promise<void> {
  const { client, url } = await connect()
  const policy = await client.call('getPolicy', { path: { policy_id: await policyId(client, named) } })
  if (dataFormat(options)) return showOne(policy, options, [])
  const id = policy.environment_id
  const environment = id === null ? null : slugOf(await environmentsForSlugs(client), id)
  print(newFileText(policy, environment, url).trimEnd())
}

/** Prints the JSON Schema of policy files, for editors that cannot reach the control plane. */
export async function printSchema(options: OutputOptions): Promise<void> {
  const format = dataFormat(options) ?? 'json'
  const { client } = await connect()
  printData(await client.call('readPolicyFileSchema'), format, options)
}

export async function listVersions(named: string, options: ListOptions): Promise<void> {
  const { client } = await connect()
  const path = { policy_id: await policyId(client, named) }
  const columns: Column<Schema<'PolicyVersion'>>[] = [
    { title: 'VERSION', value: ({ version }) => version },
    { title: 'SAVED_AT (UTC)', value: ({ saved_at }) => minute(saved_at) },
    { title: 'SAVED_BY', value: ({ saved_by }) => saved_by.display_name || saved_by.email },
    { title: 'PRODUCED_BY', value: (one) => one.produced_by + (one.restored_from ? ` from ${one.restored_from}` : '') },
    { title: 'CHANGE_SUMMARY', value: ({ change_summary }) => summary(change_summary) },
  ]
  await showList(eachOf(client, 'listPolicyVersions', { path }), options, columns, 'No versions.')
}

function summary({ fields, rules_added, rules_changed, rules_removed }: Schema<'ChangeSummary'>): string {
  const counts = [`+${rules_added}`, `~${rules_changed}`, `-${rules_removed}`].filter(
    (count) => !count.endsWith('0') || count.length > 2,
  )
  return [...fields, ...(counts.length > 0 ? [`rules ${counts.join(' ')}`] : [])].join(', ')
}

export async function restoreVersion(named: string, version: number, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const policy = await client.call('restorePolicyVersion', {
    path: { policy_id: await policyId(client, named), version },
  })
  for (const { path, message } of policy.warnings ?? []) note(`warning: ${path} ${message}`)
  showDone(
    `${policy.name} is restored from version ${version} and is now at version ${policy.version}.`,
    policy,
    options,
  )
}
