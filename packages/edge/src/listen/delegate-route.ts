import type { CreatedDelegation } from '@mandate/contract/delegations'
import { uuid } from '@mandate/contract/fields/fields'
import { longestToken } from '@mandate/proofs/delegation-token'
import { z } from 'zod'
import { TooManyRequests } from '../control-plane/agent-requests.ts'
import { ControlPlaneRefused } from '../control-plane/control-plane.ts'
import { type AskedDelegation, DelegationRefused } from '../delegations/delegate-on.ts'
import { RequestRefused } from './caller.ts'

// The control plane checks the tools and the time.
const DelegateRequest = z.object({
  delegation: z.string().min(1).max(longestToken, `must be at most ${longestToken} characters`),
  agent_id: uuid,
  tools: z.array(z.string().max(1000, 'must be at most 1000 characters')).max(100, 'must be at most 100 patterns'),
  expires_at: z.string().max(64, 'must be at most 64 characters'),
})

/** Passes a delegation on for an agent of the edge. */
export type DelegateOn = (agentId: string, asked: AskedDelegation, signal: AbortSignal) => Promise<CreatedDelegation>

/**
 * Handles `POST /edge/v1/delegations`: an agent passes a part of the delegation whose token it has on to another agent.
 * @throws RequestRefused: 400 if the body is invalid, 403 if the agent does not hold the delegation, 429, and what the control plane refuses
 */
export async function delegateRoute(body: unknown, agentId: string, delegateOn: DelegateOn, signal: AbortSignal) {
  const { data, error } = DelegateRequest.safeParse(body)
  if (!data) {
    const { path, message } = error.issues[0] as z.core.$ZodIssue
    throw new RequestRefused(400, `${path.join('.') || 'the body'} ${message}`)
  }
  try {
    return await delegateOn(agentId, data, signal)
  } catch (failure) {
    if (failure instanceof TooManyRequests) throw new RequestRefused(429, failure.message)
    if (failure instanceof DelegationRefused) throw new RequestRefused(403, failure.message)
    if (failure instanceof ControlPlaneRefused && [400, 404, 409].includes(failure.status))
      throw new RequestRefused(failure.status, failure.message)
    throw failure
  }
}
