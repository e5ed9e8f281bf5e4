import type { Schema } from '@mandate/sdk/operation'
import { doubtOfLatest } from '@mandate/sdk/people/latest-definition'
import { connect } from '../connection/connect.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { printable } from '../output/printable.ts'
import { showDone } from '../output/show.ts'
import { toolId } from './find-tool.ts'

interface Options extends OutputOptions {
  environment?: string
}

type Shown = Schema<'ToolWithDefinitions'>

/** Pins definitions of a tool: those with the given hashes, or the latest one if nobody could choose it in place of the user. */
export async function pinTool(
  named: string,
  { environment, definition, ...output }: Options & { definition?: string[] },
): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const shown = await client.call('getTool', { path })
  const definition_hashes = definition ?? [latestOf(shown)]
  const tool = await client.call('pinTool', { path, body: { definition_hashes } })
  const count = definition_hashes.length
  const pinned = `${tool.tool} is pinned to ${count === 1 ? 'one definition' : `${count} definitions`}.`
  showDone([pinned, ...definition_hashes.map((hash) => describe(shown, hash))].join('\n'), tool, output)
}

/** @throws Failure if the user may mean another definition than the latest one */
function latestOf(tool: Shown): string {
  const doubt = doubtOfLatest(tool)
  if (doubt === undefined) return tool.latest_hash
  const shown = doubt.hashes.map((hash) => describe(tool, hash))
  throw new Failure(`${tool.tool} is not pinned, because ${doubt.why}.`, {
    hint: ['Read the definitions (mandate tools show) and name one with --definition HASH:', ...shown].join('\n'),
  })
}

/** `declared_by` has only some of the declarers. */
function describe({ definitions, declared_by, declared_hashes }: Shown, hash: string): string {
  const listed = declared_by.filter((one) => one.hash === hash).map(declarerOf)
  const declared = declared_hashes.find((one) => one.hash === hash)
  const unlisted = declared?.by_edge ? 'an edge that is not listed' : 'the own key of an agent that is not listed'
  const declarers = declared && listed.length === 0 ? [unlisted] : listed
  const found = definitions.find((one) => one.hash === hash)?.warnings ?? []
  const warnings = found.map(({ type, where, detail }) => `${type} (${where}): ${detail}`)
  return [
    `  ${hash}`,
    `    declared by: ${printable([...new Set(declarers)].join(', ')) || 'nobody in the last 24 hours'}`,
    `    warnings: ${printable(warnings.join('; ')) || 'none'}`,
  ].join('\n')
}

function declarerOf({ edge, agent }: Shown['declared_by'][number]): string {
  if (edge === null) return `the own key of the agent ${agent?.name ?? '(unknown)'}`
  return agent === null ? `the edge ${edge.name}` : `the edge ${edge.name} for the agent ${agent.name}`
}

export async function unpinTool(named: string, { environment, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const tool = await client.call('unpinTool', { path })
  showDone(`${tool.tool} has no pinned definition.`, tool, output)
}

export async function blockTool(
  named: string,
  { environment, reason, ...output }: Options & { reason: string },
): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const tool = await client.call('blockTool', { path, body: { reason } })
  showDone(`${tool.tool} is blocked; edges deny its calls.`, tool, output)
}

export async function unblockTool(named: string, { environment, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const tool = await client.call('unblockTool', { path })
  showDone(`${tool.tool} is no longer blocked; policies decide its calls.`, tool, output)
}

export async function labelTool(
  named: string,
  labels: readonly string[],
  { environment, ...output }: Options,
): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const tool = await client.call('labelTool', { path, body: { labels: [...labels] } })
  showDone(`${tool.tool} has the labels: ${tool.labels.join(', ') || 'none'}.`, tool, output)
}
