import type { timelineTypes } from '@mandate/contract/words/agent-words'
import type { Schema } from '@mandate/sdk/operation'
import { eachOf } from '@mandate/sdk/pages'
import { connect } from '../connection/connect.ts'
import { agentId } from '../find/find-agent.ts'
import { timeFrom } from '../options/time-option.ts'
import { type ListOptions, showList } from '../output/show.ts'
import type { Column } from '../output/table.ts'

interface Options extends ListOptions {
  type?: (typeof timelineTypes)[number][]
  from?: string
  to?: string
}

/** Lists the events of an agent, newest first. */
export async function listTimeline(named: string, { type, from, to, ...output }: Options): Promise<void> {
  const { client } = await connect()
  const query = {
    type,
    from: from === undefined ? undefined : timeFrom('--from', from),
    to: to === undefined ? undefined : timeFrom('--to', to),
  }
  const events = eachOf(client, 'getAgentTimeline', { path: { agent_id: await agentId(client, named) }, query })
  await showList(events, output, columns, 'No events match.')
}

const columns: Column<Schema<'AgentTimelineEvent'>>[] = [
  { title: 'AT (UTC)', value: ({ at }) => at.slice(0, 19).replace('T', ' ') },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'EVENT', value: ({ details }) => String(details.event_type) },
  { title: 'ACTOR', value: ({ actor }) => actor.name || actor.type },
  { title: 'RESOURCE', value: ({ resource }) => resource.name || resource.id || resource.type },
]
