import type { Logger } from 'pino'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { eachOf } from '../each-of.ts'
import type { EffectCounts, Window } from './spool.ts'

const noCounts: EffectCounts = { allow: 0, deny: 0, require_approval: 0 }
const requestsAtOnce = 4

/**
 * Reports how many decisions each agent had in a reporting window. A second report for the same window replaces the first.
 * @throws ControlPlaneAway
 */
export async function sendStats(
  plane: ControlPlane,
  window: Window,
  agentIds: readonly string[],
  log: Logger,
): Promise<void> {
  await eachOf(agentIds, requestsAtOnce, async (agent_id) => {
    const by_effect = window.counts.get(agent_id) ?? noCounts
    const seen = by_effect.allow + by_effect.deny + by_effect.require_approval
    const body = {
      agent_id,
      window_start: new Date(window.startMs).toISOString(),
      window_end: new Date(window.endMs).toISOString(),
      actions_seen: seen,
      // `actions_seen` and `actions_mediated` are equal, because the edge decides every action that it sees. It cannot see
      // actions that bypass it, so `unmediated_seen` is 0.
      actions_mediated: seen,
      unmediated_seen: 0,
      by_effect,
    }
    try {
      await plane.ask({ method: 'POST', path: '/edge/execution-stats', body })
    } catch (error) {
      if (!(error instanceof ControlPlaneRefused)) throw error
      if (error.status === 401 || error.status === 403) throw new ControlPlaneAway(error.message)
      log.error(
        { agent_id, reason: error.message },
        'the control plane refused the decision counts of one minute; they are not sent again',
      )
    }
  })
}
