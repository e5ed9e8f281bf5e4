import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { connect } from '../connection/connect.ts'
import { onlyOne } from '../find/find-one.ts'
import { ifVisible } from '../find/if-visible.ts'
import { usageFailure } from '../invocation/failure.ts'
import { type ConfirmOptions, confirm } from '../output/confirm.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone, showRows } from '../output/show.ts'
import type { Column } from '../output/table.ts'

type Pattern = Schema<'ContentPattern'>

interface Sent extends OutputOptions {
  group?: string
  name?: string
  expression?: string
  word?: string[]
}

const columns: Column<Pattern>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'GROUP', value: ({ group }) => group },
  { title: 'KIND', value: ({ kind, builtin }) => (builtin ? 'built-in' : kind) },
  { title: 'ID', value: ({ id }) => id },
]

export async function listPatterns({ group, ...output }: OutputOptions & { group?: string }): Promise<void> {
  const { client } = await connect()
  const { data } = await client.call('listContentPatterns')
  const shown = data.filter((pattern) => group === undefined || pattern.group === group)
  await showRows(shown, output, columns, 'No patterns.')
}

export async function createPattern(name: string, { group = '', expression, word, ...output }: Sent): Promise<void> {
  if (expression === undefined && word === undefined) throw usageFailure('give --expression or --word')
  const { client } = await connect()
  const what = word === undefined ? { kind: 'regex' as const, expression } : { kind: 'words' as const, words: word }
  const pattern = await client.call('createContentPattern', { body: { name, group, ...what } })
  showDone(`${pattern.name} is created.`, pattern, output)
}

export async function updatePattern(named: string, { name, group, expression, word, ...output }: Sent): Promise<void> {
  if ([name, group, expression, word].every((value) => value === undefined))
    throw usageFailure('give --name, --group, --expression or --word')
  const { client } = await connect()
  const pattern_id = await patternId(client, named)
  const what = {
    ...(expression !== undefined && { kind: 'regex' as const, expression }),
    ...(word !== undefined && { kind: 'words' as const, words: word }),
  }
  const body = { name, group, ...what }
  const pattern = await client.call('updateContentPattern', { path: { pattern_id }, body })
  showDone(`The content pattern ${pattern.name} is saved.`, pattern, output)
}

export async function deletePattern(named: string, options: ConfirmOptions): Promise<void> {
  const { client } = await connect()
  const pattern_id = await patternId(client, named)
  await confirm(`Delete the content pattern ${named}?`, options)
  await client.call('deleteContentPattern', { path: { pattern_id } })
  note(`${named} is deleted.`)
}

export async function allPatterns(client: Client): Promise<Pattern[]> {
  return (await client.call('listContentPatterns')).data
}

/** Returns all patterns, or none if the key may not read them. A command that only needs their names then shows ids. */
export const patternsForNames = async (client: Client): Promise<Pattern[]> =>
  (await ifVisible(allPatterns(client))) ?? []

/** Finds a pattern by its id, or by its name if only one pattern has that name. */
export async function patternId(client: Client, named: string): Promise<string> {
  return isUuid(named) ? named : patternIn(await allPatterns(client), named)
}

export function patternIn(patterns: readonly Pattern[], named: string): string {
  const found = patterns.filter(({ name }) => name === named)
  const known = patterns.map(({ name }) => name)
  return onlyOne('content pattern', named, found, ({ group }) => group, known).id
}
