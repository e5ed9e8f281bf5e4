import { sql as fragment, type RawBuilder } from 'kysely'
import type { Member } from '../authz/actor.ts'
import { boundEnvironment, hasAuthority, seesWholeTenant } from '../authz/can.ts'
import { agentInSightOf, policyVisibleTo } from '../authz/visibility.ts'

/**
 * A condition on a row `e` of audit_entries. People, keys and the organization: owners and managers who see the whole
 * tenant. Agents and policies: everyone who sees the agent or the policy.
 */
export function entryVisibleTo(actor: Member): RawBuilder<boolean> {
  if (!seesWholeTenant(actor)) {
    return fragment<boolean>`((e.category = 'agent' and ${agentInSightOf(actor, 'e')})
      or (e.category = 'policy' and (${isOfVisiblePolicy(actor)} or ${isOfDeletedPolicy(actor)})))`
  }
  return seesEveryEntry(actor) ? fragment<boolean>`true` : fragment<boolean>`e.category in ('agent', 'policy')`
}

export function seesEveryEntry(actor: Member): boolean {
  return seesWholeTenant(actor) && hasAuthority(actor, 'manager')
}

function isOfVisiblePolicy(actor: Member): RawBuilder<boolean> {
  return fragment<boolean>`exists (select from policies p
    where p.tenant_id = e.tenant_id and p.id = e.resource_id and ${policyVisibleTo(actor, 'p')})`
}

/** A deleted policy leaves only where it applied: every environment, or the one its entries name. */
function isOfDeletedPolicy(actor: Member): RawBuilder<boolean> {
  const environmentId = boundEnvironment(actor)
  const inKeysEnvironment = environmentId === null ? fragment`true` : fragment`e.environment_id = ${environmentId}`
  const inUsersEnvironment =
    actor.accessScope === 'all'
      ? fragment`true`
      : fragment`(e.environment_id is null or exists (select from environment_access x
          where x.tenant_id = e.tenant_id and x.environment_id = e.environment_id and x.user_id = ${actor.userId}))`
  return fragment<boolean>`(${inKeysEnvironment} and ${inUsersEnvironment} and not exists (
    select from policies p where p.tenant_id = e.tenant_id and p.id = e.resource_id))`
}
