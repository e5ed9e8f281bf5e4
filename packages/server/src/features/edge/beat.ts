import type { BeatAnswer, Heartbeat } from '@mandate/contract/edge'
import type { EdgeActor } from '../../authz/actor.ts'
import type { Ctx } from '../../caller/ctx.ts'
import { settleBeat } from '../findings/settle-beat.ts'
import { profileHash, stablePart } from './profile.ts'
import { storeBeat } from './profile-queries.ts'
import { servedBy } from './served.ts'

/**
 * Takes a heartbeat and answers which profile each agent should hold. Agents out of the credential's reach are left out;
 * a beat older than the instance's last changes nothing, and is answered all the same.
 */
export async function beat(
  ctx: Ctx<EdgeActor>,
  { instance_id, seq, edge_version, agents }: Heartbeat,
): Promise<BeatAnswer> {
  // An agent named twice counts as it is named last.
  const said = new Map(agents.map((agent) => [agent.agent_id, agent]))
  const states = await ctx.inTenant((tx) =>
    storeBeat(tx, servedBy(ctx.actor), {
      credentialId: ctx.actor.credentialId,
      instanceId: instance_id,
      seq,
      edgeVersion: edge_version,
      now: ctx.now,
      agents: [...said.values()].map(({ agent_id, policy_id, policy_version, policy_hash }) => ({
        id: agent_id,
        policyId: policy_id ?? null,
        version: policy_version ?? null,
        hash: policy_hash ?? null,
      })),
    }),
  )
  await settleBeat(
    ctx,
    states.filter((state) => state.unsettled).map((state) => state.agent_id),
  )
  const answers = new Map(states.map((state) => [state.agent_id, answerOf(stablePart(state))]))
  return {
    interval_s: ctx.services.config.heartbeatSeconds,
    agents: [...said.keys()].flatMap((id) => answers.get(id) ?? []),
  }
}

function answerOf(stable: ReturnType<typeof stablePart>) {
  const { agent_id, policy_id, policy_version } = stable
  return { agent_id, profile_hash: profileHash(stable), policy_id, policy_version }
}
