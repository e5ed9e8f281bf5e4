import type { Client } from '@mandate/sdk/client'
import { eachOf } from '@mandate/sdk/pages'
import { governanceStates } from './governance-states.ts'
import { ifVisible } from './if-visible.ts'

/** Maximum number of agents that are read one by one, by id. If there are more, the whole list is read. */
const fewAgents = 20

/**
 * Looks up agent names, for lists that contain only agent ids.
 * @returns a function from id to name; it returns the id itself if the caller cannot see the agent
 */
export async function agentNames(client: Client, ids: readonly string[]): Promise<(id: string) => string> {
  const wanted = new Set(ids)
  const names = wanted.size > fewAgents ? await ifVisible(allNames(client)) : await namesOf(client, [...wanted])
  return (id) => names?.get(id) ?? id
}

async function namesOf(client: Client, ids: readonly string[]): Promise<Map<string, string>> {
  const pairs = ids.map(async (agent_id) => [agent_id, await nameOf(client, agent_id)] as const)
  return new Map(await Promise.all(pairs))
}

async function nameOf(client: Client, agent_id: string): Promise<string> {
  return (await ifVisible(client.call('getAgent', { path: { agent_id } })))?.name ?? agent_id
}

async function allNames(client: Client): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const governance_state of governanceStates) {
    const query = { governance_state, page_size: 200 }
    for await (const { id, name } of eachOf(client, 'listAgents', { query })) names.set(id, name)
  }
  return names
}
