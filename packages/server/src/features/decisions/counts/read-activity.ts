import type { Agent } from '@mandate/contract/agents'
import type { Member } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { bucketOf, lengthOfBucketMs } from '../records/count-decisions.ts'
import { type ActivityRow, findActivity } from './activity-queries.ts'

export type Activity = NonNullable<Agent['activity']>

const hoursShown = 24
const placeOf: Record<ActivityRow['effect'], number> = { allow: 0, deny: 1, require_approval: 2 }

/**
 * Returns the decisions of the last 24 hours of each agent, by hour and effect. The last hour is the current one. The caller of this
 * function has checked that the actor sees the agents.
 */
export async function readActivity(
  { sql, now }: Ctx<Member>,
  agentIds: readonly string[],
): Promise<Map<string, Activity>> {
  const to = bucketOf(now, 'hour')
  const from = new Date(Date.parse(to) - (hoursShown - 1) * lengthOfBucketMs.hour).toISOString()
  const activities = new Map(
    agentIds.map((id) => [id, { from, hours: Array.from({ length: hoursShown }, () => [0, 0, 0]) }]),
  )
  for (const { agent_id, hour, effect, calls } of await findActivity(sql, agentIds, { from, to })) {
    const counts = activities.get(agent_id)?.hours[hour]
    if (counts) counts[placeOf[effect]] = calls
  }
  return activities
}
