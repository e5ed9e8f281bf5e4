import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { userId } from '../find/find-user.ts'
import { usageFailure } from '../invocation/failure.ts'
import type { OutputOptions } from '../output/format.ts'
import { showDone } from '../output/show.ts'
import { type AgentFieldOptions, agentFields } from './agent-fields.ts'

interface Options extends OutputOptions, AgentFieldOptions {
  name?: string
  owner?: string
}

export async function updateAgent(named: string, options: Options): Promise<void> {
  const { name, description, framework, model, tool, metadata, owner, ...output } = options
  const fields = { name, ...agentFields({ description, framework, model, tool, metadata }) }
  if (owner === undefined && Object.values(fields).every((value) => value === undefined))
    throw usageFailure('give --name, --description, --framework, --model, --tool, --metadata or --owner')
  const { client } = await connect()
  const body = { ...fields, owner_user_id: owner === undefined ? undefined : await userId(client, owner) }
  const agent = await client.call('updateAgent', { path: { agent_id: await agentId(client, named) }, body })
  showDone(`The fields of ${agent.name} are saved.`, agent, output)
}
