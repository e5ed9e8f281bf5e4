import { createHash } from 'node:crypto'
import { v7 } from 'uuid'
import { apiClient } from '../../../packages/server/src/testing/api-client.ts'
import { SigningEdge } from '../../../packages/server/src/testing/signing-edge.ts'
import type { AgentPlan, Habit } from './plan.ts'
import { repeatableRandom } from './random.ts'

const hourMs = 3_600_000
const batchSize = 1000

/** An agent, and what its decisions name. */
export interface PastAgent {
  id: string
  plan: AgentPlan
  policyId: string
  version: number
  contentHash: string
  ruleIds: readonly string[]
}

/** Share of the usual pace in each hour of the day, from midnight: long transfers at night, then a working day. */
const dayCurve = [
  2.2, 2.1, 0.5, 0.45, 0.5, 0.7, 1, 1.5, 1.9, 2.1, 2.05, 2, 1.95, 2.05, 2.1, 1.95, 1.8, 1.6, 1.2, 0.9, 0.8, 0.65, 0.6,
  0.55,
]

/**
 * Records what the agents of an edge did in the last days, as an edge does after it was away: in one signed chain.
 * @param key the key of the edge
 */
export async function recordPast(url: string, key: string, agents: readonly PastAgent[], days: number): Promise<void> {
  const random = repeatableRandom(agents.length)
  const edge = await SigningEdge.start(apiClient(url, key))
  const now = Date.now()
  const records: { at: number; record: object }[] = []
  for (const agent of agents)
    for (let hour = 0; hour < 24 * days; hour++) {
      const end = now - hour * hourMs
      // Days before yesterday are thinned out, so that the script stays fast.
      const pace = agent.plan.pace * (dayCurve[new Date(end).getHours()] as number) * (hour < 25 ? 1 : 0.12)
      const calls = Math.round(pace * (0.8 + 0.4 * random()))
      for (let call = 0; call < calls; call++) {
        const at = end - Math.floor(random() * hourMs)
        if (at < now - 1000) records.push({ at, record: recordOf(agent, at, random) })
      }
    }
  const inOrder = records.sort((a, b) => a.at - b.at).map(({ record }) => record)
  for (let from = 0; from < inOrder.length; from += batchSize) {
    const { status, body } = await edge.record(...inOrder.slice(from, from + batchSize))
    if (status !== 202 || body.refused?.length > 0) throw new Error(`decisions are refused: ${JSON.stringify(body)}`)
  }
}

function recordOf({ id, plan, policyId, version, contentHash, ruleIds }: PastAgent, at: number, random: () => number) {
  const habit = pick(plan.policy?.habits ?? [], random)
  return {
    decision_id: v7({ msecs: at }),
    agent_id: id,
    tool: habit.tool,
    effect: habit.effect,
    mode: 'enforce',
    ...(habit.rule !== undefined && { rule_id: ruleIds[habit.rule] }),
    policy_id: policyId,
    policy_version: version,
    policy_hash: contentHash,
    args_digest: createHash('sha256').update(`${id} ${at} ${random()}`).digest('hex'),
    session_id: `sess-${Math.floor(random() * 4096).toString(16)}`,
    duration_us: 120 + Math.floor(random() * 500),
    at: new Date(at).toISOString(),
  }
}

/** Picks a habit by its share. */
function pick(habits: readonly Habit[], random: () => number): Habit {
  let left = random() * habits.reduce((sum, { share }) => sum + share, 0)
  for (const habit of habits) {
    left -= habit.share
    if (left <= 0) return habit
  }
  return habits.at(-1) as Habit
}
