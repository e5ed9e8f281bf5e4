import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { edgeColumns } from '../freezes/list-freezes.ts'
import { type ListOptions, showList } from '../output/show.ts'

interface Options extends ListOptions {
  state?: Schema<'AgentEdge'>['state']
}

/** Lists the edge instances that run an agent, and whether each has its newest profile. */
export async function listAgentEdges(named: string, { state, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const path = { agent_id: await agentId(client, named) }
  const edges = eachOf(client, 'listAgentEdges', { path, query: { state } })
  await showList(edges, output, edgeColumns, state ? 'No edges in this state.' : 'No edge runs this agent.')
}
