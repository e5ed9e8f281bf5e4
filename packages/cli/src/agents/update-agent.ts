import { connect } from '../connection/connect.ts'
import { pairOf } from '../key-value.ts'
import type { OutputOptions } from '../output/format.ts'
import { showDone } from '../output/show.ts'
import { userId } from '../people/find-user.ts'
import { agentId } from './find-agent.ts'

interface Options extends OutputOptions {
  name?: string
  description?: string
  framework?: string
  model?: string
  tool?: string[]
  metadata?: string[]
  owner?: string
}

export async function updateAgent(named: string, options: Options): Promise<void> {
  const { name, description, framework, model, tool, metadata, owner, ...output } = options
  const { client } = await connect()
  const body = {
    name,
    description,
    framework,
    model,
    tools: tool,
    metadata: metadata && Object.fromEntries(metadata.map((word) => pairOf('--metadata', word))),
    owner_user_id: owner === undefined ? undefined : await userId(client, owner),
  }
  const agent = await client.call('updateAgent', { path: { agent_id: await agentId(client, named) }, body })
  showDone(`${agent.name} is changed.`, agent, output)
}
