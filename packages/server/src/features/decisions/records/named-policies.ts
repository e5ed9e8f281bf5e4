import type { Sight } from '../../../authz/sight.ts'
import { narrowedBy, policyIsVisible, visibleAgentIds } from '../../../authz/visibility.ts'

// A record names its policy and its rule, and the server does not verify them. So a caller sees the name of a policy only if they see the policy,
// or if it applies to the environment of the record. `p` is the row of `policies`.

/** SQL condition: the policy may be named to a caller who sees a record of this environment. */
export function isNamedInRecord(sight: Sight, environmentId: string): string {
  return `(${policyIsVisible(sight, 'p')} or p.environment_id is null or p.environment_id = ${environmentId})`
}

/** SQL condition: the policy may be named to a caller who sees counts of all agents that they see. */
export function isNamedInCounts(sight: Sight): string {
  const hasAgents = narrowedBy(sight, {
    bound: 'p.environment_id = :environmentId',
    scoped: `p.environment_id in (select a.environment_id from (${visibleAgentIds('scoped')}) v
      join agents a on a.tenant_id = :tenantId and a.id = v.agent_id)`,
  })
  return `(${policyIsVisible(sight, 'p')} or p.environment_id is null or ${hasAgents})`
}
