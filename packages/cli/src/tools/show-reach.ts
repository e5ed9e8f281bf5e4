import { limitText } from '@mandate/policy/limit'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { type ListOptions, showList } from '../output/show.ts'
import { toolId } from './find-tool.ts'

export type ToolReach = Schema<'ToolReach'>
type AgentReach = Schema<'AgentReach'>

interface Options extends ListOptions {
  verdict?: ToolReach['verdict']
}

const color = ({ verdict }: Pick<ToolReach, 'verdict'>) =>
  (({ allow: undefined, deny: 'red', require_approval: 'yellow', depends: 'yellow' }) as const)[verdict]
const rules = {
  title: 'RULES',
  value: (row: Pick<ToolReach, 'rules'>) => row.rules.map(ruleText).join(', ') || null,
}

const ruleText = ({ name, limit }: ToolReach['rules'][number]) => (limit ? `${name} (${limitText(limit)})` : name)

/** Lists what an agent may do with each known tool of its environment. */
export async function showAgentReach(
  named: string,
  { verdict, running, ...options }: Options & { running?: boolean },
): Promise<void> {
  const { client } = await connect()
  const path = { agent_id: await agentId(client, named) }
  const columns = [
    { title: 'TOOL', value: ({ tool }: ToolReach) => tool },
    { title: 'VERDICT', value: ({ verdict }: ToolReach) => verdict, color },
    rules,
  ]
  const query = { verdict, ...(running && { policy: 'running' as const }) }
  await showList(eachOf(client, 'getAgentReach', { path, query }), options, columns, 'No tools match.')
}

/** Lists which agents may call a tool. */
export async function showToolReach(
  named: string,
  { verdict, environment, ...options }: Options & { environment?: string },
): Promise<void> {
  const { client } = await connect()
  const path = { tool_id: await toolId(client, named, environment) }
  const columns = [
    { title: 'AGENT', value: ({ agent }: AgentReach) => agent.name },
    { title: 'VERDICT', value: ({ verdict }: AgentReach) => verdict, color },
    rules,
    { title: 'ID', value: ({ agent }: AgentReach) => agent.id },
  ]
  await showList(eachOf(client, 'getToolReach', { path, query: { verdict } }), options, columns, 'No agents match.')
}
