import type { Agent, AgentFilters } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { readActivity } from '../../decisions/counts/read-activity.ts'

/**
 * Adds the activity to agents that are JSON text, separated by commas, if the request asks for it. One statement reads the
 * activity of all of them.
 */
export async function addActivityToJson(
  ctx: Ctx<Member>,
  include: AgentFilters['include'],
  items: string,
): Promise<string> {
  if (!include?.includes('activity')) return items
  const agents = JSON.parse(`[${items}]`) as Agent[]
  const activities = await readActivity(
    ctx,
    agents.map(({ id }) => id),
  )
  return agents.map((agent) => JSON.stringify({ ...agent, activity: activities.get(agent.id) })).join(',')
}
