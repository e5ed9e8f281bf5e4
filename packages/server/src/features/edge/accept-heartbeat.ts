import type { Heartbeat, HeartbeatResponse } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { settleHeartbeat } from '../findings/settle-heartbeat.ts'
import { profileHash, stablePart } from './profile.ts'
import { servedBy } from './served.ts'
import { storeHeartbeat } from './store-heartbeat.ts'

/**
 * Stores a heartbeat. Returns which profile each agent in the heartbeat should have now. Leaves out agents for which the
 * caller's credential is not valid. If the server already has a newer heartbeat of the same edge instance, the heartbeat is not
 * stored, but the response contains the same data.
 */
export async function acceptHeartbeat(
  ctx: Ctx<EdgeActor>,
  { instance_id, seq, edge_version, agents, closes_after_beats }: Heartbeat,
): Promise<HeartbeatResponse> {
  // If an agent is listed twice, the last entry counts.
  const said = new Map(agents.map((agent) => [agent.agent_id, agent]))
  const states = await storeHeartbeat(ctx.services, ctx.actor.tenantId, {
    credentialId: ctx.actor.credentialId,
    credentialName: ctx.actor.name,
    reach: servedBy(ctx.actor),
    instanceId: instance_id,
    seq,
    edgeVersion: edge_version,
    now: ctx.now,
    closesAt: closes_after_beats ? closesAt(ctx, closes_after_beats) : null,
    agents: [...said.values()].map(({ agent_id, policy_id, policy_version, policy_hash }) => ({
      id: agent_id,
      policyId: policy_id ?? null,
      version: policy_version ?? null,
      hash: policy_hash ?? null,
    })),
  })
  await settleHeartbeat(
    ctx,
    states.filter((state) => state.unsettled).map((state) => state.agent_id),
  )
  const answers = new Map(states.map((state) => [state.agent_id, answerOf(stablePart(state))]))
  return {
    interval_s: ctx.services.config.heartbeatSeconds,
    agents: [...said.keys()].flatMap((id) => answers.get(id) ?? []),
  }
}

/** When the instance denies every call if it gets no answer to a further heartbeat. It counts the interval of this answer. */
function closesAt({ now, services }: Ctx<EdgeActor>, beats: number): string {
  return new Date(Date.parse(now) + beats * services.config.heartbeatSeconds * 1000).toISOString()
}

function answerOf(stable: ReturnType<typeof stablePart>) {
  const { agent_id, policy_id, policy_version } = stable
  return { agent_id, profile_hash: profileHash(stable), policy_id, policy_version }
}
