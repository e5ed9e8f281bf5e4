import type { Heartbeat, HeartbeatResponse } from '@mandate/contract/edge'
import { edgeFeatures } from '@mandate/contract/words/edge-features'
import type { EdgeActor } from '../../../authz/actor.ts'
import type { Ctx } from '../../../caller/ctx.ts'
import { versionsForEdge } from '../../credentials/edge-versions.ts'
import { settleHeartbeat } from '../../findings/heartbeats/settle-heartbeat.ts'
import { delegationsVersion } from '../profiles/delegations-version.ts'
import { seqOf } from '../profiles/given-profile.ts'
import { findUnconfirmed } from '../profiles/open-freeze-queries.ts'
import { pinsVersion } from '../profiles/pins-version.ts'
import { profileHash, stablePart } from '../profiles/profile.ts'
import { servedBy } from '../reach/served.ts'
import type { ReportedState } from './heartbeat-queries.ts'
import { storeHeartbeat } from './store-heartbeat.ts'

/**
 * Stores a heartbeat. Returns which profile each agent in the heartbeat should have now. Leaves out agents for which the
 * caller's credential is not valid. If the server already has a newer heartbeat of the same edge instance, the heartbeat is not
 * stored, but the response contains the same data.
 */
export async function acceptHeartbeat(
  ctx: Ctx<EdgeActor>,
  { instance_id, seq, edge_version, agents, closes_after_beats, features }: Heartbeat,
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
    features: edgeFeatures.filter((feature) => features?.includes(feature)),
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
  const { heartbeatSeconds, dashboardUrl } = ctx.services.config
  const answers = new Map(states.map((state) => [state.agent_id, answerOf(state)]))
  return {
    interval_s: heartbeatSeconds,
    ...(dashboardUrl !== null && { dashboard_url: dashboardUrl }),
    agents: [...said.keys()].flatMap((id) => answers.get(id) ?? []),
    ...(await noticesFor(ctx, instance_id, states)),
    ...(await credentialsFor(ctx, states)),
    ...(await pinsFor(ctx, states)),
    ...(await delegationsFor(ctx, states)),
  }
}

/** Names the freezes that the instance has not confirmed. Most tenants have no open freeze, and then nothing is read. */
async function noticesFor(ctx: Ctx<EdgeActor>, instanceId: string, states: readonly ReportedState[]) {
  if (!states.some(({ has_open_freeze }) => has_open_freeze)) return {}
  const freezes = await findUnconfirmed(ctx.sql, servedBy(ctx.actor), { ...ctx.actor, instanceId })
  return freezes.length > 0 ? { freezes } : {}
}

/** Names the versions of the environment's credentials to an edge key. Most tenants never had one, and then nothing is read. */
async function credentialsFor(ctx: Ctx<EdgeActor>, states: readonly ReportedState[]) {
  if (states.length > 0 && !states.some(({ has_credentials }) => has_credentials)) return {}
  const credentials = await versionsForEdge(ctx)
  return credentials ? { credentials } : {}
}

/** Names the version of the environment's pins. All agents of a heartbeat that the credential serves are in one environment. */
async function pinsFor({ sql, actor }: Ctx<EdgeActor>, states: readonly ReportedState[]) {
  const version = states[0] ? states[0].pins_version : await pinsVersion(sql, actor)
  return version === null ? {} : { pins: { version } }
}

/** Names the version of the environment's list of ended delegations, and the time. */
async function delegationsFor({ sql, actor }: Ctx<EdgeActor>, states: readonly ReportedState[]) {
  const version = states[0] ? states[0].delegations_version : await delegationsVersion(sql, actor)
  return version === null ? {} : { delegations: { version, at: new Date().toISOString() } }
}

/** When the instance denies every call if it gets no answer to a further heartbeat. It counts the interval of this answer. */
function closesAt({ now, services }: Ctx<EdgeActor>, beats: number): string {
  return new Date(Date.parse(now) + beats * services.config.heartbeatSeconds * 1000).toISOString()
}

function answerOf(state: ReportedState) {
  const stable = stablePart(state)
  const { agent_id, policy_id, policy_version } = stable
  const profile_hash = profileHash(stable)
  return { agent_id, profile_hash, policy_id, policy_version, profile_seq: seqOf(state, profile_hash) }
}
