import type { Freeze } from '@mandate/contract/freezes'
import type { Member } from '../../authz/actor.ts'
import { type Sight, sightOf } from '../../authz/sight.ts'
import { narrowedBy } from '../../authz/visibility.ts'

const agentOf = (condition: string) => `exists (select from agents a
  where a.tenant_id = :tenantId and a.id = z.target_id and ${condition})`

/** SQL condition on a freeze `z`: the actor sees it. Everybody sees freezes of the organization, because they stop their agents too. */
export function freezeIsVisible(sight: Sight): string {
  const condition = narrowedBy(sight, {
    bound: `(case z.scope when 'agent' then ${agentOf('a.environment_id = :environmentId')} else z.target_id = :environmentId end)`,
    scoped: `(case z.scope
      when 'agent' then exists (select from agent_grants g
        where g.tenant_id = :tenantId and g.user_id = :userId and g.agent_id = z.target_id)
      else exists (select from environment_access x
        where x.tenant_id = :tenantId and x.user_id = :userId and x.environment_id = z.target_id) end)`,
  })
  return sight === 'all' ? 'true' : `(z.scope = 'organization' or ${condition})`
}

/** The scopes of freezes for which an actor sees all agents that the freeze covers. A scoped user may see only some agents of an environment. */
const wholeScopes: Record<Sight, readonly Freeze['scope'][]> = {
  all: ['agent', 'environment', 'organization'],
  bound: ['agent', 'environment'],
  scoped: ['agent'],
  'scoped+bound': ['agent'],
}

/** True if the actor sees each agent that the freeze covers. */
export const seesWhole = (actor: Member, { scope }: Pick<Freeze, 'scope'>): boolean =>
  wholeScopes[sightOf(actor)].includes(scope)
