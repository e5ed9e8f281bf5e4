import { connect } from '../connection/connect.ts'
import type { OutputOptions } from '../output/format.ts'
import { showDone } from '../output/show.ts'
import { toolId } from './find-tool.ts'

interface Options extends OutputOptions {
  environment?: string
}

/** Pins definitions of a tool: those with the given hashes, or the latest one. */
export async function pinTool(
  named: string,
  { environment, definition, ...output }: Options & { definition?: string[] },
): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const definition_hashes = definition ?? [(await client.call('getTool', { path })).latest_hash]
  const tool = await client.call('pinTool', { path, body: { definition_hashes } })
  const count = definition_hashes.length
  showDone(`${tool.tool} is pinned to ${count === 1 ? 'one definition' : `${count} definitions`}.`, tool, output)
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
