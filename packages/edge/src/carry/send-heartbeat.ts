import { edgeEndpoints, type HeartbeatResponse } from '@mandate/contract/edge'
import { edgeFeatures } from '@mandate/contract/words/edge-features'
import { type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'
import type { InstanceRecord } from '../state/instance-record.ts'
import type { AgentStanding } from './agent-standing.ts'

const longestTimeoutMs = 10_000

export interface HeartbeatParts {
  plane: ControlPlane
  instance: Pick<InstanceRecord, 'instanceId' | 'seq' | 'intervalMs'>
  agents: ReadonlyMap<string, AgentStanding>
  edgeVersion: string
  /** How long the next heartbeat waits for its answer. Without it, one interval, from 1 to 10 seconds. */
  heartbeatMs?: (() => number) | undefined
}

/** Sends one heartbeat. @throws the errors of `ControlPlane`; `ControlPlaneAway` also for an invalid answer */
export async function sendHeartbeat(
  { plane, instance, agents, edgeVersion, heartbeatMs }: HeartbeatParts,
  signal?: AbortSignal,
): Promise<HeartbeatResponse> {
  const timeoutMs = heartbeatMs?.() ?? Math.min(longestTimeoutMs, Math.max(instance.intervalMs, 1000))
  const body = {
    instance_id: instance.instanceId,
    seq: instance.seq,
    edge_version: edgeVersion,
    agents: [...agents.values()].map(runningOf),
    closes_after_beats: closesAfterBeats(agents.values()),
    features: edgeFeatures,
  }
  const asked = { method: 'POST', path: '/edge/heartbeat', body, timeoutMs, signal } as const
  const { data } = edgeEndpoints.sendHeartbeat.answers[200].safeParse((await plane.ask(asked)).body)
  if (!data) throw new ControlPlaneAway('invalid heartbeat response')
  if (data.interval_s < 1) throw new ControlPlaneAway('invalid heartbeat response: interval_s must be at least 1')
  return data
}

/** After how many missed heartbeats every agent is denied. Null if the profile of an agent stays in force without a time limit. */
function closesAfterBeats(agents: Iterable<AgentStanding>): number | null {
  let most = 1
  for (const { isRefused, closesAfterBeats: beats } of agents) {
    if (isRefused) continue
    if (beats === null) return null
    most = Math.max(most, beats)
  }
  return most
}

/** Builds the part of the heartbeat for one agent. Policy fields are left out if the agent has no policy. */
function runningOf({ agentId, profile }: AgentStanding) {
  if (!profile || profile.policyId === null || profile.policyVersion === null) return { agent_id: agentId }
  const { policyId: policy_id, policyVersion: policy_version, policyHash: policy_hash } = profile
  return { agent_id: agentId, policy_id, policy_version, policy_hash }
}
