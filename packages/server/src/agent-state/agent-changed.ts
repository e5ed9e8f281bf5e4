import type { Tx } from '../db/database.ts'
import { recordEvent } from '../events/record-event.ts'

/**
 * Writes the event `agent.changed` for changes without an audit entry of the agent: of its drift, its execution coverage, or its status after a
 * heartbeat. `now` is ISO 8601.
 */
export async function recordAgentsChanged(
  tx: Tx,
  agents: readonly { agent_id: string; environment_id: string | null }[],
  now: string,
): Promise<void> {
  await Promise.all(
    agents.map(({ agent_id: agentId, environment_id: environmentId }) =>
      recordEvent(tx, {
        type: 'agent.changed',
        audience: 'agent',
        resource: { type: 'agent', id: agentId },
        agentId,
        environmentId,
        at: now,
      }),
    ),
  )
}
