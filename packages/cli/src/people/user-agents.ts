import type { Client } from '@mandate/sdk/client'
import { connect } from '../connection/connect.ts'
import { agentNames } from '../find/agent-names.ts'
import { agentId } from '../find/find-agent.ts'
import { userId } from '../find/find-user.ts'
import { Failure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { note } from '../output/note.ts'
import { showDone, showRows } from '../output/show.ts'
import { minute } from '../output/table.ts'

export async function listGrants(named: string, options: OutputOptions): Promise<void> {
  const { client } = await connect()
  const { grants } = await client.call('listGrants', { path: { user_id: await userId(client, named) } })
  const columns = async () => {
    const names = grants.map(({ resource_id }) => resource_id)
    const nameOf = await agentNames(client, names)
    return [
      { title: 'AGENT', value: ({ resource_id }: (typeof grants)[0]) => nameOf(resource_id) },
      { title: 'CREATED_AT (UTC)', value: ({ created_at }: (typeof grants)[0]) => minute(created_at) },
      { title: 'RESOURCE_ID', value: ({ resource_id }: (typeof grants)[0]) => resource_id },
    ]
  }
  await showRows(grants, options, columns, 'No agents are granted.')
}

export async function grantAgent(named: string, agent: string, output: OutputOptions): Promise<void> {
  const { client } = await connect()
  const path = { user_id: await userId(client, named) }
  const body = { resource_type: 'agent' as const, resource_id: await agentId(client, agent) }
  showDone(`${named} can see ${agent}.`, await client.call('createGrant', { path, body }), output)
}

export async function revokeGrant(named: string, agent: string): Promise<void> {
  const { client } = await connect()
  const user_id = await userId(client, named)
  const grant_id = await grantOf(client, user_id, await agentId(client, agent))
  if (grant_id === undefined) throw new Failure(`${agent} is not granted to ${named}`)
  await client.call('revokeGrant', { path: { user_id, grant_id } })
  note(`The grant of ${agent} to ${named} is revoked.`)
}

async function grantOf(client: Client, user_id: string, agent: string): Promise<string | undefined> {
  const { grants } = await client.call('listGrants', { path: { user_id } })
  return grants.find(({ resource_id }) => resource_id === agent.toLowerCase())?.id
}
