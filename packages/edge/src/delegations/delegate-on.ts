import { CreatedDelegation } from '@mandate/contract/delegations'
import type { AgentStanding } from '../carry/agent-standing.ts'
import type { AgentRequests } from '../control-plane/agent-requests.ts'
import { type ControlPlane, ControlPlaneAway } from '../control-plane/control-plane.ts'
import { delegatedAgent } from './delegated-agent.ts'
import type { Delegations } from './delegations.ts'

/** What an agent asks for: a part of the delegation whose token it has. */
export interface AskedDelegation {
  /** The token of the delegation that the agent holds. */
  delegation: string
  agent_id: string
  tools: readonly string[]
  expires_at: string
}

/** Thrown if the agent does not hold the delegation, or may not use it any more. */
export class DelegationRefused extends Error {
  override readonly name = 'DelegationRefused'
}

/**
 * Passes a part of a delegation on. The control plane cannot tell which agent of an edge key asks, so the edge checks that the agent holds the
 * delegation.
 * @throws DelegationRefused, TooManyRequests, and the errors of `ControlPlane`
 */
export async function delegateOn(
  { plane, delegations, requests }: { plane: ControlPlane; delegations: Delegations; requests: AgentRequests },
  standing: AgentStanding,
  { delegation, ...asked }: AskedDelegation,
  signal?: AbortSignal,
): Promise<CreatedDelegation> {
  const { closed } = standing.now()
  if (closed !== null) throw new DelegationRefused(closed)
  const held = await delegations.verify(delegation)
  const refusal = delegations.refusalOf(held, { ...delegatedAgent(standing), tools: [] })
  if (refusal !== null || 'fault' in held) throw new DelegationRefused(refusal ?? 'the token is not valid')
  requests.count(standing.agentId)
  const body = { parent: held.ids.at(-1), ...asked }
  const answer = await plane.ask({ method: 'POST', path: '/edge/delegations', body, signal })
  const { data } = CreatedDelegation.safeParse(answer.body)
  if (!data) throw new ControlPlaneAway('the control plane answered without a delegation')
  return data
}
