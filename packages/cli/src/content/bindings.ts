import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { policyId } from '../find/find-policy.ts'
import { usageFailure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { type ListOptions, showDone, showList, showRows } from '../output/show.ts'
import { type Column, minute } from '../output/table.ts'
import { allPatterns, patternIn, patternsForNames } from './patterns.ts'

type Pattern = Schema<'ContentPattern'>
type Binding = Schema<'ContentBinding'>
type Version = Schema<'ContentBindingsVersion'>

const columnsOf = (patterns: readonly Pattern[]): Column<Binding>[] => {
  const nameOf = new Map(patterns.map(({ id, name }) => [id, name]))
  return [
    { title: 'PATTERN', value: ({ pattern_id: id, group }) => (id ? (nameOf.get(id) ?? id) : `group ${group}`) },
    { title: 'ON', value: ({ on }) => on },
    { title: 'ACTION', value: ({ action, label }) => (label ? `${action} ${label}` : action) },
  ]
}

export async function showBindings(named: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const policy_id = await policyId(client, named)
  const { version, bindings } = await client.call('getContentBindings', { path: { policy_id } })
  await showRows(bindings, output, columnsOf(await patternsForNames(client)), 'No bindings.')
  note(`Version ${version} of the content bindings.`)
}

interface BindOptions extends OutputOptions {
  set?: string[]
  none?: true
  ifVersion?: number
}

export async function replaceBindings(named: string, { set = [], none, ifVersion, ...output }: BindOptions) {
  if (set.length === 0 && none === undefined) throw usageFailure('give --set for each binding, or --none')
  const { client } = await connect()
  const policy_id = await policyId(client, named)
  const patterns = await allPatterns(client)
  const bindings = set.map((text) => bindingOf(text, patterns))
  const saved = await client.call('replaceContentBindings', {
    path: { policy_id },
    body: { bindings },
    ifMatch: ifVersion,
  })
  showDone(`Version ${saved.version} of the content bindings of ${named} is saved.`, saved, output)
}

const form = '<pattern or group>:<arguments|results>:<action>[:<label>]'

/** Reads a binding such as `secrets:results:redact`. A name that is a group is bound as a group. */
function bindingOf(text: string, patterns: readonly Pattern[]): Binding {
  const found = /^(.+?):(arguments|results):([a-z_]+)(?::([a-z0-9_]+))?$/.exec(text)
  if (!found) throw usageFailure(`--set ${text}: use the form ${form}`)
  const [, what = '', on, action, label] = found
  const target = patterns.some(({ group }) => group === what)
    ? { group: what }
    : { pattern_id: isUuid(what) ? what : patternIn(patterns, what) }
  return { ...target, on, action, ...(label && { label }) } as Binding
}

const versionColumns: Column<Version>[] = [
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'SAVED_AT (UTC)', value: ({ saved_at }) => minute(saved_at) },
  { title: 'SAVED_BY', value: ({ saved_by }) => saved_by.display_name },
  { title: 'ADDED', value: ({ diff }) => diff.added.length },
  { title: 'REMOVED', value: ({ diff }) => diff.removed.length },
  { title: 'PATTERNS', value: ({ diff }) => diff.patterns.map(({ name, change }) => `${name} ${change}`).join(', ') },
]

export async function listBindingVersions(named: string, options: ListOptions): Promise<void> {
  const { client } = await connect()
  const path = { policy_id: await policyId(client, named) }
  await showList(eachOf(client, 'listContentBindingsVersions', { path }), options, versionColumns, 'No versions.')
}

export async function showBindingVersion(named: string, version: number, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { policy_id: await policyId(client, named), version }
  const found = await client.call('getContentBindingsVersion', { path })
  const patterns = [...(await patternsForNames(client)), ...found.patterns.map((one) => ({ ...one, created_at: null }))]
  await showRows(found.bindings, output, columnsOf(patterns), 'No bindings.')
  note(`Version ${found.version}, saved ${minute(found.saved_at)} UTC by ${found.saved_by.display_name}.`)
}
