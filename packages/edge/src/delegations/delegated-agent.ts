import type { AgentStanding } from '../carry/agent-standing.ts'
import type { DelegatedCall } from './delegations.ts'

/** The agent that a delegation must be for: with the tenant and the environment that its profile names. */
export function delegatedAgent({ agentId, profile }: AgentStanding): Omit<DelegatedCall, 'tools'> {
  const environmentId = profile?.environment.id
  return {
    agentId,
    tenantId: profile?.tenantId ?? null,
    environmentId: typeof environmentId === 'string' ? environmentId : null,
  }
}
