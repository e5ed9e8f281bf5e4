import { isUuid } from '@mandate/contract/fields/is-uuid'
import type { Client } from '@mandate/sdk/client'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { onlyOne } from './find-one.ts'
import { governanceStates } from './governance-states.ts'

/**
 * Finds an agent by its id, or by its name if only one visible agent has that name.
 * @returns its id
 */
export async function agentId(client: Client, named: string): Promise<string> {
  if (isUuid(named)) return named
  const found: Schema<'Agent'>[] = []
  for (const governance_state of governanceStates) {
    for await (const agent of eachOf(client, 'listAgents', { query: { governance_state, search: named } })) {
      if (agent.name === named && agent.status !== 'archived') found.push(agent)
    }
  }
  const known = found.length === 0 ? await someNames(client) : []
  return onlyOne('agent', named, found, ({ environment }) => environment?.slug ?? '', known).id
}

async function someNames(client: Client): Promise<string[]> {
  const query = { page_size: 200 }
  const pages = governanceStates.map((governance_state) =>
    client.call('listAgents', { query: { ...query, governance_state } }),
  )
  return (await Promise.all(pages)).flatMap(({ data }) =>
    data.filter(({ status }) => status !== 'archived').map(({ name }) => name),
  )
}
