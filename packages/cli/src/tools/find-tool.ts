import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { environmentsForSlugs, findEnvironment, slugOf } from '../find/find-environment.ts'
import { onlyOne } from '../find/find-one.ts'

export type Tool = Schema<'Tool'>

/**
 * Finds a tool by its id, or by its name `mcp:<server>/<name>` if only one visible environment has it.
 * @returns its id
 */
export async function toolId(client: Client, named: string, environment: string | undefined): Promise<string> {
  if (isUuid(named)) return named
  const environment_id = environment === undefined ? undefined : await findEnvironment(client, environment)
  const server = /^mcp:([^/]{1,64})\//.exec(named)?.[1]
  const all: Tool[] = []
  for await (const tool of eachOf(client, 'listTools', { query: { environment_id, server, page_size: 200 } }))
    all.push(tool)
  const found = all.filter(({ tool }) => tool === named)
  const known = all.map(({ tool }) => tool)
  const environments = found.length > 1 ? await environmentsForSlugs(client) : []
  return onlyOne('tool', named, found, ({ environment_id: id }) => slugOf(environments, id), known).id
}
